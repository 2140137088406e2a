//! What kind of graph it is: tree, projective, noncrossing, pagenumber, cycles, connectedness, density.
//!
//! Whether two arcs cross does not depend on their directions and labels: [`Edges`] are the unordered pairs
//! of nodes that are linked, self-loops left out. The virtual root stands left of the first token; whether
//! its arcs count is for the caller to say ([`Root`]). Published pagenumbers leave them out.
//!
//! ```
//! use pleach_graph::{Graph, NodeId};
//! use pleach_graph::properties::{Edges, Root, is_acyclic, is_tree};
//!
//! let mut graph: Graph<()> = Graph::new(4);
//! for (head, dependent) in [(0, 2), (2, 1), (2, 4), (1, 3)] {
//!     graph.insert(NodeId(head), NodeId(dependent), ());
//! }
//! assert!(is_tree(&graph) && is_acyclic(&graph));
//! let edges = Edges::new(&graph, Root::Excluded);
//! assert!(!edges.is_noncrossing());
//! assert_eq!(edges.book().pagenumber().to_string(), "2");
//! ```

mod colouring;
mod crossing;
mod cycles;
mod degree;
mod edges;
mod one_endpoint;
mod pages;
mod range;
mod reach;
mod tree;
mod two_pages;

pub use crossing::CrossingPairs;
pub use cycles::{is_acyclic, self_loops, two_cycles};
pub use degree::{density, isolated, multi_headed};
pub use edges::{Edge, Edges, Root};
pub use pages::{Book, Pagenumber};
pub use reach::{component_count, is_connected, unreachable};
pub use tree::{is_projective, is_single_headed, is_tree};
pub use two_pages::{Page, TwoPages};

#[cfg(test)]
mod samples;
