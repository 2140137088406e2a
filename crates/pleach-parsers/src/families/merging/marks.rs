//! What a treebank calls its long-distance dependencies and its coordinations (`sun-2019` section 4.2.2).
//!
//! Both are found by label. A list of labels is `conj*,eCoo`: a star at the end stands for any ending.

use pleach_decode::merge::{Coordination, Source};
use pleach_graph::{Graph, NodeId};

/// The labels that a recipe names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    long: Vec<String>,
    coordination: Vec<String>,
}

fn patterns(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn matches(patterns: &[String], label: &str) -> bool {
    patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(beginning) => label.starts_with(beginning),
        None => label == pattern,
    })
}

impl Marks {
    /// Marks by two lists of labels: long-distance dependencies, and arcs from one conjunct to another.
    pub fn new(long: &str, coordination: &str) -> Self {
        Marks { long: patterns(long), coordination: patterns(coordination) }
    }

    /// A graph as it is taken apart.
    pub fn source(&self, graph: &Graph) -> Source {
        let mut source = Source { words: graph.len(), ..Source::default() };
        for pair in graph.arcs().chunk_by(|a, b| (a.head, a.dependent) == (b.head, b.dependent)) {
            let arc = (pair[0].head.0, pair[0].dependent.0);
            source.arcs.push(arc);
            if pair.iter().any(|arc| matches(&self.long, &arc.label)) {
                source.long.push(arc);
            }
        }
        source.coordinations = self.coordinations(graph);
        source
    }

    /// The words that are coordinated under one parent: a word, its conjuncts, and whoever governs two of them or more.
    fn coordinations(&self, graph: &Graph) -> Vec<Coordination> {
        let mut conjuncts: Vec<Vec<u32>> = vec![Vec::new(); graph.len() + 1];
        for arc in graph.arcs().iter().filter(|arc| !arc.head.is_root()) {
            if matches(&self.coordination, &arc.label) {
                conjuncts[arc.head.index()].push(arc.dependent.0);
            }
        }
        let mut found = Vec::new();
        for (first, others) in conjuncts.into_iter().enumerate().filter(|(_, others)| !others.is_empty()) {
            let mut all = others;
            all.push(first as u32);
            all.sort_unstable();
            all.dedup();
            let mut parents: Vec<NodeId> =
                all.iter().flat_map(|&word| graph.heads_of(NodeId(word))).map(|arc| arc.head).collect();
            parents.sort_unstable();
            parents.dedup();
            for parent in parents {
                let children: Vec<u32> =
                    all.iter().copied().filter(|&child| graph.has_edge(parent, NodeId(child))).collect();
                if children.len() > 1 {
                    found.push(Coordination { parent: parent.0, children });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_by_label() {
        let mut graph = Graph::new(5);
        // "she wants tea and coffee": both are objects of "wants".
        let arcs =
            [(0, 2, "root"), (2, 1, "nsubj"), (2, 3, "obj"), (2, 5, "obj"), (3, 5, "conj:and"), (5, 4, "cc")];
        for (head, dependent, label) in arcs {
            graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        graph.insert(NodeId(3), NodeId(1), "nsubj:xsubj".into());
        let source = Marks::new("nsubj:xsubj, ref", "conj*").source(&graph);
        assert_eq!(source.long, [(3, 1)]);
        assert_eq!(source.coordinations, [Coordination { parent: 2, children: vec![3, 5] }]);
        assert_eq!(source.arcs.len(), 7);
        assert_eq!(Marks::new("", "").source(&graph).coordinations, []);
    }
}
