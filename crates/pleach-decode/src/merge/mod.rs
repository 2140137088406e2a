//! Graphs taken apart into tree-like subgraphs, and put together again (`sun-2019` sections 4.2 and 4.3).
//!
//! | file | what |
//! | --- | --- |
//! | [`weights`] | what an arc is worth to each of the three trees |
//! | [`decompose`] | a graph to three trees, simply and by Lagrangian relaxation |
//! | [`offers`] | trees whose arcs say something about a graph |
//! | [`consistency`] | what three trees say about each other |

pub mod consistency;
pub mod decompose;
pub mod offers;
pub mod weights;

pub use consistency::Consistency;
pub use decompose::{Decomposer, Plan, TooLong};
pub use offers::{Offer, OfferTree};
pub use weights::{Coefficients, Coordination, Source, TREES};
