//! Stage 1 for Penn Treebank brackets: heads by table, functions by tag and configuration.

use super::tables::{ALIKE, FUNCTION_TABLE, FUNCTIONS, From, HEADS, OTHERS};
use crate::is_punctuation;
use crate::rules::{Rule, SetHead, apply, crown, nouns_in_row, tag_of};
use crate::tree::{Place, ROOT, Role, Tree};

/// Annotates all nodes.
pub fn annotate(tree: &mut Tree) {
    for place in tree.preorder() {
        if place == ROOT {
            crown(tree);
        } else if !tree.node(place).is_leaf() {
            local(tree, place);
        }
    }
}

fn local(tree: &mut Tree, place: Place) {
    let category = tree.node(place).category.clone();
    let row = FUNCTION_TABLE.iter().find(|row| row.categories.contains(&category.as_str()));
    let rule = row.map_or(&OTHERS, |row| &row.rule);
    let conjuncts = conjuncts(tree, place);
    let head = if conjuncts.is_empty() { head_of(tree, place) } else { None };
    let last = Rule { head: SetHead::Last, ..*rule };
    let rule = if head.is_none() && conjuncts.is_empty() { &last } else { rule };
    apply(tree, place, rule, head, FUNCTIONS, |_, _| false);
    for child in tree.children(place).to_vec() {
        if is_conjunction(tree, child) {
            let node = tree.node_mut(child);
            (node.role, node.function) = (Role::Conjunction, None);
        }
    }
    for &conjunct in &conjuncts {
        let node = tree.node_mut(conjunct);
        (node.role, node.function) = (Role::Conjunct, None);
    }
    match category.as_str() {
        "VP" => objects(tree, place, rule.by_category),
        "NP" => appositions(tree, place),
        "SBAR" | "SBARQ" => moved(tree, place),
        _ => {}
    }
    nouns_in_row(tree, place);
}

/// The head by the table.
fn head_of(tree: &Tree, place: Place) -> Option<Place> {
    let children = tree.children(place);
    let row = HEADS.iter().find(|row| row.categories.contains(&tree.node(place).category.as_str()))?;
    row.groups.iter().find_map(|(from, group)| {
        let mut fitting =
            children.iter().copied().filter(|&child| group.contains(&tree.node(child).category.as_str()));
        match from {
            From::Left => fitting.next(),
            From::Right => fitting.next_back(),
        }
    })
}

fn is_conjunction(tree: &Tree, place: Place) -> bool {
    tree.node(place).is("CC") || tree.node(place).is("CONJP")
}

/// The conjuncts of a node that has a conjunction between two children.
fn conjuncts(tree: &Tree, place: Place) -> Vec<Place> {
    let children = tree.children(place);
    let plain = |&&child: &&Place| !is_punctuation(tree.node(child)) && !is_conjunction(tree, child);
    let Some(at) = children.iter().rposition(|&child| is_conjunction(tree, child)) else {
        return Vec::new();
    };
    let adverbial =
        |child: Place| ["ADVP", "RB", "PRN", "INTJ"].contains(&tree.node(child).category.as_str());
    let before = children[..at].iter().rev().find(plain).copied();
    // Adverbs after the conjunction belong to the conjunct that follows them, if one does.
    let after = children[at + 1..].iter().filter(plain).copied();
    let after = after.clone().find(|&child| !adverbial(child)).or_else(|| after.clone().next());
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    if tree.node(place).is("UCP") {
        return children.iter().filter(plain).copied().collect();
    }
    let alike: Vec<Place> = children.iter().copied().filter(|&child| are_alike(tree, child, after)).collect();
    // A noun after the conjunction may follow its modifiers: (old men and young women).
    let noun = |child: Place| ALIKE[0].contains(&tree.node(child).category.as_str());
    if ["NP", "NX", "WHNP"].contains(&tree.node(place).category.as_str()) && noun(before) {
        let nouns: Vec<Place> = children.iter().copied().filter(|&child| noun(child)).collect();
        if children[at + 1..].iter().any(|&child| noun(child)) {
            return nouns;
        }
    }
    if alike.iter().any(|&child| child != after && child <= before) { alike } else { vec![before, after] }
}

fn are_alike(tree: &Tree, one: Place, other: Place) -> bool {
    let (one, other) = (&tree.node(one).category, &tree.node(other).category);
    one == other || ALIKE.iter().any(|group| group.contains(&one.as_str()) && group.contains(&other.as_str()))
}

/// Noun phrases after a verb: one is the object, the first of two the indirect object.
fn objects(tree: &mut Tree, place: Place, by_category: &[(&str, &'static str)]) {
    let plain = |&&child: &&Place| {
        let node = tree.node(child);
        node.is("NP") && node.role == Role::Dependent && tag_of(tree, child, FUNCTIONS).is_none()
    };
    let objects: Vec<Place> = tree.children(place).iter().filter(plain).copied().collect();
    for (i, &object) in objects.iter().enumerate() {
        let function = if i + 1 < objects.len() { "IO" } else { "OBJ" };
        tree.node_mut(object).function = Some(function);
    }
    for child in tree.children(place).to_vec() {
        let governed = ["CLR", "DTV", "PUT"].iter().any(|tag| tree.node(child).tags.iter().any(|t| t == tag));
        let tagged = tag_of(tree, child, FUNCTIONS);
        let node = tree.node_mut(child);
        if node.role != Role::Dependent {
            continue;
        }
        if governed && node.is("PP") {
            node.function = Some("COMP");
        }
        // A clause with a tag of its own (purpose, time) is no complement.
        if let Some(function) = tagged
            && by_category.iter().any(|(category, _)| node.is(category))
            && !node.is_leaf()
        {
            node.function = Some(function);
        }
    }
}

/// A noun phrase set off by a comma behind the head is in apposition.
fn appositions(tree: &mut Tree, place: Place) {
    let children = tree.children(place).to_vec();
    let Some(head) = children.iter().position(|&child| tree.node(child).role == Role::Head) else { return };
    for pair in children[head..].windows(2) {
        let tagged = tag_of(tree, pair[1], FUNCTIONS).is_some();
        let comma = tree.node(pair[0]).is(",") || tree.node(pair[0]).is(":");
        let node = tree.node_mut(pair[1]);
        if comma && node.is("NP") && node.role == Role::Dependent && !tagged {
            node.function = Some("APP");
        }
    }
}

/// A moved phrase has its function where its trace is.
fn moved(tree: &mut Tree, place: Place) {
    for child in tree.children(place).to_vec() {
        let node = tree.node_mut(child);
        if node.category.starts_with("WH") && !node.indices.is_empty() {
            node.function = None;
        }
    }
}
