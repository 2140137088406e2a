//! From a configuration to feature keys (`zhang-2016` section 3.3).
//!
//! Every distinct node and atom is evaluated once, then each template hashes its atoms: O(templates) with no
//! allocation. Templates with an absent word give no key.

use crate::template::{Atom, Count, Feature, Group, MOST_ATOMS, Neighbourhood, NodeExpr, Templates};
use pleach_graph::node::{LEFT_EDGE, RIGHT_EDGE};
use pleach_graph::words::Words;
use pleach_graph::words::hash::{self, ABSENT};
use pleach_transition::configuration::Configuration;
use pleach_transition::state::{NOBODY, Neighbour};
use pleach_transition::{NONE, Node};

/// The value of a word beyond the ends of the sentence.
const EDGE: u32 = 1;

/// Turns configurations into keys; holds the memory for it. Words, trees and configurations use the same node numbers.
#[derive(Clone, Debug)]
pub struct Extractor {
    nodes: Vec<Neighbour>,
    values: Vec<u32>,
    /// Those of one group's atoms.
    held: [u32; MOST_ATOMS],
    salt: u32,
}

impl Default for Extractor {
    fn default() -> Self {
        Extractor { nodes: Vec::new(), values: Vec::new(), held: [0; MOST_ATOMS], salt: 0 }
    }
}

impl Extractor {
    /// Appends the keys of all features of a configuration to `keys`.
    pub fn extract(
        &mut self,
        templates: &Templates,
        words: &Words,
        state: &impl Configuration,
        keys: &mut Vec<u64>,
    ) {
        self.look_at(templates, words, state);
        for group in templates.groups.iter() {
            if self.is_there(templates, group) {
                self.extract_group(templates, group, words, state, keys);
            }
        }
    }

    /// Resolves the nodes of a configuration and what it says of the partial graph; comes before
    /// [`Extractor::place`] and [`Extractor::extract_group`].
    pub(crate) fn look_at(&mut self, templates: &Templates, words: &Words, state: &impl Configuration) {
        self.salt = state.salt();
        self.nodes.clear();
        for expression in &templates.nodes {
            let node = resolve(*expression, &self.nodes[..], words, state);
            self.nodes.push(node);
        }
        self.values.resize(templates.atoms.len(), ABSENT);
        for &atom in &templates.changing {
            self.values[atom as usize] =
                evaluate(templates.atoms[atom as usize], &self.nodes[..], words, state);
        }
    }

    /// Whether a group has features here: all of its nodes are there.
    #[inline]
    pub(crate) fn is_there(&self, templates: &Templates, group: &Group) -> bool {
        templates.groups.nodes(group).iter().all(|&node| self.nodes[node as usize].node != NONE)
    }

    /// What decides the features of a group, as one number; `None` when it has none here because one of its
    /// nodes is absent.
    #[inline]
    pub(crate) fn place(&self, templates: &Templates, number: usize, group: &Group) -> Option<u64> {
        let mut place = number as u64;
        for &node in templates.groups.nodes(group) {
            let node = self.nodes[node as usize].node;
            if node == NONE {
                return None;
            }
            place = place << 16 | u64::from(node);
        }
        if group.fixed && self.salt == 0 {
            return Some(place);
        }
        let mut key = hash::mix(hash::seed(number as u32), self.salt);
        if group.fixed {
            return Some(hash::finish(key ^ place) | 1 << 63);
        }
        for &atom in templates.groups.atoms(group) {
            key = hash::mix(key, self.values[atom as usize]);
        }
        // The top bit keeps hashes and fixed places apart.
        Some(hash::finish(key) | 1 << 63)
    }

    /// Appends the keys of one group.
    pub(crate) fn extract_group(
        &mut self,
        templates: &Templates,
        group: &Group,
        words: &Words,
        state: &impl Configuration,
        keys: &mut Vec<u64>,
    ) {
        let salt = u64::from(self.salt) << 32;
        let begin = |template: u16| hash::seed(templates.base + u32::from(template)) ^ salt;
        let end = |key: u64| hash::finish(key) & !templates.marks.1 | templates.marks.0;
        if group.large {
            return self.extract_large(templates, group, words, state, |template, values| {
                keys.push(end(values.iter().fold(begin(template), |key, &value| hash::mix(key, value))));
            });
        }
        let Extractor { nodes, values, held, .. } = self;
        let atoms = templates.groups.atoms(group);
        let used = atoms.len().min(MOST_ATOMS);
        if group.fixed {
            fill(nodes, templates, group, words, state, &mut held[..used]);
        } else {
            let atoms = held.iter_mut().zip(atoms);
            atoms.for_each(|(value, &atom)| *value = values[atom as usize]);
        }
        // Nearly always everything is there; nothing is asked of an atom then.
        let complete = held[..used].iter().fold(true, |there, &value| there & (value != ABSENT));
        let value = |place: u8| held[usize::from(place) % MOST_ATOMS];
        let features = templates.groups.places(group);
        if complete {
            keys.extend(features.map(|(template, places)| {
                end(places.iter().fold(begin(template), |key, &place| hash::mix(key, value(place))))
            }));
            return;
        }
        'templates: for (template, places) in features {
            let mut key = begin(template);
            for &place in places {
                let value = value(place);
                if value == ABSENT {
                    continue 'templates;
                }
                key = hash::mix(key, value);
            }
            keys.push(end(key));
        }
    }

    /// Gives the values of each template of a group that has more atoms than fit.
    fn extract_large(
        &mut self,
        templates: &Templates,
        group: &Group,
        words: &Words,
        state: &impl Configuration,
        mut give: impl FnMut(u16, &[u32]),
    ) {
        if group.fixed {
            for &atom in templates.groups.atoms(group) {
                self.values[atom as usize] =
                    evaluate(templates.atoms[atom as usize], &self.nodes[..], words, state);
            }
        }
        let mut values = Vec::new();
        for &Feature { template, .. } in templates.groups.features(group) {
            values.clear();
            values.extend(templates.atoms_of(template).iter().map(|&atom| self.values[atom as usize]));
            if !values.contains(&ABSENT) {
                give(template, &values);
            }
        }
    }
}

/// Evaluates the atoms of a group that its nodes alone decide.
#[inline]
fn fill(
    nodes: &[Neighbour],
    templates: &Templates,
    group: &Group,
    words: &Words,
    state: &impl Configuration,
    values: &mut [u32],
) {
    let (atoms, all) = (templates.groups.atoms(group), templates.groups.attributes(group));
    let mut from = 0;
    for &(node, count) in templates.groups.words(group) {
        let end = from + usize::from(count);
        let (values, attributes) = (&mut values[from..end], &all[from..end]);
        from = end;
        match nodes[node as usize].node {
            NONE => values.fill(ABSENT),
            LEFT_EDGE | RIGHT_EDGE => values.fill(EDGE),
            word => {
                let row = words.attributes(word);
                values.iter_mut().zip(attributes).for_each(|(value, &name)| *value = row[name as usize]);
            }
        }
    }
    for (value, &atom) in values[from..].iter_mut().zip(&atoms[from..]) {
        *value = evaluate(templates.atoms[atom as usize], nodes, words, state);
    }
}

/// The nodes that templates look at, by their numbers.
pub(crate) trait Nodes {
    fn at(&self, node: u16) -> Neighbour;
}

impl Nodes for [Neighbour] {
    #[inline]
    fn at(&self, node: u16) -> Neighbour {
        self[node as usize]
    }
}

#[inline]
fn plain(node: Node) -> Neighbour {
    Neighbour { node, label: 0 }
}

#[inline]
pub(crate) fn resolve(
    expression: NodeExpr,
    nodes: &(impl Nodes + ?Sized),
    words: &Words,
    state: &impl Configuration,
) -> Neighbour {
    match expression {
        NodeExpr::Start(list, index) => plain(state.start(list, index as usize)),
        NodeExpr::Offset(node, places) => {
            let node = nodes.at(node).node;
            if node >= LEFT_EDGE || node == 0 {
                return NOBODY;
            }
            let place = i32::from(node) + i32::from(places);
            let inside = place >= 1 && place <= words.len() as i32;
            plain(match inside {
                true => place as Node,
                false if places < 0 => LEFT_EDGE,
                false => RIGHT_EDGE,
            })
        }
        NodeExpr::TreeParent(node) => plain(words.tree_parent(nodes.at(node).node)),
        NodeExpr::Neighbour(node, which) => {
            let Some(links) = state.links(nodes.at(node).node) else { return NOBODY };
            match which {
                Neighbourhood::LeftParent => links.left_parent,
                Neighbourhood::RightParent => links.right_parent,
                Neighbourhood::LeftChild => links.left_child,
                Neighbourhood::LeftChild2 => links.left_child2,
                Neighbourhood::RightChild => links.right_child,
                Neighbourhood::RightChild2 => links.right_child2,
            }
        }
    }
}

#[inline]
pub(crate) fn evaluate(
    atom: Atom,
    nodes: &(impl Nodes + ?Sized),
    words: &Words,
    state: &impl Configuration,
) -> u32 {
    match atom {
        Atom::Word(node, attribute) => match nodes.at(node).node {
            NONE => ABSENT,
            LEFT_EDGE | RIGHT_EDGE => EDGE,
            word => words.get(word, attribute),
        },
        Atom::Label(node) => u32::from(nodes.at(node).label),
        Atom::Exists(node) => u32::from(nodes.at(node).node != NONE),
        Atom::Count(node, which) => state.links(nodes.at(node).node).map_or(ABSENT, |links| {
            let [lp, rp, lc, rc] = links.counts.map(u32::from);
            match which {
                Count::LeftParents => lp,
                Count::RightParents => rp,
                Count::LeftChildren => lc,
                Count::RightChildren => rc,
                Count::Parents => lp + rp,
                Count::Children => lc + rc,
            }
        }),
        Atom::LeftLabels(node) => {
            state.links(nodes.at(node).node).map_or(ABSENT, |links| links.child_labels[0])
        }
        Atom::RightLabels(node) => {
            state.links(nodes.at(node).node).map_or(ABSENT, |links| links.child_labels[1])
        }
        Atom::Distance(a, b) => {
            let (a, b) = (nodes.at(a).node, nodes.at(b).node);
            distance(a, b, words).unwrap_or(ABSENT)
        }
        Atom::Direction(a, b) => match (nodes.at(a).node, nodes.at(b).node) {
            (NONE, _) | (_, NONE) => ABSENT,
            (a, b) => u32::from(is_backward(a, b)),
        },
        Atom::Arc(a, b) => match pair(a, b, nodes, words) {
            Some((a, b)) => state.arc(a, b),
            None => ABSENT,
        },
        Atom::Between(a, b) => match pair(a, b, nodes, words) {
            Some((0, _) | (_, 0)) => 0,
            Some((a, b)) => 1 + words.between(a, b),
            None => ABSENT,
        },
        Atom::TreeLabel(node) => words.tree_label(nodes.at(node).node),
        Atom::Tag(node) => match nodes.at(node).node {
            NONE => ABSENT,
            node => state.tag(node),
        },
        Atom::Path(a, b, kind) => {
            pair(a, b, nodes, words).map_or(ABSENT, |(a, b)| words.tree_path(a, b, kind))
        }
    }
}

/// Whether the second of two nodes is before the first.
#[inline]
pub(crate) fn is_backward(a: Node, b: Node) -> bool {
    match (a, b) {
        (LEFT_EDGE, _) | (_, RIGHT_EDGE) => false,
        (RIGHT_EDGE, _) | (_, LEFT_EDGE) => true,
        (a, b) => a > b,
    }
}

/// How far two nodes are from each other, signed by their order, coarser when far: below 25, and 0 for the root. Nodes beyond the
/// sentence have no distance.
#[inline]
pub(crate) fn distance(a: Node, b: Node, words: &Words) -> Option<u32> {
    let inside = |node: Node| usize::from(node) <= words.len();
    (inside(a) && inside(b)).then(|| if a == 0 || b == 0 { 0 } else { bucket(a, b) })
}

#[inline]
fn pair(a: u16, b: u16, nodes: &(impl Nodes + ?Sized), words: &Words) -> Option<(Node, Node)> {
    let (a, b) = (nodes.at(a).node, nodes.at(b).node);
    let inside = |node: Node| (node as usize) <= words.len();
    (inside(a) && inside(b)).then_some((a, b))
}

/// The distance of two words, signed by their order, coarser when far.
#[inline]
fn bucket(a: Node, b: Node) -> u32 {
    let distance = match a.abs_diff(b) {
        near @ 0..=5 => u32::from(near),
        6..=9 => 6,
        10..=19 => 7,
        _ => 8,
    };
    if a < b { distance } else { distance + 16 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::shipped;
    use pleach_graph::Sentence;
    use pleach_transition::action::Edge;
    use pleach_transition::state::State;

    /// With the root at the end of the buffer, whether it has a child is all that tells a second root from the first.
    #[test]
    fn templates_of_graph_systems_see_the_roots_children() {
        let (mut words, mut extractor) = (Words::default(), Extractor::default());
        let mut sentence = Sentence::from_forms(["a", "b", "c"]);
        for (token, tag) in sentence.tokens.iter_mut().zip(["X", "Y", "Z"]) {
            (token.upos, token.xpos, token.lemma) = (tag.into(), tag.into(), tag.into());
        }
        words.fill(&sentence, false);
        for name in ["thmm", "reorder", "two-stack", "list"] {
            let templates = Templates::parse(name, shipped(name).unwrap()).unwrap();
            let mut keys = |child: Option<Node>| {
                let mut state = State::default();
                state.reset(3);
                state.stack.push(3);
                state.buffer.push(0);
                if let Some(child) = child {
                    state.link(0, child, Edge { left: 0, right: 1 });
                }
                let mut keys = Vec::new();
                extractor.extract(&templates, &words, &state, &mut keys);
                keys
            };
            let (none, one, other) = (keys(None), keys(Some(1)), keys(Some(2)));
            assert!(none != one && one.len() > none.len() && one != other, "{name}");
        }
    }

    /// Keys are those of the definition, template by template, whatever is absent and however many atoms a group has.
    #[test]
    fn keys_are_those_of_the_definition() {
        let (mut words, mut extractor) = (Words::default(), Extractor::default());
        let mut sentence = Sentence::from_forms(["a", "b", "c", "d"]);
        sentence.tokens[1].lemma = "x".into();
        words.fill(&sentence, false);
        let attributes = ["w", "lo", "m", "p", "u", "f", "pre1", "pre2", "suf1", "suf2", "shape"];
        let nodes = ["s0", "s0-1", "s0+1", "b0", "b0-1", "b0+1", "s0-2"];
        let atoms = nodes.iter().flat_map(|node| attributes.iter().map(move |name| format!("{node}.{name}")));
        let large = atoms.map(|atom| format!("{atom} d(s0,b0)\n")).collect::<String>();
        let small =
            "s0.w b0.w\ns0.w s0-1.p b0+1.w d(s0,b0)\nb0.w s1.w\nb0.w b0.lc.w\nb0.w b0.lset\ns0.tl b0.w\n";
        for (source, many) in [(small, false), (large.as_str(), true)] {
            let templates = Templates::parse("test", source).unwrap().as_set(3);
            assert_eq!(templates.groups.iter().any(|group| group.large), many);
            for (stack, front) in [(vec![1, 2], 3), (vec![], 3), (vec![0], 4), (vec![4], 1)] {
                let mut state = State::default();
                state.reset(4);
                state.stack.extend(stack);
                state.buffer.push(front);
                let mut keys = Vec::new();
                extractor.extract(&templates, &words, &state, &mut keys);
                keys.sort_unstable();
                let value = |atom: u16| {
                    evaluate(templates.atoms[atom as usize], &extractor.nodes[..], &words, &state)
                };
                let starts = |atom: u16| templates.starts(templates.atoms[atom as usize]).0;
                let missing = |node: u16| extractor.nodes[node as usize].node == NONE;
                let mut expected: Vec<u64> = (0..templates.len() as u16)
                    .filter(|&template| {
                        let atoms = templates.atoms_of(template);
                        let all = atoms.iter().all(|&atom| value(atom) != ABSENT);
                        all && !atoms.iter().flat_map(|&atom| starts(atom)).any(missing)
                    })
                    .map(|template| {
                        let seed = hash::seed(templates.base + u32::from(template));
                        let atoms = templates.atoms_of(template).iter();
                        hash::finish(atoms.fold(seed, |key, &atom| hash::mix(key, value(atom))))
                    })
                    .collect();
                expected.sort_unstable();
                assert_eq!(keys, expected);
            }
        }
    }

    /// Frames that SHIFT has given are seen, those of nodes on the stacks and of their neighbours.
    #[test]
    fn templates_of_frames_see_supertags() {
        let (mut words, mut extractor) = (Words::default(), Extractor::default());
        words.fill(&Sentence::from_forms(["a", "b", "c"]), false);
        let templates = Templates::parse("frames", shipped("frames").unwrap()).unwrap();
        let mut keys = |tags: [u16; 4]| {
            let mut state = State::default();
            state.reset(3);
            state.stack.push(2);
            state.buffer.push(3);
            state.link(1, 3, Edge { left: 0, right: 1 });
            state.tags = tags.to_vec();
            let mut keys = Vec::new();
            extractor.extract(&templates, &words, &state, &mut keys);
            keys
        };
        let none = keys([0; 4]);
        let (top, parent, front) = (keys([0, 0, 7, 0]), keys([0, 7, 0, 0]), keys([0, 0, 0, 7]));
        assert!(!none.is_empty() && top != none && parent != none && top != parent);
        assert_eq!(front, none, "the front has no frame before it is shifted");
        assert_ne!(keys([0, 0, 8, 0]), top);
    }

    /// In Figure 6, the label of `tri-l` and `quar-l` is that of the first word and the third, whoever the third one hangs on.
    #[test]
    fn the_figures_labels_are_those_of_pairs() {
        let (mut words, mut extractor) = (Words::default(), Extractor::default());
        words.fill(&Sentence::from_forms(["a", "b", "c"]), false);
        let figure = shipped("figure-6").unwrap();
        let macros = &figure[..figure.rfind("\nend\n").unwrap() + "\nend\n".len()];
        for used in ["tri-l(s0, b0, b0.lc)", "quar-l(s0, b0, b0.lc, b0.lc2)"] {
            let templates = Templates::parse("test", &format!("{macros}{used}\n")).unwrap();
            // Both words on the stack hang on the front; `pair` is the label between them.
            let mut keys = |front: u16, pair: u16| {
                let mut state = State::default();
                state.reset(3);
                state.stack.push(2);
                state.buffer.push(3);
                for child in [1, 2] {
                    state.link(child, 3, Edge { left: front, right: 0 });
                }
                state.link(1, 2, Edge { left: pair, right: 0 });
                let mut keys = Vec::new();
                extractor.extract(&templates, &words, &state, &mut keys);
                keys
            };
            let plain = keys(1, 1);
            assert!(!plain.is_empty() && plain != keys(1, 2), "{used}");
        }
    }
}
