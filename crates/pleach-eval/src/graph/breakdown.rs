//! The labelled and unlabelled scores of some arcs: by label, by length, local and non-local, crossing.
//!
//! An arc is non-local when its dependent has more than one head, tops not counted, in gold or in the
//! system's graph: SemEval-2016's notion, for any graph. Grammatical relations of Chinese (Sun et al. 2019)
//! also mark long-distance dependencies in their labels (`subj*ldd`).

use super::crossing::Crossing;
use super::locality::{LONG_DISTANCE, Locality};
use super::merge::{Pairs, merge};
use crate::ArcCounts;
use pleach_graph::{Graph, Text};
use std::collections::BTreeMap;

/// Labelled and unlabelled counts of a group of arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Arcs with their labels.
    pub labelled: ArcCounts,
    /// Ordered pairs.
    pub unlabelled: ArcCounts,
}

impl Group {
    fn merge(&mut self, other: &Group) {
        self.labelled += other.labelled;
        self.unlabelled += other.unlabelled;
    }
}

/// The names of the length groups; SDP's scorer has them from 1 on, 0 is for self-loops.
pub const LENGTHS: [&str; 7] = ["0", "1", "2", "3", "4", "5-9", "10+"];

fn length_group(length: u32) -> usize {
    match length {
        0..=4 => length as usize,
        5..=9 => 5,
        _ => 6,
    }
}

/// Scores of groups of arcs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// By label, arcs from the root included.
    pub by_label: BTreeMap<Text, ArcCounts>,
    /// By the distance of head and dependent, in the groups of [`LENGTHS`].
    pub by_length: [Group; LENGTHS.len()],
    /// The same with arcs from the root, as long as their dependent's number.
    pub by_length_with_tops: [Group; LENGTHS.len()],
    /// Arcs into tokens with at most one head in gold and in the system's graph.
    pub local: Group,
    /// Arcs into tokens with several heads in gold or in the system's graph.
    pub non_local: Group,
    /// Arcs whose label is marked as a long-distance dependency (`*ldd`).
    pub long_distance: ArcCounts,
    /// Recall of local and non-local arcs of gold.
    pub locality: Locality,
    /// Arcs that cross others.
    pub crossing: Crossing,
}

impl Breakdown {
    /// No sentences yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one sentence.
    pub fn add(&mut self, gold: &Graph, system: &Graph) {
        self.locality.add(gold, system);
        self.crossing.add(gold, system);
        let mut reentrant = vec![false; gold.len().max(system.len()) + 1];
        for graph in [gold, system] {
            for (one, other) in graph.arcs().iter().zip(graph.arcs().iter().skip(1)) {
                if one.dependent == other.dependent && one.head != other.head && !one.head.is_root() {
                    reentrant[one.dependent.index()] = true;
                }
            }
        }
        for found in merge(gold.arcs(), system.arcs()) {
            let (arc, in_gold, in_system) = (found.arc, found.in_gold, found.in_system);
            match self.by_label.get_mut(&arc.label) {
                Some(counts) => counts.count(in_gold, in_system),
                None => {
                    self.by_label.entry(arc.label.clone()).or_default().count(in_gold, in_system);
                }
            }
            if arc.label.contains(LONG_DISTANCE) {
                self.long_distance.count(in_gold, in_system);
            }
            let length = length_group(arc.length());
            self.by_length_with_tops[length].labelled.count(in_gold, in_system);
            if !arc.head.is_root() {
                self.by_length[length].labelled.count(in_gold, in_system);
                self.group(reentrant[arc.dependent.index()]).labelled.count(in_gold, in_system);
            }
        }
        for pair in Pairs::new(gold.arcs(), system.arcs()) {
            let length = length_group(pair.head.0.abs_diff(pair.dependent.0));
            self.by_length_with_tops[length].unlabelled.count(pair.in_gold, pair.in_system);
            if !pair.head.is_root() {
                self.by_length[length].unlabelled.count(pair.in_gold, pair.in_system);
                let group = self.group(reentrant[pair.dependent.index()]);
                group.unlabelled.count(pair.in_gold, pair.in_system);
            }
        }
    }

    fn group(&mut self, reentrant: bool) -> &mut Group {
        if reentrant { &mut self.non_local } else { &mut self.local }
    }

    /// Adds what another scorer has counted.
    pub fn merge(&mut self, other: &Breakdown) {
        for (label, counts) in &other.by_label {
            *self.by_label.entry(label.clone()).or_default() += *counts;
        }
        for (mine, theirs) in self.by_length.iter_mut().zip(&other.by_length) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.by_length_with_tops.iter_mut().zip(&other.by_length_with_tops) {
            mine.merge(theirs);
        }
        self.local.merge(&other.local);
        self.non_local.merge(&other.non_local);
        self.long_distance += other.long_distance;
        self.locality.merge(&other.locality);
        self.crossing.merge(&other.crossing);
    }
}
