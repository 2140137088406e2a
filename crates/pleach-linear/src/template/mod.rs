//! Feature templates: which parts of a configuration are looked at together.
//!
//! The language, one template a line, a template being atoms with spaces between them:
//!
//! ```text
//! # nodes:      s0 s1 s2 … of the stack, m0 m1 … of the second stack, b0 b1 … of the buffer;
//! #             at a site of a tree system: s0 s1 … from its left token leftwards, b0 b1 … from its right token
//! #             rightwards, m0 m1 … between them from the left, w0 w1 … at the rightmost site: from the token that
//! #             SHIFT pushes out of the window rightwards;
//! #             h d x y of a part of a graph (head, dependent, two more)
//! # neighbours: .lp .rp .lc .rc .lc2 .rc2 (left-most parent, right-most parent, … second right-most child)
//! # trees:      .tp (the parent in the tree that the parser is given)
//! # places:     s0-1 s0+2 (the word before the top of the stack, the second one after it)
//! # attributes: .w .lo .m .p .p1 .u .f .pre1-3 .suf1-3 .shape (of the word)
//! #             .l (label of the arc to this neighbour)  .e (whether there is such a node)
//! #             .nlp .nrp .nlc .nrc .np .nc (how many)  .lset .rset (label sets of the children)
//! #             .tl (label of the arc from the tree parent)
//! #             .t (the frame or supertag that SHIFT gave to this node, zero before that)
//! # pairs:      d(X,Y) distance, signed   dir(X,Y) which one is first   arc(X,Y) labels between them
//! #             btw(X,Y) kinds of words in between
//! #             path(X,Y) cpath(X,Y) lpath(X,Y) tags, their first letters, labels along the tree path
//! s0.w b0.p d(s0,b0)
//! macro pair(X, Y)
//!   X.w Y.w
//!   X.p Y.p
//! end
//! pair(s0.lc, b0)
//! ```
//!
//! A template whose word is not there (no left child, empty stack) gives no feature; labels and counts of
//! absent neighbours are zero.

mod groups;
mod parse;
mod summed;

pub(crate) use groups::{Feature, Group, Groups, MOST_ATOMS};
pub use parse::TemplateError;
pub(crate) use summed::{Marks, PLACES, PartView, Summed};

use groups::Contents;
use pleach_graph::words::{Attribute, Path};
use pleach_transition::configuration::List;

/// A node that templates look at, resolved once per configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeExpr {
    /// One of the configuration's own.
    Start(List, u8),
    /// The word some places after (or before) an earlier node.
    Offset(u16, i8),
    /// A neighbour of an earlier node in the partial graph.
    Neighbour(u16, Neighbourhood),
    /// The parent of an earlier node in the tree that the parser is given.
    TreeParent(u16),
}

/// A neighbour in the partial graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neighbourhood {
    LeftParent,
    RightParent,
    LeftChild,
    LeftChild2,
    RightChild,
    RightChild2,
}

/// How many neighbours of a kind a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    LeftParents,
    RightParents,
    LeftChildren,
    RightChildren,
    Parents,
    Children,
}

/// A value that templates combine; evaluated once per configuration however many templates use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atom {
    Word(u16, Attribute),
    Label(u16),
    Exists(u16),
    Count(u16, Count),
    LeftLabels(u16),
    RightLabels(u16),
    Distance(u16, u16),
    Direction(u16, u16),
    Arc(u16, u16),
    Between(u16, u16),
    TreeLabel(u16),
    Tag(u16),
    Path(u16, u16, Path),
}

/// A compiled set of templates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Templates {
    pub(crate) nodes: Vec<NodeExpr>,
    pub(crate) atoms: Vec<Atom>,
    /// The atoms of all templates one after the other.
    pub(crate) parts: Vec<u16>,
    /// Where each template ends in `parts`.
    pub(crate) ends: Vec<u32>,
    /// The templates by the nodes they look at.
    pub(crate) groups: Groups,
    /// All atoms of the groups that look at the partial graph.
    pub(crate) changing: Vec<u16>,
    /// The number of the first template in the keys of features.
    pub(crate) base: u32,
    /// Bits that all keys have, and bits that none has but for those.
    pub(crate) marks: (u64, u64),
    source: String,
}

/// More nodes than this don't fit the key of a fixed group.
const MOST_NODES: usize = 3;

impl Templates {
    /// Compiles templates; `name` is the file's name in error messages.
    pub fn parse(name: &str, source: &str) -> Result<Self, TemplateError> {
        let mut templates = parse::Compiler::new(name).compile(source)?;
        templates.group();
        Ok(templates)
    }

    /// The same templates as the `number`th of several sets that share one table of weights: their features have
    /// keys of their own.
    pub fn as_set(mut self, number: u16) -> Self {
        self.base = u32::from(number) << 16;
        self
    }

    /// The same templates with keys that have a bit, or have it not.
    pub(crate) fn marked(mut self, bit: u64, set: bool) -> Self {
        self.marks = (if set { bit } else { 0 }, bit);
        self
    }

    /// The text they were compiled from; models carry it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The atoms of a template.
    #[inline]
    pub(crate) fn atoms_of(&self, template: u16) -> &[u16] {
        let start = template.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.parts[start as usize..self.ends[template as usize] as usize]
    }

    /// Sorts the templates into groups.
    fn group(&mut self) {
        let mut groups: Vec<Contents> = Vec::new();
        for template in 0..self.ends.len() as u16 {
            let atoms = self.atoms_of(template).to_vec();
            let (mut nodes, mut linked): (Vec<u16>, Vec<u16>) = (Vec::new(), Vec::new());
            let mut fixed = true;
            for &atom in &atoms {
                let (starts, is_fixed) = self.starts(self.atoms[atom as usize]);
                if !is_fixed {
                    linked.extend(&starts);
                }
                nodes.extend(starts);
                fixed &= is_fixed;
            }
            for list in [&mut nodes, &mut linked] {
                list.sort_unstable();
                list.dedup();
            }
            fixed &= nodes.len() <= MOST_NODES;
            if !fixed {
                self.changing.extend(&atoms);
            }
            let same =
                |group: &Contents| (&group.nodes, &group.linked, group.fixed) == (&nodes, &linked, fixed);
            let place = groups.iter().position(same).unwrap_or_else(|| {
                groups.push(Contents { nodes, linked, fixed, ..Contents::default() });
                groups.len() - 1
            });
            let group = &mut groups[place];
            group.templates.push(template);
            group.atoms.extend(&atoms);
            group.atoms.sort_unstable();
            group.atoms.dedup();
        }
        self.changing.sort_unstable();
        self.changing.dedup();
        let mut all = Groups::default();
        groups.into_iter().for_each(|group| all.push(group, &self.atoms, |template| self.atoms_of(template)));
        self.groups = all;
    }

    /// The stack and buffer nodes that an atom starts from, and whether they alone decide its value.
    pub(crate) fn starts(&self, atom: Atom) -> (Vec<u16>, bool) {
        let of = |node: u16| self.start(node);
        match atom {
            Atom::Word(node, _) => (vec![of(node).0], of(node).1),
            // Whether a node is there is worth knowing just when it is not.
            Atom::Exists(_) => (vec![], false),
            Atom::Label(node)
            | Atom::Count(node, _)
            | Atom::LeftLabels(node)
            | Atom::RightLabels(node)
            | Atom::Tag(node) => (vec![of(node).0], false),
            Atom::TreeLabel(node) => (vec![of(node).0], of(node).1),
            Atom::Distance(a, b) | Atom::Direction(a, b) | Atom::Between(a, b) | Atom::Path(a, b, _) => {
                (vec![of(a).0, of(b).0], of(a).1 && of(b).1)
            }
            Atom::Arc(a, b) => (vec![of(a).0, of(b).0], false),
        }
    }

    fn start(&self, node: u16) -> (u16, bool) {
        match self.nodes[node as usize] {
            NodeExpr::Start(..) => (node, true),
            NodeExpr::Offset(inner, _) | NodeExpr::TreeParent(inner) => self.start(inner),
            NodeExpr::Neighbour(inner, _) => (self.start(inner).0, false),
        }
    }

    /// How far templates look from a place: the largest index of a node in any of the configuration's lists, or all of it
    /// when they look at the other end of the window.
    pub fn reach(&self) -> usize {
        let index = |node: &NodeExpr| match node {
            NodeExpr::Start(List::Window, _) => usize::MAX,
            NodeExpr::Start(_, index) => usize::from(*index),
            _ => 0,
        };
        self.nodes.iter().map(index).max().unwrap_or(0)
    }

    /// How many templates there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// The template files that ship with Pleach, by name.
pub const SHIPPED: &[(&str, &str)] = &[
    ("figure-6", include_str!("../../templates/figure-6.tmpl")),
    ("frames", include_str!("../../templates/frames.tmpl")),
    ("paths", include_str!("../../templates/paths.tmpl")),
    (
        "paths-two-stack",
        concat!(
            include_str!("../../templates/paths.tmpl"),
            include_str!("../../templates/paths-second.tmpl")
        ),
    ),
    ("thmm", concat!(include_str!("../../templates/macros.tmpl"), include_str!("../../templates/thmm.tmpl"))),
    (
        "reorder",
        concat!(include_str!("../../templates/macros.tmpl"), include_str!("../../templates/reorder.tmpl")),
    ),
    (
        "two-stack",
        concat!(include_str!("../../templates/macros.tmpl"), include_str!("../../templates/two-stack.tmpl")),
    ),
    (
        "two-stack-full",
        concat!(
            include_str!("../../templates/macros.tmpl"),
            include_str!("../../templates/two-stack-full.tmpl")
        ),
    ),
    ("list", concat!(include_str!("../../templates/macros.tmpl"), include_str!("../../templates/list.tmpl"))),
    ("control", include_str!("../../templates/control.tmpl")),
    ("control-fast", include_str!("../../templates/control-fast.tmpl")),
    ("zhang-nivre", include_str!("../../templates/zhang-nivre.tmpl")),
    (
        "zhang-nivre-rich",
        concat!(include_str!("../../templates/zhang-nivre.tmpl"), include_str!("../../templates/rich.tmpl")),
    ),
    ("tree-arc", include_str!("../../templates/tree-arc.tmpl")),
    ("tree-label", include_str!("../../templates/tree-label.tmpl")),
    ("tree-sibling", include_str!("../../templates/tree-sibling.tmpl")),
    ("tree-grandchild", include_str!("../../templates/tree-grandchild.tmpl")),
    ("tree-arc-full", include_str!("../../templates/tree-arc-full.tmpl")),
    ("tree-label-full", include_str!("../../templates/tree-label-full.tmpl")),
    ("tree-sibling-full", include_str!("../../templates/tree-sibling-full.tmpl")),
    ("tree-grandchild-full", include_str!("../../templates/tree-grandchild-full.tmpl")),
    (
        "graph-arc-full",
        concat!(
            include_str!("../../templates/tree-arc-full.tmpl"),
            include_str!("../../templates/graph-tree.tmpl")
        ),
    ),
    (
        "graph-label-full",
        concat!(
            include_str!("../../templates/tree-label-full.tmpl"),
            include_str!("../../templates/graph-tree.tmpl")
        ),
    ),
    (
        "graph-arc",
        concat!(
            include_str!("../../templates/tree-arc.tmpl"),
            include_str!("../../templates/graph-tree.tmpl")
        ),
    ),
    (
        "graph-label",
        concat!(
            include_str!("../../templates/tree-label.tmpl"),
            include_str!("../../templates/graph-tree.tmpl")
        ),
    ),
    ("list-fast", include_str!("../../templates/list-fast.tmpl")),
    ("arc-label-fast", include_str!("../../templates/arc-label-fast.tmpl")),
    ("arc-label", include_str!("../../templates/arc-label.tmpl")),
    (
        "arc-label-tree",
        concat!(
            include_str!("../../templates/arc-label.tmpl"),
            include_str!("../../templates/graph-tree.tmpl")
        ),
    ),
    ("graph-pair", include_str!("../../templates/graph-pair.tmpl")),
    ("graph-context", include_str!("../../templates/graph-context.tmpl")),
    ("graph-pair-full", include_str!("../../templates/graph-pair-full.tmpl")),
    ("graph-context-full", include_str!("../../templates/graph-context-full.tmpl")),
    ("graph-triple", include_str!("../../templates/graph-triple.tmpl")),
];

/// The text of a shipped template file.
pub fn shipped(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches keep rows of scores as far away as templates can't look; what SHIFT pushes out may be any number of tokens away.
    #[test]
    fn templates_that_see_the_other_end_of_the_window_may_look_anywhere() {
        let reach = |source| Templates::parse("t", source).unwrap().reach();
        assert_eq!([reach("s0.w b0.w\n"), reach("s0.p b2.p\ns1.lc.p\n")], [0, 2]);
        assert_eq!([reach("w0.p\n"), reach("s1.p w1.lc.p\n")], [usize::MAX; 2]);
    }

    #[test]
    fn shipped_templates_compile_without_repetitions() {
        for (name, source) in SHIPPED {
            let templates = Templates::parse(name, source).unwrap();
            assert!(templates.len() > 5, "{name}");
            let mut seen: Vec<Vec<u16>> = Vec::new();
            let mut start = 0;
            for &end in &templates.ends {
                let mut parts = templates.parts[start..end as usize].to_vec();
                parts.sort_unstable();
                assert!(!seen.contains(&parts), "{name} repeats a template: {parts:?}");
                seen.push(parts);
                start = end as usize;
            }
        }
    }
}
