//! Transition systems that build graphs (`zhang-2016`, `sun-2019`).
//!
//! All [`systems`] share one configuration ([`state`]) and one kind of [`action`]: an optional edge between the top of the
//! stack and the front of the buffer, and a move. [`settings`] say which system and which options; [`system`] knows what
//! is legal and what it does; the static [`oracle`] gives a sequence for a gold graph, and [`costs`] says what any action
//! costs in any configuration. [`labels`] stand between label sets of documents and the numbers here, [`inventory`]
//! collects the actions of a training set, [`factors`] takes them apart. The twin of this module, for trees, is [`tree`](crate::tree).

pub mod action;
pub mod costs;
pub mod coverage;
pub mod factors;
pub mod inventory;
pub mod labels;
pub mod oracle;
pub mod settings;
pub mod state;
pub mod story;
pub mod system;
pub mod systems;
pub mod trace;

pub use system::System;
pub use systems::{About, Kind};
