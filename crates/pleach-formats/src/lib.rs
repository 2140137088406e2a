//! Pleach: formats.
