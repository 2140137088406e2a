//! Pleach: linear.
