//! The keys of parts whose templates are summed ([`Summed`]), with what each word adds kept for the rest of the sentence.
//!
//! Complexity: O(templates) a word and place of a part, once a sentence; then O(templates) additions a part, and half of them where the first two
//! nodes are those of the part before.

use crate::template::{Marks, PLACES, PartView, Summed, Templates};
use pleach_graph::node::{LEFT_EDGE, RIGHT_EDGE};
use pleach_graph::words::{Words, hash};
use pleach_graph::{NONE, Node};

/// What the nodes of a sentence add in one place of a part.
#[derive(Clone, Debug, Default)]
struct Added {
    known: Vec<bool>,
    rows: Vec<u64>,
    absent: Vec<Marks>,
}

/// Makes the keys of parts; holds the memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summer {
    added: [Added; PLACES],
    /// The first two nodes of the last part, what they add, and the templates that have no features with them.
    first: Option<[Node; 2]>,
    base: Vec<u64>,
    base_absent: Marks,
    sums: Vec<u64>,
}

/// Where the row of a node is: words come first, then what lies beyond them.
#[inline]
fn index(node: Node, words: &Words) -> usize {
    match node {
        LEFT_EDGE => words.len() + 1,
        RIGHT_EDGE => words.len() + 2,
        // A decoder that asks for other nodes is mistaken; they are like the last one.
        node => usize::from(node).min(words.len()),
    }
}

impl Added {
    /// Computes what a node adds, if that was not done; gives the place of its row.
    #[inline]
    fn learn(&mut self, place: usize, summed: &Summed, view: PartView<'_>) -> usize {
        let at = index(view.nodes[place], view.words);
        let count = summed.len();
        if self.known.is_empty() {
            let nodes = view.words.len() + 3;
            self.known.resize(nodes, false);
            self.absent.resize(nodes, 0);
            self.rows.resize(nodes * count, 0);
        }
        if !self.known[at] {
            self.known[at] = true;
            let row = &mut self.rows[at * count..(at + 1) * count];
            self.absent[at] = summed.places[place].fill(place, view, row);
        }
        at
    }
}

/// Adds a row to sums.
#[inline]
fn add(sums: &mut [u64], row: &[u64]) {
    sums.iter_mut().zip(row).for_each(|(sum, &more)| *sum = sum.wrapping_add(more));
}

impl Summer {
    /// Another sentence.
    pub fn begin(&mut self) {
        self.added.iter_mut().for_each(|added| added.known.clear());
        self.first = None;
    }

    /// Appends the keys of a part's features.
    #[inline]
    pub fn keys(
        &mut self,
        templates: &Templates,
        summed: &Summed,
        words: &Words,
        nodes: [Node; PLACES],
        keys: &mut Vec<u64>,
    ) {
        let view = PartView { templates, words, nodes };
        if self.first != Some([nodes[0], nodes[1]]) {
            self.first = Some([nodes[0], nodes[1]]);
            self.base.clone_from(&summed.seeds);
            let Summer { added, base, .. } = self;
            self.base_absent = sum(added, summed, view, 0..2, base);
        }
        if nodes[2] == NONE && nodes[3] == NONE {
            let beyond = summed.places[2].asked | summed.places[3].asked;
            return end(&self.base, self.base_absent | beyond, keys);
        }
        self.sums.clone_from(&self.base);
        let Summer { added, sums, .. } = self;
        let absent = self.base_absent | sum(added, summed, view, 2..PLACES, sums);
        end(sums, absent, keys);
    }
}

/// Adds what the nodes in some places add, and what they do together with each other and with those before them; gives the templates
/// that have no features then.
#[inline]
fn sum(
    added: &mut [Added; PLACES],
    summed: &Summed,
    view: PartView<'_>,
    places: std::ops::Range<usize>,
    sums: &mut [u64],
) -> Marks {
    let count = summed.len();
    let mut absent = 0;
    for place in places.clone().filter(|&place| summed.places[place].asked != 0) {
        if view.nodes[place] == NONE {
            absent |= summed.places[place].asked;
            continue;
        }
        let at = added[place].learn(place, summed, view);
        add(sums, &added[place].rows[at * count..(at + 1) * count]);
        absent |= added[place].absent[at];
    }
    for pair in summed.pairs.iter().filter(|pair| places.contains(&pair.places[1])) {
        let (row, lost) = pair.near(pair.places.map(|place| view.nodes[place]), count, view.words);
        add(sums, row);
        absent |= lost;
        for (number, (atom, templates)) in pair.others.iter().enumerate() {
            let key = pair.other(number, *atom, view);
            for &template in templates {
                let sum = &mut sums[usize::from(template)];
                *sum = sum.wrapping_add(key.unwrap_or_default());
                absent |= Marks::from(key.is_none()) << template;
            }
        }
    }
    absent
}

/// Appends the keys that sums end as.
#[inline]
fn end(sums: &[u64], absent: Marks, keys: &mut Vec<u64>) {
    if absent == 0 {
        keys.extend(sums.iter().map(|&sum| hash::finish(sum)));
        return;
    }
    let there = sums.iter().enumerate().filter(|(template, _)| absent >> template & 1 == 0);
    keys.extend(there.map(|(_, &sum)| hash::finish(sum)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Extractor;
    use crate::foreseen::PartNodes;
    use crate::template::{SHIPPED, shipped};
    use pleach_graph::{Sentence, Tree};
    use std::collections::{HashMap, HashSet};

    /// What the templates of parts look at can be summed, and that of others can't.
    #[test]
    fn templates_of_parts_are_summed() {
        for (name, source) in SHIPPED {
            let templates = Templates::parse(name, source).unwrap();
            let of_parts = name.starts_with("tree-") || name.starts_with("graph-");
            assert_eq!(Summed::new(&templates).is_some(), of_parts, "{name}");
        }
    }

    /// Two parts share a summed key of a template just when they share a plain one, with and without a tree.
    #[test]
    fn summed_keys_tell_apart_what_plain_ones_do() {
        let mut sentence = Sentence::from_forms(["a", "b", "a", "c", "b", "a", "d"]);
        for (token, tag) in sentence.tokens.iter_mut().zip(["X", "Y", "X", "PUNCT", "Y", "VERB", "Y"]) {
            (token.upos, token.lemma) = (tag.into(), token.form.clone());
        }
        let tree = Tree { heads: vec![2, 0, 2, 2, 6, 2, 6], labels: vec!["l".into(); 7] };
        let names = SHIPPED.iter().map(|(name, _)| *name);
        let names = names.filter(|name| name.starts_with("tree-") || name.starts_with("graph-"));
        for (name, given) in names.flat_map(|name| [(name, None), (name, Some(&tree))]) {
            let words = Words::of(&sentence, given, false);
            let whole = Templates::parse(name, shipped(name).unwrap()).unwrap().as_set(2);
            let lines: Vec<Templates> = (whole.source().lines())
                .filter(|line| !line.starts_with('#'))
                .map(|line| Templates::parse(name, line).unwrap())
                .collect();
            let mut keyed: Vec<(HashMap<u64, u64>, HashMap<u64, u64>)> =
                vec![Default::default(); lines.len()];
            let mut all = HashSet::new();
            let mut summers = vec![Summer::default(); lines.len() + 1];
            for nodes in parts(name) {
                let mut count = 0;
                for ((templates, (forth, back)), summer) in lines.iter().zip(&mut keyed).zip(&mut summers) {
                    let (mut plain, mut sums) = (Vec::new(), Vec::new());
                    let view = PartNodes { nodes, once: false };
                    Extractor::default().extract(templates, &words, &view, &mut plain);
                    let summed = Summed::new(templates).unwrap();
                    summer.keys(templates, &summed, &words, nodes, &mut sums);
                    assert_eq!(plain.len(), sums.len(), "{name} {nodes:?}");
                    for (plain, sum) in plain.into_iter().zip(sums) {
                        assert_eq!(*forth.entry(plain).or_insert(sum), sum);
                        assert_eq!(*back.entry(sum).or_insert(plain), plain);
                        count += 1;
                    }
                }
                let mut keys = Vec::new();
                let summed = Summed::new(&whole).unwrap();
                summers[lines.len()].keys(&whole, &summed, &words, nodes, &mut keys);
                assert_eq!(keys.len(), count, "{name} {nodes:?}");
                all.extend(keys);
            }
            // Those of different templates differ, too.
            assert_eq!(all.len(), keyed.iter().map(|(forth, _)| forth.len()).sum::<usize>(), "{name}");
        }
    }

    /// Parts of a sentence of seven words.
    fn parts(name: &str) -> Vec<[Node; PLACES]> {
        let two = name.ends_with("arc") || name.ends_with("label");
        let thirds: Vec<Node> = if two { vec![NONE] } else { vec![1, 2, 4, 7, LEFT_EDGE, RIGHT_EDGE] };
        let fourths: Vec<Node> = if name == "graph-triple" { vec![1, 3, RIGHT_EDGE] } else { vec![NONE] };
        let pairs = (0..8).flat_map(|head| (1..8).map(move |dependent| [head, dependent]));
        let three = |[h, d]: [Node; 2]| thirds.iter().map(move |&x| [h, d, x]).collect::<Vec<_>>();
        let four = |[h, d, x]: [Node; 3]| fourths.iter().map(move |&y| [h, d, x, y]).collect::<Vec<_>>();
        pairs.flat_map(three).flat_map(four).collect()
    }
}
