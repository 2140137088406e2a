//! What the labels of three tree models say about edges.

use super::tagged::Tagged;
use crate::trees::Said;
use pleach_decode::merge::TREES;
use pleach_graph::Text;
use std::collections::BTreeMap;

/// What a label of a tree model says: the number of what it says as seen from the left end, and its tag.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    /// For arcs to the right and for arcs to the left; `None` for no statement.
    readings: Option<[u32; 2]>,
    tag: u32,
}

/// The meanings of all labels of three tree models.
#[derive(Debug)]
pub(super) struct Meanings {
    labels: [Vec<Meaning>; TREES],
    /// What can be said about an edge, from its left end to its right one.
    pub readings: Vec<Said>,
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
        let mut meaning = |name: &Text| {
            let Tagged { said, tag } = Tagged::parse(name);
            let readings = (!said.is_nothing()).then(|| [number(said.clone()), number(said.turned())]);
            Meaning { readings, tag }
        };
        let labels = labels.map(|labels| labels.iter().map(&mut meaning).collect());
        Meanings { labels, readings }
    }

    /// What a label says about an edge when it is that of an arc: the number of its reading, and its tag.
    pub fn says(&self, tree: usize, label: usize, (head, dependent): (u32, u32)) -> Option<(u32, u32)> {
        let meaning = self.labels[tree][label];
        let [right, left] = meaning.readings?;
        Some((if head < dependent { right } else { left }, meaning.tag))
    }
}
