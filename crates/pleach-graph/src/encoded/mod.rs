//! Graphs as parsers learn them: over [`Node`](crate::Node)s and numbered label sets instead of texts.

mod gold;
mod labels;

pub use gold::{Edge, Gold};
pub use labels::{EncodeError, LabelSets, NumberedArc, Numbers, UNLABELLED, pairs};
