//! Label sets by number.
//!
//! An ordered pair of words can carry several labels, so what a parser gives to a pair is a *set* of labels; the sets of
//! a training corpus get numbers 1, 2, … in order of appearance, and a model keeps them.

use crate::node::MAX_WORDS;
use crate::{Arc, Graph, Node, NodeId, Text};
use std::collections::HashMap;

/// The label that all labels become in unlabelled parsing.
pub const UNLABELLED: &str = "_";

/// Why a graph can't be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The sentence has too many words.
    #[error("a sentence of {0} words is too long: at most {MAX_WORDS} can be parsed")]
    TooLong(usize),
    /// There are too many different label sets or tags.
    #[error("more than 65535 different {0}")]
    TooMany(&'static str),
}

/// Numbers for values in order of appearance, from 1; 0 stands for the empty value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    values: Vec<Vec<Text>>,
    index: HashMap<Vec<Text>, u16>,
}

impl Numbers {
    /// The numbers that a model file has kept: what [`Numbers::to_strings`] gave.
    pub fn from_strings(values: Vec<Vec<String>>) -> Numbers {
        let texts = |value: Vec<String>| value.into_iter().map(Text::from).collect();
        let values: Vec<Vec<Text>> = values.into_iter().map(texts).collect();
        let numbered = values.iter().enumerate();
        let index = numbered.filter_map(|(i, value)| Some((value.clone(), u16::try_from(i + 1).ok()?)));
        Numbers { index: index.collect(), values }
    }

    /// The number of a value, a new one if need be; `what` is for error messages.
    pub fn number(&mut self, value: &[Text], what: &'static str) -> Result<u16, EncodeError> {
        if value.iter().all(|text| text.is_empty()) && value.len() <= 1 {
            return Ok(0);
        }
        if let Some(&number) = self.index.get(value) {
            return Ok(number);
        }
        let number = u16::try_from(self.values.len() + 1).map_err(|_| EncodeError::TooMany(what))?;
        self.values.push(value.to_vec());
        self.index.insert(value.to_vec(), number);
        Ok(number)
    }

    /// The value of a number; empty for 0 and for unknown numbers.
    pub fn value(&self, number: u16) -> &[Text] {
        let place = usize::from(number).wrapping_sub(1);
        self.values.get(place).map_or(&[], Vec::as_slice)
    }

    /// All values; the first one has number 1.
    pub fn to_strings(&self) -> Vec<Vec<String>> {
        self.values.iter().map(|value| value.iter().map(Text::to_string).collect()).collect()
    }
}

/// The label sets of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSets {
    unlabelled: bool,
    numbers: Numbers,
}

/// An arc whose labels are a numbered set: head, dependent, set.
pub type NumberedArc = (Node, Node, u16);

impl LabelSets {
    /// No labels yet. `unlabelled` makes all labels one.
    pub fn new(unlabelled: bool) -> Self {
        LabelSets { unlabelled, numbers: Numbers::default() }
    }

    /// The sets that a model file has kept: what [`LabelSets::values`] gave.
    pub fn from_values(unlabelled: bool, sets: Vec<Vec<String>>) -> Self {
        LabelSets { unlabelled, numbers: Numbers::from_strings(sets) }
    }

    /// Whether all labels are one.
    pub fn is_unlabelled(&self) -> bool {
        self.unlabelled
    }

    /// How many sets there are; their numbers are `1..=len`.
    pub fn len(&self) -> usize {
        self.numbers.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sets by number; the first is number 1.
    pub fn values(&self) -> Vec<Vec<String>> {
        self.numbers.to_strings()
    }

    /// The labels of a set; none for number 0 and for unknown numbers.
    pub fn set(&self, number: u16) -> &[Text] {
        self.numbers.value(number)
    }

    /// The number of a set, if the model has it.
    pub fn number_of<'a>(&self, labels: impl Iterator<Item = &'a str>) -> Option<u16> {
        self.numbers.index.get(&labels.map(Text::from).collect::<Vec<_>>()).copied()
    }

    /// The labels that a pair's arcs have for this model.
    pub fn labels_of(&self, pair: &[Arc]) -> Vec<Text> {
        match self.unlabelled {
            true => vec![Text::from(UNLABELLED)],
            false => pair.iter().map(|arc| arc.label.clone()).collect(),
        }
    }

    /// The number of a set, a new one if need be. An arc without a label gets [`UNLABELLED`].
    pub fn number(&mut self, set: &[Text]) -> Result<u16, EncodeError> {
        match self.numbers.number(set, "label sets")? {
            0 => self.numbers.number(&[Text::from(UNLABELLED)], "label sets"),
            number => Ok(number),
        }
    }

    /// The arcs of a graph with numbered sets, giving numbers to new ones; each ordered pair once, in the graph's order.
    pub fn encode(&mut self, graph: &Graph) -> Result<Vec<NumberedArc>, EncodeError> {
        if graph.len() > MAX_WORDS {
            return Err(EncodeError::TooLong(graph.len()));
        }
        pairs(graph)
            .map(|pair| {
                let set = self.number(&self.labels_of(pair))?;
                Ok((pair[0].head.0 as Node, pair[0].dependent.0 as Node, set))
            })
            .collect()
    }

    /// The same without new numbers; `None` when there is a set that has none.
    pub fn encode_known(&self, graph: &Graph) -> Option<Vec<NumberedArc>> {
        let number = |pair: &[Arc]| {
            let set = self.number_of(self.labels_of(pair).iter().map(Text::as_str))?;
            Some((pair[0].head.0 as Node, pair[0].dependent.0 as Node, set))
        };
        if graph.len() > MAX_WORDS { None } else { pairs(graph).map(number).collect() }
    }

    /// The arcs that a numbered one stands for.
    pub fn decode(&self, (head, dependent, set): NumberedArc) -> impl Iterator<Item = Arc> {
        let (head, dependent) = (NodeId(head.into()), NodeId(dependent.into()));
        self.set(set).iter().map(move |label| Arc { head, dependent, label: label.clone() })
    }
}

/// The arcs of a graph by ordered pairs: they are sorted, so the labels of a pair stand together.
pub fn pairs(graph: &Graph) -> impl Iterator<Item = &[Arc]> {
    graph.arcs().chunk_by(|a, b| (a.head, a.dependent) == (b.head, b.dependent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_back() {
        let mut graph = Graph::new(2);
        for (head, dependent, label) in [(0, 2, "root"), (2, 1, "nsubj"), (2, 1, "xsubj"), (1, 2, "nsubj")] {
            graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        let mut sets = LabelSets::new(false);
        let arcs = sets.encode(&graph).unwrap();
        assert_eq!(sets.len(), 3);
        let again = LabelSets::from_values(false, sets.values());
        assert_eq!(again, sets);
        let back = arcs.into_iter().flat_map(|arc| again.decode(arc).collect::<Vec<_>>());
        assert_eq!(Graph::from_arcs(2, back.collect()), graph);
        assert_eq!(sets.number_of(["nsubj", "xsubj"].into_iter()), Some(1));
    }

    #[test]
    fn unlabelled_sets_are_one_and_a_missing_label_is_a_label() {
        let mut graph = Graph::new(1);
        graph.insert(NodeId(0), NodeId(1), Text::default());
        for unlabelled in [false, true] {
            let mut sets = LabelSets::new(unlabelled);
            sets.encode(&graph).unwrap();
            assert_eq!(sets.values(), [[UNLABELLED]]);
        }
        let long = LabelSets::new(false).encode(&Graph::new(MAX_WORDS + 1));
        assert_eq!(long, Err(EncodeError::TooLong(MAX_WORDS + 1)));
    }
}
