//! Pleach: render.
