//! Table 2 and Figure 8 of Sun et al. (2019): how many arcs the graphs share with the surface trees, and how
//! the relations are distributed in both.

use crate::{Conversion, is_long_distance};
use pleach_graph::NodeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Counts over converted sentences; root arcs count as arcs, as in the paper.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Sentences.
    pub sentences: u64,
    /// Words.
    pub words: u64,
    /// Sentences without any head.
    pub headless: u64,
    /// Arcs of the surface trees.
    pub tree: u64,
    /// Unlabelled arcs of the graphs.
    pub graph: u64,
    /// Unlabelled arcs that both have.
    pub shared: u64,
    /// Labelled arcs of the graphs that are marked as long-distance.
    pub long_distance: u64,
    /// Labelled arcs of the graphs.
    pub labelled: u64,
    /// Relations with their counts in trees and graphs, marks taken off.
    pub relations: BTreeMap<String, (u64, u64)>,
}

impl Statistics {
    /// Counts one more sentence.
    pub fn add(&mut self, conversion: &Conversion) {
        self.sentences += 1;
        self.words += conversion.surface.len() as u64;
        self.headless += u64::from(conversion.is_headless());
        let tree: BTreeSet<(NodeId, NodeId)> = conversion
            .surface
            .iter()
            .enumerate()
            .map(|(i, attachment)| (attachment.head, NodeId(i as u32 + 1)))
            .collect();
        let graph = conversion.graph.unlabelled();
        self.tree += tree.len() as u64;
        self.graph += graph.arcs().len() as u64;
        self.shared +=
            graph.arcs().iter().filter(|arc| tree.contains(&(arc.head, arc.dependent))).count() as u64;
        for arc in conversion.graph.arcs() {
            self.labelled += 1;
            self.long_distance += u64::from(is_long_distance(&arc.label));
            self.relations.entry(relation(&arc.label).to_owned()).or_default().1 += 1;
        }
        for attachment in &conversion.surface {
            self.relations.entry(relation(attachment.label).to_owned()).or_default().0 += 1;
        }
    }
}

/// A label without its marks: `SBJ*ba*ldd*` and `SBJbei` are subjects.
fn relation(label: &str) -> &str {
    let plain = label.split('*').next().unwrap_or(label);
    plain.strip_suffix("bei").unwrap_or(plain)
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} sentences, {} words, {} without a head", self.sentences, self.words, self.headless)?;
        writeln!(f, "\n{:<14}{:>10}", "", "#Arc")?;
        let rows = [
            ("Tree", self.tree),
            ("Graph", self.graph),
            ("Graph∩Tree", self.shared),
            ("Graph–Tree", self.graph - self.shared),
            ("Tree–Graph", self.tree - self.shared),
            ("long-distance", self.long_distance),
        ];
        for (name, count) in rows {
            writeln!(f, "{name:<14}{count:>10}")?;
        }
        writeln!(f, "\n{:<14}{:>10}{:>10}", "relation", "Tree %", "Graph %")?;
        let share = |count: u64, total: u64| 100.0 * count as f64 / total.max(1) as f64;
        for (relation, &(tree, graph)) in &self.relations {
            let (tree, graph) = (share(tree, self.tree), share(graph, self.labelled));
            writeln!(f, "{relation:<14}{tree:>10.2}{graph:>10.2}")?;
        }
        Ok(())
    }
}
