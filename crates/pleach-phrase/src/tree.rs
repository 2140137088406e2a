//! The tree that the stages enrich: an arena of nodes with functions, links and heads.
//!
//! Invariant: `children` and `parent` agree, every node spans at least one leaf, and leaves keep their order
//! and their numbers whatever the stages do to the nodes above them. All walks are loops over the arena, so
//! deep trees cannot overflow the stack.

use pleach_graph::phrase::Phrase;
use pleach_graph::{NodeId, Text};

/// A node of the arena.
pub type Place = usize;

/// What a node is to its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// A dependent, when it has a function; else it gets no arc.
    #[default]
    Dependent,
    /// The head: its words are its parent's.
    Head,
    /// A conjunct: its words are its parent's, beside those of its sisters.
    Conjunct,
    /// A conjunction or the punctuation in its place.
    Conjunction,
}

/// One constituent or leaf.
#[derive(Clone, Debug)]
pub struct Node {
    /// The category without functional tags and indices (`NP`), or the part of speech.
    pub category: Text,
    /// The functional tags in file order (`PN`, `SBJ`).
    pub tags: Vec<Text>,
    /// The indices: those of the file first, then those that stage 3 adds.
    pub indices: Vec<u32>,
    /// The word or the trace, for leaves.
    pub word: Option<Text>,
    /// The parent; none for the root.
    pub parent: Option<Place>,
    /// The children in order.
    pub children: Vec<Place>,
    /// What the node is to its parent.
    pub role: Role,
    /// Its grammatical function, for dependents.
    pub function: Option<&'static str>,
    /// The leaves that head it (stage 4).
    pub heads: Vec<u32>,
    /// The number of its first leaf.
    pub first: u32,
    /// Whether stage 2 made it.
    pub added: bool,
}

impl Node {
    /// Whether the node is a leaf.
    pub fn is_leaf(&self) -> bool {
        self.word.is_some()
    }

    /// Whether the node is an empty category.
    pub fn is_trace(&self) -> bool {
        self.is_leaf() && self.category == "-NONE-"
    }

    /// Whether the node has this category.
    pub fn is(&self, category: &str) -> bool {
        self.category == category
    }
}

/// A phrase-structure tree under conversion.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<Place>,
    words: Vec<NodeId>,
    next_index: u32,
}

/// The root's place: the outer brackets without a label.
pub const ROOT: Place = 0;

impl Tree {
    /// The tree of a phrase. Outer brackets without a label are the root; one is added when they are missing.
    pub fn new(phrase: &Phrase) -> Self {
        let mut tree = Tree { nodes: Vec::new(), leaves: Vec::new(), words: Vec::new(), next_index: 0 };
        let bare = phrase.label().is_empty() && !matches!(phrase, Phrase::Leaf { .. });
        let mut stack: Vec<(&Phrase, Option<Place>)> = Vec::new();
        if bare {
            stack.push((phrase, None));
        } else {
            tree.nodes.push(node_of(""));
            stack.push((phrase, Some(ROOT)));
        }
        let mut words = 0;
        while let Some((phrase, parent)) = stack.pop() {
            let place = tree.nodes.len();
            let mut node = node_of(phrase.label());
            node.parent = parent;
            node.first = tree.leaves.len() as u32;
            if let Phrase::Leaf { word, .. } = phrase {
                node.word = Some(word.clone());
                if node.is_trace() {
                    node.indices = trace_index(word).into_iter().collect();
                    tree.words.push(NodeId::ROOT);
                } else {
                    words += 1;
                    tree.words.push(NodeId(words));
                }
                tree.leaves.push(place);
            }
            tree.next_index = node.indices.iter().fold(tree.next_index, |max, &index| max.max(index));
            tree.nodes.push(node);
            if let Some(parent) = parent {
                tree.nodes[parent].children.push(place);
            }
            stack.extend(phrase.children().iter().rev().map(|child| (child, Some(place))));
        }
        // Indices of ours start high, so that they are told from the file's at a glance.
        tree.next_index = tree.next_index.saturating_add(1).max(1000);
        tree
    }

    /// A node.
    pub fn node(&self, place: Place) -> &Node {
        &self.nodes[place]
    }

    /// A node to change.
    pub fn node_mut(&mut self, place: Place) -> &mut Node {
        &mut self.nodes[place]
    }

    /// The children of a node.
    pub fn children(&self, place: Place) -> &[Place] {
        &self.nodes[place].children
    }

    /// All leaves in order, traces included.
    pub fn leaves(&self) -> &[Place] {
        &self.leaves
    }

    /// The place of a leaf.
    pub fn leaf(&self, number: u32) -> Place {
        self.leaves[number as usize]
    }

    /// The word of a leaf; `None` for a trace.
    pub fn word(&self, leaf: u32) -> Option<NodeId> {
        self.words.get(leaf as usize).copied().filter(|word| !word.is_root())
    }

    /// How many words there are, traces not counted.
    pub fn word_count(&self) -> usize {
        self.words.iter().filter(|word| !word.is_root()).count()
    }

    /// All nodes under the root, parents before their children, sisters from left to right.
    pub fn preorder(&self) -> Vec<Place> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![ROOT];
        while let Some(place) = stack.pop() {
            order.push(place);
            stack.extend(self.nodes[place].children.iter().rev());
        }
        order
    }

    /// All nodes under the root, children before their parents, sisters from left to right.
    pub fn postorder(&self) -> Vec<Place> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![ROOT];
        while let Some(place) = stack.pop() {
            order.push(place);
            stack.extend(&self.nodes[place].children);
        }
        order.reverse();
        order
    }

    /// The leaves under a node, in order.
    pub fn leaves_under(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let first = self.nodes[place].first;
        let last = self.last_leaf(place);
        self.leaves[first as usize..=last as usize].iter().copied()
    }

    /// The number of the last leaf under a node.
    fn last_leaf(&self, place: Place) -> u32 {
        let mut place = place;
        while let Some(&last) = self.nodes[place].children.last() {
            place = last;
        }
        self.nodes[place].first
    }

    /// Whether a node spans exactly one leaf, and that one is a trace.
    pub fn is_empty(&self, place: Place) -> bool {
        let first = self.nodes[place].first;
        first == self.last_leaf(place) && self.nodes[self.leaf(first)].is_trace()
    }

    /// The nearest node above that has one of these categories.
    pub fn above(&self, place: Place, categories: &[&str]) -> Option<Place> {
        self.ancestors(place).find(|&up| categories.iter().any(|category| self.nodes[up].is(category)))
    }

    /// The nodes above, from the parent to the root.
    pub fn ancestors(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        std::iter::successors(self.nodes[place].parent, |&up| self.nodes[up].parent)
    }

    /// The first child with this function.
    pub fn child_with(&self, place: Place, function: &str) -> Option<Place> {
        self.children(place).iter().copied().find(|&child| self.nodes[child].function == Some(function))
    }

    /// Replaces the children of a node.
    pub fn set_children(&mut self, place: Place, children: Vec<Place>) {
        for &child in &children {
            self.nodes[child].parent = Some(place);
        }
        if let Some(&first) = children.first() {
            self.nodes[place].first = self.nodes[first].first;
        }
        self.nodes[place].children = children;
    }

    /// Puts a new node with this category over some sisters; the caller puts it among its own sisters.
    pub fn add_over(&mut self, category: Text, children: Vec<Place>, role: Role) -> Place {
        let place = self.nodes.len();
        self.nodes.push(Node { role, added: true, ..node_of(&category) });
        self.set_children(place, children);
        place
    }

    /// An index that no node has yet.
    pub fn fresh_index(&mut self) -> u32 {
        let index = self.next_index;
        self.next_index = self.next_index.saturating_add(1);
        index
    }
}

/// A node from its label: `NP-PN-SBJ-1` is an NP with two tags and an index, `NP=1` an NP with a gapping index.
fn node_of(label: &str) -> Node {
    let mut node = Node {
        category: Text::default(),
        tags: Vec::new(),
        indices: Vec::new(),
        word: None,
        parent: None,
        children: Vec::new(),
        role: Role::default(),
        function: None,
        heads: Vec::new(),
        first: 0,
        added: false,
    };
    // `-NONE-` and `-LRB-` are categories of their own; a label that starts with `=` is malformed but kept.
    let Some(end) = label.find(['-', '=']).filter(|&end| end > 0) else {
        node.category = Text::from(label);
        return node;
    };
    node.category = Text::from(&label[..end]);
    let mut rest = &label[end..];
    while let Some(sign) = rest.chars().next() {
        let body = &rest[1..];
        let end = body.find(['-', '=']).unwrap_or(body.len());
        let part = &body[..end];
        match part.parse::<u32>() {
            // A gapping index points at a parallel constituent, which is no antecedent.
            Ok(index) if sign == '-' => node.indices.push(index),
            Ok(_) => {}
            Err(_) if part.is_empty() => {}
            Err(_) => node.tags.push(Text::from(part)),
        }
        rest = &body[end..];
    }
    node
}

/// The index of a trace: `*T*-1`, `*-1`, `*RNR*-2`.
fn trace_index(word: &str) -> Option<u32> {
    let (name, index) = word.rsplit_once('-')?;
    if name.starts_with('*') { index.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_taken_apart() {
        let node = node_of("NP-PN-SBJ-1");
        assert_eq!((node.category.as_str(), node.indices.as_slice()), ("NP", &[1][..]));
        assert_eq!(node.tags, ["PN", "SBJ"]);
        assert_eq!(node_of("-NONE-").category, "-NONE-");
        assert_eq!(node_of("-LRB-").category, "-LRB-");
        let gap = node_of("NP-SBJ=1");
        assert_eq!((gap.category.as_str(), gap.tags.len(), gap.indices.len()), ("NP", 1, 0));
        assert_eq!(node_of("").category, "");
        assert_eq!(node_of("=1").category, "=1");
    }

    #[test]
    fn traces_have_indices_and_words_have_numbers() {
        assert_eq!(trace_index("*T*-12"), Some(12));
        assert_eq!(trace_index("*-1"), Some(1));
        assert_eq!(trace_index("*PRO*"), None);
        assert_eq!(trace_index("U-2"), None);
        let leaf = |tag: &str, word: &str| Phrase::Leaf { tag: tag.into(), word: word.into() };
        let np =
            Phrase::Node { label: "NP-1".into(), children: vec![leaf("-NONE-", "*T*-7"), leaf("NN", "x")] };
        let tree = Tree::new(&np);
        assert_eq!((tree.word(0), tree.word(1)), (None, Some(NodeId(1))));
        assert_eq!(tree.children(ROOT), [1]);
        assert!(!tree.is_empty(1) && tree.is_empty(2));
        assert_eq!(tree.preorder(), [0, 1, 2, 3]);
        assert_eq!(tree.postorder(), [2, 3, 1, 0]);
    }
}
