//! Sentences and dependency graphs.
//!
//! A [`Sentence`] is everything that a file says about one sentence; its [`Graph`] holds the deep
//! dependencies: several heads for a word, several labels for one ordered pair, arcs from the virtual
//! root, cycles and crossing arcs. `Graph` is generic over its labels: documents use [`Text`], algorithms
//! use interned ids.
//!
//! ```
//! use pleach_graph::{Graph, NodeId, Text};
//!
//! let mut graph: Graph = Graph::new(2);
//! graph.insert(NodeId::ROOT, NodeId(2), Text::from("root"));
//! graph.insert(NodeId(2), NodeId(1), Text::from("nsubj"));
//! assert_eq!(graph.heads_of(NodeId(1)).next().unwrap().head, NodeId(2));
//! ```

#![forbid(unsafe_code)]

pub mod encoded;
pub mod enhanced;
mod graph;
pub mod node;
pub mod phrase;
pub mod properties;
#[cfg(test)]
mod random;
mod sentence;
pub mod statistics;
mod tree;
mod visible;
pub mod words;

pub use graph::{Arc, Graph, ImpossibleArc, NodeId};
pub use node::{NONE, Node};
pub use sentence::{Multiword, Sentence, Token, TokenId};
pub use tree::Tree;
pub use visible::{visible, visible_lines};

/// A short string: labels, forms and tags, stored inline up to 24 bytes.
pub type Text = compact_str::CompactString;
