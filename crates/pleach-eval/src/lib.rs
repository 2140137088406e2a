//! Pleach: eval.
