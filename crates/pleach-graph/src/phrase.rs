//! Phrase-structure trees: Penn and Chinese Treebank brackets with traces and functional tags.

use crate::Text;

/// A bracketed tree as the file has it.
///
/// Labels are verbatim (`NP-SBJ-1`, `WHNP-2`, `NP=1`, and the empty label of the outermost brackets);
/// what they mean is for the conversion to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phrase {
    /// A part-of-speech tag over one word; traces are words under `-NONE-`.
    Leaf {
        /// The tag, functional tags included.
        tag: Text,
        /// The word or the trace (`*T*-1`).
        word: Text,
    },
    /// A label over one or more children.
    Node {
        /// The category with its functional tags and indices.
        label: Text,
        /// The children in order.
        children: Vec<Phrase>,
    },
}

impl Phrase {
    /// The label of a node or the tag of a leaf.
    pub fn label(&self) -> &Text {
        match self {
            Phrase::Leaf { tag, .. } => tag,
            Phrase::Node { label, .. } => label,
        }
    }

    /// The children; none for a leaf.
    pub fn children(&self) -> &[Phrase] {
        match self {
            Phrase::Leaf { .. } => &[],
            Phrase::Node { children, .. } => children,
        }
    }
}
