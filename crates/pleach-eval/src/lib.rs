//! Scores of predicted dependency graphs against a gold standard, by the rules of the official scorers.
//!
//! - [`graph`]: precision, recall, F and exact match of arcs; breakdowns by label, length and re-entrancy.
//! - [`sdp`]: the same with the predicate-wise scores of SemEval-2015 Task 18.
//! - [`semeval16`]: SemEval-2016 Task 9.
//! - [`tree`]: attachment scores and the recall of crossing arcs.
//! - [`ud`]: CoNLL 2018 (UAS, LAS, MLAS …, for raw text too) and IWPT 2020/2021 (ELAS, EULAS).
//! - [`significance`]: the paired bootstrap.
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

#![forbid(unsafe_code)]

mod counts;
mod evaluate;
pub mod graph;
mod mismatch;
mod punctuation;
mod report;
pub mod sdp;
pub mod semeval16;
pub mod significance;
pub mod tree;
pub mod ud;

pub use counts::ArcCounts;
pub use evaluate::{Comparison, EvalError, Evaluation, Metric, Options, Scores, UnknownMetric, evaluate};
pub use mismatch::{Compared, Mismatch, Place, check_ends, check_tokens};
pub use punctuation::is_punctuation;
pub use report::{Details, Report};
