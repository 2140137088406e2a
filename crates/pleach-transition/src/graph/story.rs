//! The derivation of a sentence as data: every configuration on the way, with the words' own numbers.

use super::labels::{EncodeError, Labels};
use super::oracle::{Derivation, Gold, oracle};
use super::settings::{Preset, Root, Settings, TwoCycles};
use super::system::System;
use super::trace::{Line, step_name, trace};
use crate::Node;
use pleach_graph::{Graph, Sentence, Text};
use serde::Serialize;

/// What a system may do beyond its preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Where the root is.
    pub root: Root,
    /// How two-cycles are made.
    pub two_cycles: TwoCycles,
    /// Whether words may be linked to themselves.
    pub self_arcs: bool,
    /// Whether SHIFT carries the frames of the words.
    pub supertags: bool,
    /// Whether labels are put aside.
    pub unlabelled: bool,
}

/// A system that reads in one direction, and the labels it has seen.
#[derive(Clone, Debug)]
pub struct Narrator {
    /// The preset's name.
    pub name: String,
    /// The system.
    pub system: System,
    /// The labels.
    pub labels: Labels,
    reversed: bool,
}

/// An arc by the words' numbers, 0 for the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoryArc {
    /// The head.
    pub head: usize,
    /// The dependent.
    pub dependent: usize,
    /// The labels.
    pub labels: Vec<String>,
}

/// A configuration and the transition that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// The transition; none for the first configuration.
    pub transition: Option<String>,
    /// The stack or list, the top last.
    pub stack: Vec<usize>,
    /// The second stack or list.
    pub second: Vec<usize>,
    /// The buffer, the front first.
    pub buffer: Vec<usize>,
    /// The arcs that the transition has added.
    pub added: Vec<StoryArc>,
}

/// A derivation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Story {
    /// The sentence's name.
    pub sent_id: Option<String>,
    /// The system's name.
    pub system: String,
    /// Where the root is.
    pub root: &'static str,
    /// The words.
    pub words: Vec<String>,
    /// The configurations.
    pub configurations: Vec<Configuration>,
    /// The arcs that are out of reach.
    pub lost: Vec<StoryArc>,
}

impl Narrator {
    /// A system with its options.
    pub fn new(preset: Preset, choices: Choices) -> Narrator {
        let Choices { root, two_cycles, self_arcs, supertags, unlabelled } = choices;
        let (name, reversed) = (preset.to_string(), preset.reversed);
        let settings = Settings { root, self_arcs, supertags, two_cycles, ..preset.settings };
        let labels = Labels::new(&settings, unlabelled);
        Narrator { name, reversed, system: System::new(&settings), labels }
    }

    /// A system that a model has, with the model's labels.
    pub fn of(system: System, labels: Labels, reversed: bool) -> Narrator {
        let name = Preset { settings: system.settings().clone(), reversed }.to_string();
        Narrator { name, system, labels, reversed }
    }

    /// The system's settings.
    pub fn settings(&self) -> &Settings {
        self.system.settings()
    }

    /// The graph of a sentence without empty nodes as the system reads it, and how it is built.
    ///
    /// # Errors
    /// When the sentence is too long or has too many labels.
    pub fn derive(&mut self, sentence: &Sentence) -> Result<(Gold, Derivation), EncodeError> {
        let mut frames: Vec<Text> = sentence.tokens.iter().map(|token| token.frame.clone()).collect();
        let mirrored: Graph;
        let mut graph = &sentence.graph;
        if self.reversed {
            frames.reverse();
            mirrored = graph.mirrored();
            graph = &mirrored;
        }
        let gold = self.labels.encode(graph, &frames)?;
        let derivation = oracle(&self.system, &gold);
        Ok((gold, derivation))
    }

    /// The number of a word in the file's order, for one in reading order.
    pub fn place(&self, node: Node, len: usize) -> usize {
        if self.reversed && node != 0 { len + 1 - usize::from(node) } else { usize::from(node) }
    }

    /// Tells a derivation.
    pub fn tell(&self, sentence: &Sentence, lines: &[Line], derivation: &Derivation) -> Story {
        let len = sentence.len();
        let nodes =
            |nodes: &[Node]| -> Vec<usize> { nodes.iter().map(|&node| self.place(node, len)).collect() };
        let arcs = |arcs: &[(Node, Node, u16)]| -> Vec<StoryArc> {
            let arc = |&(head, dependent, set): &(Node, Node, u16)| StoryArc {
                head: self.place(head, len),
                dependent: self.place(dependent, len),
                labels: self.labels.set(set).iter().map(Text::to_string).collect(),
            };
            arcs.iter().map(arc).collect()
        };
        let configuration = |line: &Line| Configuration {
            transition: line.step.map(|step| step_name(step, &self.labels)),
            stack: nodes(&line.stack),
            second: nodes(&line.second),
            buffer: nodes(&line.buffer),
            added: arcs(&line.added),
        };
        Story {
            sent_id: sentence.sent_id().map(str::to_owned),
            system: self.name.clone(),
            root: self.settings().root.name(),
            words: sentence.tokens.iter().map(|token| token.form.to_string()).collect(),
            configurations: lines.iter().map(configuration).collect(),
            lost: arcs(&derivation.lost),
        }
    }

    /// Derives a sentence without empty nodes and tells it.
    ///
    /// # Errors
    /// As for [`Narrator::derive`].
    pub fn story(&mut self, sentence: &Sentence) -> Result<Story, EncodeError> {
        let (gold, derivation) = self.derive(sentence)?;
        let lines = trace(&self.system, gold.len(), &derivation.steps);
        Ok(self.tell(sentence, &lines, &derivation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::NodeId;

    #[test]
    fn reversed_systems_tell_the_files_numbers() {
        let mut sentence = Sentence::from_forms(["a", "b", "c"]);
        for (head, dependent, label) in [(0, 1, "root"), (1, 3, "x")] {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        for name in ["s2s-combined", "s2s-combined-rev"] {
            let mut narrator = Narrator::new(name.parse().unwrap(), Choices::default());
            let story = narrator.story(&sentence).unwrap();
            let mut made: Vec<(usize, usize)> = story
                .configurations
                .iter()
                .flat_map(|configuration| configuration.added.iter().map(|arc| (arc.head, arc.dependent)))
                .collect();
            made.sort_unstable();
            assert_eq!(made, [(0, 1), (1, 3)], "{name}");
            assert!(story.lost.is_empty());
        }
    }
}
