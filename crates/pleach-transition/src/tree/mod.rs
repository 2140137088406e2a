//! One framework for the transition systems of trees (`bohnet-2016`).
//!
//! A system is a handful of [`settings`]: how many tokens are active (K), how far apart the ends of an arc may be
//! (D), and a multiset of transitions with their own parameters. The named systems are [`presets`]. A configuration
//! ([`state`]) has operative tokens O, unprocessed ones U and arcs A; transitions are taken at a [`system::Site`],
//! a pair of active tokens. The [`oracle`] knows which transitions keep the gold tree within reach, and
//! [`search`] finds good sequences. The twin of this module, for graphs, is [`graph`](crate::graph).

pub mod check;
pub mod classes;
pub mod coverage;
pub mod oracle;
pub mod presets;
pub mod settings;
pub mod state;
pub mod system;

pub use crate::search::tree as search;
