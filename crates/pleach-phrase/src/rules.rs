//! Rules as data: for a kind of local tree, which child is the head and what the others are to it.

use crate::is_punctuation;
use crate::tree::{Place, ROOT, Role, Tree};

/// Which children a rule makes heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetHead {
    /// The head that the shape of the local tree gives.
    OfShape,
    /// The first child.
    First,
    /// The last child that is not punctuation.
    Last,
    /// The child, when there is only one; else there is no head.
    Only,
    /// All children but conjunctions and punctuation are conjuncts.
    Conjuncts,
}

/// What the children of a local tree are to its head.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Which child is the head.
    pub head: SetHead,
    /// Functions that the category of a child decides, whatever its functional tags.
    pub by_category: &'static [(&'static str, &'static str)],
    /// Whether functional tags decide next.
    pub tags: bool,
    /// The function of all others; without one they get no arc.
    pub default: Option<&'static str>,
}

/// Annotates the children of a node by a rule. `known` are the functional tags that count, `conjunction` says
/// what joins conjuncts.
pub(crate) fn apply(
    tree: &mut Tree,
    place: Place,
    rule: &Rule,
    head: Option<Place>,
    known: &'static [&'static str],
    conjunction: fn(&Tree, Place) -> bool,
) {
    let children = tree.children(place).to_vec();
    if rule.head == SetHead::Conjuncts {
        for child in children {
            let node = tree.node(child);
            let role = match (conjunction(tree, child), is_punctuation(node)) {
                (true, _) => Role::Conjunction,
                (false, true) => Role::Dependent,
                (false, false) => Role::Conjunct,
            };
            tree.node_mut(child).role = role;
        }
        return;
    }
    let not_punctuation = |&&child: &&Place| !is_punctuation(tree.node(child));
    let head = match rule.head {
        SetHead::First => children.first().copied(),
        SetHead::Last => children.iter().rev().find(not_punctuation).copied(),
        SetHead::Only => children.first().copied().filter(|_| children.len() == 1),
        SetHead::OfShape | SetHead::Conjuncts => head,
    };
    for child in children {
        if Some(child) == head {
            tree.node_mut(child).role = Role::Head;
        } else if !is_punctuation(tree.node(child)) && (rule.head != SetHead::Only || head.is_some()) {
            let function = function_of(tree, child, rule, known);
            tree.node_mut(child).function = function;
        }
    }
}

fn function_of(
    tree: &Tree,
    child: Place,
    rule: &Rule,
    known: &'static [&'static str],
) -> Option<&'static str> {
    let node = tree.node(child);
    let by_category = rule.by_category.iter().find(|(category, _)| node.is(category));
    let by_tag = || tag_of(tree, child, known).filter(|_| rule.tags);
    by_category.map(|&(_, function)| function).or_else(by_tag).or(rule.default)
}

/// The first functional tag of a node that names a function.
pub(crate) fn tag_of(tree: &Tree, place: Place, known: &'static [&'static str]) -> Option<&'static str> {
    let tags = &tree.node(place).tags;
    tags.iter().find_map(|tag| known.iter().copied().find(|known| tag == known))
}

/// Every tree in the outer brackets is a root of its own.
pub(crate) fn crown(tree: &mut Tree) {
    for child in tree.children(ROOT).to_vec() {
        if !is_punctuation(tree.node(child)) {
            tree.node_mut(child).role = Role::Head;
        }
    }
}

/// Of two leaves in a row that are conjuncts the first is none but modifies the second: 经济 贸易 和 金融 has two
/// conjuncts, and so has "trade and budget deficits".
pub(crate) fn nouns_in_row(tree: &mut Tree, place: Place) {
    let children = tree.children(place).to_vec();
    for pair in children.windows(2) {
        let conjunct = |&child: &Place| tree.node(child).is_leaf() && tree.node(child).role == Role::Conjunct;
        if pair.iter().all(conjunct) {
            let first = tree.node_mut(pair[0]);
            (first.role, first.function) = (Role::Dependent, Some("NMOD"));
        }
    }
}
