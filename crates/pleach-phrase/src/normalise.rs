//! Stage 2: flat trees are made less flat, so that the patterns of stage 3 meet one shape of tree.
//!
//! Invariant: head words and arcs are those of the flat tree; only nodes are put over sisters, none are taken
//! away. Time linear in the size of the tree.

use crate::chinese::shape::is_adjunction;
use crate::tree::{Node, Place, ROOT, Role, Tree};
use crate::{Language, is_punctuation};
use pleach_graph::Text;

/// Normalises all nodes.
pub fn normalise(tree: &mut Tree, language: Language) {
    for place in tree.postorder() {
        if tree.node(place).is_leaf() || place == ROOT {
            continue;
        }
        match language {
            Language::Chinese => {
                if tree.node(place).is("NP") {
                    group_conjuncts(tree, place, |node| node.is_leaf());
                }
                let place = set_aside_brackets(tree, place);
                if is_adjunction(tree, place) {
                    nest_modifiers(tree, place);
                }
                split_clause(tree, place);
            }
            Language::English => {
                join_conjuncts(tree, place);
                group_conjuncts(tree, place, |_| true);
            }
        }
    }
}

/// What stands before a conjunct and belongs to it becomes one conjunct with it: (NP 经济 贸易 和 金融) has two
/// conjuncts, 经济贸易 and 金融.
fn group_conjuncts(tree: &mut Tree, place: Place, belongs: fn(&Node) -> bool) {
    let children = tree.children(place).to_vec();
    if !children.iter().any(|&child| tree.node(child).role == Role::Conjunct) {
        return;
    }
    let mut grouped = Vec::with_capacity(children.len());
    let mut waiting: Vec<Place> = Vec::new();
    for child in children {
        let node = tree.node(child);
        match node.role {
            Role::Dependent if belongs(node) && node.function.is_some() => waiting.push(child),
            Role::Conjunct if !waiting.is_empty() => {
                waiting.push(child);
                let category = tree.node(place).category.clone();
                let over = tree.add_over(category, std::mem::take(&mut waiting), Role::Conjunct);
                tree.node_mut(child).role = Role::Head;
                grouped.push(over);
            }
            _ => {
                grouped.append(&mut waiting);
                grouped.push(child);
            }
        }
    }
    grouped.append(&mut waiting);
    tree.set_children(place, grouped);
}

/// Conjuncts that share dependents to their right, or phrases to their left, become one head: in (VP bought and
/// sold shares) both verbs have the object.
fn join_conjuncts(tree: &mut Tree, place: Place) {
    let children = tree.children(place).to_vec();
    let conjunct = |&child: &Place| tree.node(child).role == Role::Conjunct;
    let (Some(first), Some(last)) = (children.iter().position(conjunct), children.iter().rposition(conjunct))
    else {
        return;
    };
    // Leaves before a noun are part of its conjunct.
    let shared = |&child: &Place| tree.node(child).function.is_some();
    let left = children[..first].iter().any(|child| shared(child) && !tree.node(*child).is_leaf());
    let right = children[last + 1..].iter().any(shared);
    if !left && !right {
        return;
    }
    let from = if left { first } else { 0 };
    let category = tree.node(place).category.clone();
    let joined = tree.add_over(category, children[from..=last].to_vec(), Role::Head);
    let mut outer = children[..from].to_vec();
    outer.push(joined);
    outer.extend_from_slice(&children[last + 1..]);
    tree.set_children(place, outer);
    group_conjuncts(tree, joined, |_| true);
}

/// Brackets and quotes around at least two sisters are set aside; the node between them goes on.
fn set_aside_brackets(tree: &mut Tree, place: Place) -> Place {
    let mut place = place;
    while let [first, between @ .., last] = tree.children(place)
        && between.len() >= 2
        && is_punctuation(tree.node(*first))
        && is_punctuation(tree.node(*last))
    {
        let (first, last, between) = (*first, *last, between.to_vec());
        let category: Text = tree.node(place).category.clone();
        let inner = tree.add_over(category, between, Role::Head);
        tree.set_children(place, vec![first, inner, last]);
        place = inner;
    }
    place
}

/// Several modifiers before the head of an NP or VP are nested one by one.
fn nest_modifiers(tree: &mut Tree, place: Place) {
    let category = tree.node(place).category.clone();
    let [first, modifiers @ .., head] = tree.children(place) else { return };
    let nests = category == "NP" || category == "VP";
    let headed = tree.node(*head).role == Role::Head && tree.node(*head).category == category;
    if !nests || !headed || modifiers.is_empty() {
        return;
    }
    let (first, modifiers, mut inner) = (*first, modifiers.to_vec(), *head);
    for modifier in modifiers.into_iter().rev() {
        inner = tree.add_over(category.clone(), vec![modifier, inner], Role::Head);
    }
    tree.set_children(place, vec![first, inner]);
}

/// The subject and all up to the head of a clause become an IP of their own when the clause has adjuncts too.
fn split_clause(tree: &mut Tree, place: Place) {
    if !tree.node(place).is("IP") {
        return;
    }
    let children = tree.children(place).to_vec();
    let last = |fits: &dyn Fn(Place) -> bool| children.iter().rposition(|&child| fits(child));
    let subject = last(&|child| tree.node(child).function == Some("SBJ"));
    let head = last(&|child| tree.node(child).role == Role::Head);
    let adjunct = children.iter().any(|&child| tree.node(child).function == Some("ADV"));
    let (Some(subject), Some(head), true) = (subject, head, adjunct) else { return };
    if subject > head {
        return;
    }
    let clause = tree.add_over("IP".into(), children[subject..=head].to_vec(), Role::Head);
    let mut outer = children[..subject].to_vec();
    outer.push(clause);
    outer.extend_from_slice(&children[head + 1..]);
    tree.set_children(place, outer);
}
