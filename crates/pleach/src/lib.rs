//! Pleach: the facade.
