//! Scores of predicted dependency graphs against a gold standard, by the rules of the official scorers.
//!
//! - [`graph`]: precision, recall, F and exact match of arcs; breakdowns by label, length and re-entrancy.
//!
//! ```
//! use pleach_eval::graph::GraphScores;
//! use pleach_graph::{Graph, NodeId, Text};
//!
//! let mut gold: Graph = Graph::new(2);
//! gold.insert(NodeId::ROOT, NodeId(2), Text::from("root"));
//! gold.insert(NodeId(2), NodeId(1), Text::from("nsubj"));
//! let mut system: Graph = Graph::new(2);
//! system.insert(NodeId(2), NodeId(1), Text::from("nsubj"));
//!
//! let mut scores = GraphScores::new();
//! scores.add(&gold, &system);
//! assert_eq!((scores.lp(), scores.lr(), scores.exact()), (1.0, 0.5, 0.0));
//! ```

mod counts;
pub mod graph;

pub use counts::ArcCounts;
