//! Transforms between enhanced Universal Dependencies and graphs that a parser can learn, with inverses.
//!
//! Two things in enhanced graphs are out of a parser's reach: nodes that no word stands for, and labels that
//! contain words of the sentence. [`collapse`] folds empty nodes into path labels (`conj>nsubj`), and
//! [`delexicalise`] writes `obl:[case]` for `obl:because_of`. [`expand`] and [`lexicalise`] undo them.
//!
//! ```
//! use pleach_graph::{NodeId, Sentence};
//! use pleach_graph::enhanced::Transform;
//!
//! let mut sentence = Sentence::from_forms(["lives", "in", "Paris"]);
//! sentence.graph.insert(NodeId(1), NodeId(3), "obl:in".into());
//! sentence.graph.insert(NodeId(3), NodeId(2), "case".into());
//! Transform::ALL.apply(&mut sentence);
//! assert!(sentence.graph.labels(NodeId(1), NodeId(3)).eq(["obl:[case]"]));
//! Transform::ALL.undo(&mut sentence);
//! assert!(sentence.graph.labels(NodeId(1), NodeId(3)).eq(["obl:in"]));
//! ```

mod collapse;
#[cfg(test)]
mod fixture;
mod lexical;
mod literal;
mod path;
mod record;
mod thin;

pub use collapse::{collapse, collapse_keeping, drop_empty_nodes, expand};
pub use lexical::{delexicalise, lexicalise, placeholder};
pub use literal::{SentenceWords, label_parts, without_absent_words};
pub use path::SEPARATOR;
pub use record::COMMENT;
pub use thin::thin_paths;

use crate::Sentence;

/// Which transforms to use before training, and to undo after parsing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transform {
    /// Fold empty nodes into path labels.
    pub collapse: bool,
    /// Write placeholders for the words in labels.
    pub delexicalise: bool,
}

impl Transform {
    /// Both transforms.
    pub const ALL: Transform = Transform { collapse: true, delexicalise: true };

    /// Changes a sentence into what a parser learns. Empty nodes go first: they may not supply words, since
    /// a parsed graph does not have them. No trace of them is kept in the comments: a parser must not see it.
    pub fn apply(self, sentence: &mut Sentence) {
        if self.collapse {
            collapse(sentence);
        }
        if self.delexicalise {
            sentence.graph = delexicalise(sentence);
        }
    }

    /// Changes a parsed sentence back.
    pub fn undo(self, sentence: &mut Sentence) {
        if self.delexicalise {
            sentence.graph = lexicalise(sentence);
        }
        if self.collapse {
            expand(sentence);
        }
    }
}
