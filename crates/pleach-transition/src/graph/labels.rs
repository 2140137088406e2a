//! From labelled graphs to what oracles and systems handle, and back.
//!
//! The labels of a pair are a numbered set ([`LabelSets`]). Tags have numbers of their own: SHIFT's tag is the frame
//! (supertag) of the word, and, in systems without a root, the labels of its arc from the root.

use super::oracle::Gold;
use super::settings::{Root, Settings};
use super::state::State;
use crate::{MAX_WORDS, Node};
use pleach_graph::encoded::{LabelSets, Numbers, pairs};
use pleach_graph::{Arc, Graph, NodeId, Text};

pub use pleach_graph::encoded::{EncodeError, UNLABELLED};

/// The label sets and tags of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    rootless: bool,
    supertags: bool,
    sets: LabelSets,
    /// The frame first, then the labels of the arc from the root.
    tags: Numbers,
}

impl Labels {
    /// No labels yet. `unlabelled` makes all labels one.
    pub fn new(settings: &Settings, unlabelled: bool) -> Labels {
        Labels::from_values(settings, unlabelled, Vec::new(), Vec::new())
    }

    /// The labels that a model file has kept: what [`Labels::sets`] and [`Labels::tags`] gave.
    pub fn from_values(
        settings: &Settings,
        unlabelled: bool,
        sets: Vec<Vec<String>>,
        tags: Vec<Vec<String>>,
    ) -> Labels {
        Labels {
            rootless: settings.root == Root::None,
            supertags: settings.supertags,
            sets: LabelSets::from_values(unlabelled, sets),
            tags: Numbers::from_strings(tags),
        }
    }

    /// Whether all labels are one.
    pub fn is_unlabelled(&self) -> bool {
        self.sets.is_unlabelled()
    }

    /// The label sets by number; the first is number 1.
    pub fn sets(&self) -> Vec<Vec<String>> {
        self.sets.values()
    }

    /// The tags by number; the first is number 1. A tag is a frame and the labels of a top.
    pub fn tags(&self) -> Vec<Vec<String>> {
        self.tags.to_strings()
    }

    /// The labels of a label set; none for number 0 and for unknown numbers.
    pub fn set(&self, number: u16) -> &[Text] {
        self.sets.set(number)
    }

    /// The number of a label set, if the model has it.
    pub fn number_of<'a>(&self, labels: impl Iterator<Item = &'a str>) -> Option<u16> {
        self.sets.number_of(labels)
    }

    /// The frame in a tag; empty for number 0.
    pub fn frame(&self, tag: u16) -> Text {
        self.tags.value(tag).first().cloned().unwrap_or_default()
    }

    /// A tag for people: the frame and the labels of a top; empty for number 0.
    pub fn tag_name(&self, tag: u16) -> String {
        let [frame, top @ ..] = self.tags.value(tag) else { return String::new() };
        let top = if top.is_empty() { String::new() } else { format!("top {}", top.join("|")) };
        let comma = if frame.is_empty() || top.is_empty() { "" } else { ", " };
        format!("{frame}{comma}{top}")
    }

    /// Encodes a graph, giving numbers to new label sets and tags.
    ///
    /// `frames` are the frames of the words in order, used if the system has supertags; it may be empty.
    pub fn encode(&mut self, graph: &Graph, frames: &[Text]) -> Result<Gold, EncodeError> {
        let len = graph.len();
        if len > MAX_WORDS {
            return Err(EncodeError::TooLong(len));
        }
        let mut tags: Vec<Vec<Text>> = vec![Vec::new(); len + 1];
        if self.supertags {
            for (tag, frame) in tags[1..].iter_mut().zip(frames) {
                tag.push(frame.clone());
            }
        }
        let mut arcs: Vec<(Node, Node, u16)> = Vec::with_capacity(graph.arcs().len());
        for pair in pairs(graph) {
            let (head, dependent) = (pair[0].head, pair[0].dependent);
            let set = self.sets.labels_of(pair);
            if self.rootless && head.is_root() {
                let tag = &mut tags[dependent.index()];
                if tag.is_empty() {
                    tag.push(Text::default());
                }
                tag.extend(set);
            } else {
                arcs.push((head.0 as Node, dependent.0 as Node, self.sets.number(&set)?));
            }
        }
        let tags = tags.iter().map(|tag| self.tags.number(tag, "tags"));
        let tags = tags.collect::<Result<_, _>>()?;
        Ok(Gold::new(len, &arcs).with_tags(tags))
    }

    /// The graph of a configuration.
    pub fn decode(&self, state: &State) -> Graph {
        let mut arcs = Vec::new();
        let mut add = |head: Node, dependent: Node, labels: &[Text]| {
            let (head, dependent) = (NodeId(head.into()), NodeId(dependent.into()));
            arcs.extend(labels.iter().map(|label| Arc { head, dependent, label: label.clone() }));
        };
        for (head, dependent, set) in state.arcs() {
            add(head, dependent, self.set(set));
        }
        if self.rootless {
            for (node, &tag) in state.tags.iter().enumerate().skip(1) {
                add(0, node as Node, self.tags.value(tag).get(1..).unwrap_or_default());
            }
        }
        Graph::from_arcs(usize::from(state.len), arcs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::oracle;
    use super::super::settings::Kind;
    use super::super::system::System;
    use super::*;

    fn graph() -> Graph {
        let mut graph = Graph::new(3);
        for (head, dependent, label) in [
            (0, 2, "root"),
            (0, 3, "root"),
            (0, 3, "top"),
            (2, 1, "nsubj"),
            (2, 1, "xsubj"),
            (1, 2, "acl:relcl"),
            (2, 3, "obj"),
        ] {
            graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        graph
    }

    fn through(settings: &Settings, labels: &mut Labels, frames: &[Text]) -> (Graph, State) {
        let gold = labels.encode(&graph(), frames).unwrap();
        let system = System::new(settings);
        let derivation = oracle(&system, &gold);
        assert_eq!(derivation.lost, []);
        let mut state = State::default();
        system.start(3, &mut state);
        for step in derivation.steps {
            system.perform(step, &mut state);
        }
        (labels.decode(&state), state)
    }

    #[test]
    fn graphs_come_back_with_label_sets_tops_and_frames() {
        for root in Root::ALL {
            let settings = Settings { root, supertags: true, ..Settings::new(Kind::TwoStack, true) };
            let mut labels = Labels::new(&settings, false);
            let frames = ["".into(), "see:e-i-p".into(), "n:x".into()];
            let (back, state) = through(&settings, &mut labels, &frames);
            assert_eq!(back, graph());
            let found: Vec<Text> = state.tags[1..].iter().map(|&tag| labels.frame(tag)).collect();
            assert_eq!(found, frames);
            // A model file keeps the values only.
            let again = Labels::from_values(&settings, false, labels.sets(), labels.tags());
            assert_eq!(again, labels);
            assert_eq!(again.decode(&state), graph());
        }
    }

    #[test]
    fn unlabelled_graphs_have_one_label() {
        let settings = Settings::new(Kind::List, false);
        let mut labels = Labels::new(&settings, true);
        let (back, _) = through(&settings, &mut labels, &[]);
        assert_eq!(back, graph().map_labels(|_| Text::from(UNLABELLED)));
        assert_eq!(labels.sets(), [[UNLABELLED]]);
    }

    #[test]
    fn a_sentence_can_be_too_long() {
        let mut labels = Labels::new(&Settings::new(Kind::List, false), false);
        let error = labels.encode(&Graph::new(MAX_WORDS + 1), &[]).unwrap_err();
        assert_eq!(error, EncodeError::TooLong(MAX_WORDS + 1));
    }
}
