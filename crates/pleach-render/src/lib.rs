//! Pictures of dependency graphs.
//!
//! Three steps, each of which can be used alone: a [`Picture`] says what is drawn (words, links, marks), a
//! [`Layout`] says where, and [`Terminal`], [`Svg`] and [`Page`] write it down. A [`Scene`] is what SVG and
//! HTML have in common.
//!
//! ```
//! use pleach_graph::{NodeId, Sentence};
//! use pleach_render::{Basis, Pages, Picture, Scene, Svg, Terminal};
//!
//! let mut sentence = Sentence::from_forms(["Mark", "sleeps"]);
//! sentence.graph.insert(NodeId(2), NodeId(1), "nsubj".into());
//! let picture = Picture::new(&sentence, Basis::Auto);
//! assert_eq!(Terminal::default().draw(&picture), " ╭nsubj─╮\n ▼      │\nMark  sleeps\n");
//!
//! let mut svg = Svg::new(false);
//! svg.push(&Scene::new(&picture, Pages::Book), None);
//! assert!(svg.finish().starts_with("<svg"));
//! ```

#![forbid(unsafe_code)]

mod compare;
pub mod constituents;
mod html;
mod layout;
mod levels;
mod pages;
mod picture;
mod scene;
mod svg;
mod terminal;
mod text;
pub mod theme;
mod wrap;

pub use compare::{CompareError, Differences, compare};
pub use html::Page;
pub use layout::{Extent, Layout, Metrics, Pages, PlacedLink};
pub use pages::Side;
pub use picture::{Basis, Bracket, Label, Link, Mark, Picture, Word};
pub use scene::{Class, Owner, Scene, Shape};
pub use svg::Svg;
pub use terminal::{Ink, Terminal, paint};
