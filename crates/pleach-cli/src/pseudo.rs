//! Graphs as pseudo trees and back, on their way from one file to another.

use crate::say::say;
use clap::Args;
use pleach::trees::{Converter, Kept, graph_of};
use pleach_graph::enhanced::drop_empty_nodes;
use pleach_graph::{Sentence, Tree};

/// What to do with trees.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Pseudo trees")]
pub struct PseudoArgs {
    /// Write into HEAD and DEPREL the projective tree that keeps most of the graph: X for an arc of the graph, X~R for
    /// one that is turned round, None for none
    #[arg(long, conflicts_with = "t2g")]
    g2t: bool,

    /// Take the graph from such a tree
    #[arg(long)]
    t2g: bool,
}

/// A conversion under way.
#[derive(Debug)]
pub struct PseudoTrees {
    args: PseudoArgs,
    converter: Converter,
    kept: Kept,
}

impl PseudoTrees {
    /// The conversion that was asked for.
    pub fn new(args: PseudoArgs) -> Self {
        PseudoTrees { args, converter: Converter::default(), kept: Kept::default() }
    }

    /// Changes a sentence.
    pub fn apply(&mut self, sentence: &mut Sentence) {
        if self.args.g2t {
            if sentence.has_empty_nodes() {
                pleach_graph::enhanced::collapse(sentence);
            }
            let Kept { arcs, kept, reversed } = self.converter.convert(sentence);
            self.kept.arcs += arcs;
            self.kept.kept += kept;
            self.kept.reversed += reversed;
        }
        if self.args.t2g {
            drop_empty_nodes(sentence);
            if let Some(tree) = Tree::of(sentence) {
                sentence.graph = graph_of(&tree);
            }
        }
    }

    /// Says how much of the graphs the trees keep.
    pub fn report(&self) {
        if self.args.g2t {
            let Kept { arcs, kept, reversed } = self.kept;
            let share = 100.0 * kept as f64 / arcs.max(1) as f64;
            say!("the trees keep {kept} of {arcs} arcs ({share:.2} %), {reversed} of them turned round");
        }
    }
}
