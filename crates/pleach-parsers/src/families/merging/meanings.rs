//! What the labels of three tree models say about edges.

use super::tagged::Tagged;
use crate::trees::Said;
use pleach_decode::merge::TREES;
use pleach_graph::Text;
use std::collections::BTreeMap;

/// A label of a tree model that makes a statement: its number and its tag.
pub(super) type Saying = (u32, u32);

/// What the labels of one tree say about the edges of arcs that go to one side.
#[derive(Debug, Default)]
struct Side {
    /// By label, what it says; one more than there are readings for no statement.
    by_label: Vec<u32>,
    /// By reading, the labels that say it, in order.
    sayings: Vec<Vec<Saying>>,
}

/// The meanings of all labels of three tree models.
#[derive(Debug)]
pub(super) struct Meanings {
    /// For arcs to the right and for arcs to the left.
    sides: [[Side; 2]; TREES],
    /// The labels that say nothing.
    silent: [Vec<u32>; TREES],
    /// What can be said about an edge, from its left end to its right one.
    pub said: Vec<Said>,
}

impl Meanings {
    /// Numbers what the labels of the models say.
    pub fn new(labels: [&[Text]; TREES]) -> Self {
        let mut numbers: BTreeMap<Said, u32> = BTreeMap::new();
        let mut readings = Vec::new();
        let mut number = |said: Said| {
            *numbers.entry(said).or_insert_with_key(|said| {
                readings.push(said.clone());
                readings.len() as u32 - 1
            })
        };
        // What each label says when its arc goes to the right and when it goes to the left, and its tag.
        let meanings = labels.map(|labels| {
            let meaning = |name: &Text| {
                let Tagged { said, tag } = Tagged::parse(name);
                (!said.is_nothing()).then(|| ([number(said.clone()), number(said.turned())], tag))
            };
            labels.iter().map(meaning).collect::<Vec<_>>()
        });
        let mut sides: [[Side; 2]; TREES] = Default::default();
        let mut silent: [Vec<u32>; TREES] = Default::default();
        for ((meanings, sides), silent) in meanings.iter().zip(&mut sides).zip(&mut silent) {
            for (number, Side { by_label, sayings }) in sides.iter_mut().enumerate() {
                sayings.resize_with(readings.len(), Vec::new);
                for (label, meaning) in meanings.iter().enumerate() {
                    by_label.push(meaning.map_or(readings.len() as u32, |(read, _)| read[number]));
                    if let Some((read, tag)) = meaning {
                        sayings[read[number] as usize].push((label as u32, *tag));
                    }
                }
            }
            let nothing = meanings.iter().enumerate().filter(|(_, meaning)| meaning.is_none());
            silent.extend(nothing.map(|(label, _)| label as u32));
        }
        Meanings { sides, silent, said: readings }
    }

    /// What each label of a tree says about the edge of an arc that goes to a side: the number of the reading, or one more than there
    /// are for nothing.
    pub fn by_label(&self, tree: usize, side: usize) -> &[u32] {
        &self.sides[tree][side].by_label
    }

    /// The labels of a tree that say something about the edge of an arc that goes to a side, in order.
    pub fn sayings(&self, tree: usize, side: usize, reading: u32) -> &[Saying] {
        &self.sides[tree][side].sayings[reading as usize]
    }

    /// The labels of a tree that say nothing.
    pub fn silent(&self, tree: usize) -> &[u32] {
        &self.silent[tree]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a label says and the labels that say something are the same table, read from either end.
    #[test]
    fn labels_and_readings_agree() {
        let texts = |labels: &[&str]| labels.iter().copied().map(Text::from).collect::<Vec<_>>();
        let labels = [texts(&["None", "a#0", "a~R#2", "a#2"]), texts(&["a~b~R#0", "None"]), texts(&["b#1"])];
        let meanings = Meanings::new(labels.each_ref().map(Vec::as_slice));
        let none = meanings.said.len() as u32;
        for (tree, labels) in labels.iter().enumerate() {
            for (side, label) in (0..2).flat_map(|side| (0..labels.len()).map(move |label| (side, label))) {
                let reading = meanings.by_label(tree, side)[label];
                let Tagged { said, tag } = Tagged::parse(&labels[label]);
                assert_eq!(reading == none, said.is_nothing());
                assert_eq!(meanings.silent(tree).contains(&(label as u32)), said.is_nothing());
                if reading != none {
                    let seen = if side == 0 { said } else { said.turned() };
                    assert_eq!(meanings.said[reading as usize], seen);
                    assert!(meanings.sayings(tree, side, reading).contains(&(label as u32, tag)));
                }
            }
        }
        let (first, to_the_right) = (meanings.by_label(0, 0), meanings.by_label(0, 1)[2]);
        // An arc against the tree's is, from the other end, one along it.
        assert_eq!((first[1], first[3]), (to_the_right, to_the_right));
        assert_eq!(meanings.sayings(0, 0, first[1]), [(1, 0), (3, 2)]);
    }
}
