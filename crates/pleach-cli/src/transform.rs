//! Changes to graphs on their way from one file to another.

use clap::Args;
use pleach_formats::Format;
use pleach_graph::Sentence;
use pleach_graph::enhanced::{collapse, collapse_keeping, delexicalise, expand, lexicalise};

/// What to do with the graphs.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Transforms")]
pub struct TransformArgs {
    /// Fold empty nodes into path labels such as conj>nsubj; CoNLL-U keeps the nodes in comments, so that
    /// --expand-empty restores them exactly
    #[arg(long, conflicts_with = "expand_empty")]
    collapse_empty: bool,

    /// Undo --collapse-empty
    #[arg(long)]
    expand_empty: bool,

    /// Write placeholders for the words in labels: obl:[case] for obl:because_of
    #[arg(long, visible_alias = "delexicalize", conflicts_with = "lexicalise")]
    delexicalise: bool,

    /// Undo --delexicalise
    #[arg(long, visible_alias = "lexicalize")]
    lexicalise: bool,

    /// Take the basic tree (HEAD and DEPREL) as the graph, for formats that have no trees
    #[arg(long)]
    tree_as_graph: bool,
}

impl TransformArgs {
    /// Changes a sentence that will be written as `to`. What undoes a change goes first, so that one of
    /// either kind can be asked for together.
    pub fn apply(self, sentence: &mut Sentence, to: Format) {
        if self.tree_as_graph
            && let Some(tree) = sentence.tree()
        {
            sentence.graph = tree;
            for token in &mut sentence.tokens {
                // CoNLL formats still say HEAD and DEPREL; in the others the tree is now the graph, not lost.
                if !matches!(to, Format::Conllu | Format::Jsonl | Format::ConllX | Format::Conll09) {
                    token.head = None;
                    token.deprel.clear();
                }
            }
        }
        if self.lexicalise {
            sentence.graph = lexicalise(sentence);
        }
        if self.expand_empty {
            expand(sentence);
        }
        if self.collapse_empty {
            match to {
                Format::Conllu | Format::Jsonl => collapse_keeping(sentence),
                _ => collapse(sentence),
            }
        }
        if self.delexicalise {
            sentence.graph = delexicalise(sentence);
        }
    }
}
