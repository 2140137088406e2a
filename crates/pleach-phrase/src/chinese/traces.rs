//! Stage 3: links empty categories to antecedents that the treebank does not name.
//!
//! Sun et al. (2019), section 3.2.2: patterns over category paths, tried in this order, each only for an empty
//! category that no earlier one has linked. A link is a shared index. Time O(leaves × depth).

use crate::tree::{Place, Role, Tree};
use crate::{Style, is_punctuation};
use std::collections::BTreeSet;

const PRO: &str = "*PRO*";
const LITTLE_PRO: &str = "*pro*";

/// Links what the patterns reach.
pub fn link(tree: &mut Tree, style: Style) {
    control(tree, style);
    relatives(tree, style);
    localisers(tree);
    subjects(tree);
    if style == Style::Refined {
        topic_chains(tree);
    }
}

/// Gives an empty category and its antecedent the same new index.
fn tie(tree: &mut Tree, trace: Place, antecedent: Place) {
    let index = tree.fresh_index();
    tree.node_mut(trace).indices.push(index);
    tree.node_mut(antecedent).indices.push(index);
}

/// The first leaf under a node, when it is a PRO that nothing is tied to.
fn leading_pro(tree: &Tree, place: Place) -> Option<Place> {
    let first = tree.leaves_under(place).next()?;
    is_free(tree, first, PRO).then_some(first)
}

fn is_free(tree: &Tree, leaf: Place, word: &str) -> bool {
    let node = tree.node(leaf);
    node.is_trace() && node.word.as_deref() == Some(word) && node.indices.is_empty()
}

/// V NP IP[PRO …]: the object controls the PRO (要求 学生 完成 作业). When the object is empty itself, the
/// subject above does.
fn control(tree: &mut Tree, style: Style) {
    for place in tree.preorder() {
        if !tree.node(place).is("VP") {
            continue;
        }
        let refined = style == Style::Refined;
        // An aspect marker or a comma changes nothing about control.
        let counts = |&&child: &&Place| !refined || !(tree.node(child).is("AS") || tree.node(child).is("PU"));
        let children: Vec<Place> = tree.children(place).iter().filter(counts).copied().collect();
        let &[verb, object, clause] = children.as_slice() else { continue };
        let verbal = tree.node(verb).category.starts_with('V');
        if !verbal || !tree.node(object).is("NP") || !tree.node(clause).is("IP") {
            continue;
        }
        let Some(pro) = leading_pro(tree, clause) else { continue };
        if !tree.is_empty(object) {
            tie(tree, pro, object);
            continue;
        }
        // What the empty object stands for controls the PRO as the object itself would.
        let object_index = tree.node(tree.leaf(tree.node(object).first)).indices.first().copied();
        if let Some(index) = object_index.filter(|_| refined) {
            tree.node_mut(pro).indices.push(index);
            continue;
        }
        let subject = tree.above(place, &["IP"]).and_then(|above| tree.child_with(above, "SBJ"));
        if let Some(subject) = subject {
            tie(tree, pro, subject);
        }
    }
}

/// `*T*` in a relative clause without an antecedent stands for the noun that the clause modifies, when it is a
/// subject or an object of the clause itself.
fn relatives(tree: &mut Tree, style: Style) {
    let mut taken = antecedents(tree, style);
    for clause in tree.preorder() {
        if tree.node(clause).function != Some("RELATIVE") {
            continue;
        }
        let Some(phrase) = tree.above(clause, &["NP"]) else { continue };
        let noun = tree.children(phrase).iter().rev().find(|&&child| !is_punctuation(tree.node(child)));
        let Some(&noun) = noun.filter(|&&noun| noun != clause) else { continue };
        let traces: Vec<Place> = tree.leaves_under(clause).collect();
        for trace in traces {
            let node = tree.node(trace);
            let moved = node.is_trace() && node.word.as_deref().is_some_and(|word| word.starts_with("*T*"));
            let index = node.indices.first().copied();
            let free = index.is_none_or(|index| !taken.contains(&index));
            if !moved || !free || !is_extracted(tree, trace, clause, style) {
                continue;
            }
            let Some(index) = index else {
                tie(tree, trace, noun);
                continue;
            };
            let indices = &mut tree.node_mut(noun).indices;
            indices.push(index);
            if style == Style::Refined || indices.len() == 1 {
                taken.insert(index);
            }
        }
    }
}

/// The indices that something has which is not empty. In the paper's conversion only the first index of a
/// phrase counts.
fn antecedents(tree: &Tree, style: Style) -> BTreeSet<u32> {
    let mut taken = BTreeSet::new();
    for place in tree.preorder() {
        let indices = &tree.node(place).indices;
        if !indices.is_empty() && !tree.is_empty(place) {
            let counted = if style == Style::Refined { indices.len() } else { 1 };
            taken.extend(&indices[..counted]);
        }
    }
    taken
}

/// Whether the path from a trace up to its clause is NP VP* IP* CP*; in the refined style also through the
/// complements of verbs, as in 他 认为 [_ 重要] 的 问题.
fn is_extracted(tree: &Tree, trace: Place, clause: Place, style: Style) -> bool {
    let path: Vec<&str> = tree
        .ancestors(trace)
        .take_while(|&up| up != clause)
        .map(|up| tree.node(up).category.as_str())
        .collect();
    match style {
        Style::Reference => follows(&path, "NP", &["VP", "IP", "CP"]),
        Style::Refined => path.split_first().is_some_and(|(first, rest)| {
            *first == "NP" && rest.iter().all(|category| ["VP", "IP", "CP"].contains(category))
        }),
    }
}

/// Whether a path is `first` and then any number of each of `rest` in that order.
fn follows(path: &[&str], first: &str, rest: &[&str]) -> bool {
    let Some((&start, mut path)) = path.split_first() else { return false };
    for category in rest {
        while let Some((_, after)) = path.split_first().filter(|(head, _)| *head == category) {
            path = after;
        }
    }
    start == first && path.is_empty()
}

/// PRO at the start of an LCP is the subject of the clause, when that comes first (他 [PRO 回 家] 后 休息).
fn localisers(tree: &mut Tree) {
    for place in tree.postorder() {
        if !tree.node(place).is("LCP") {
            continue;
        }
        let Some(pro) = leading_pro(tree, place) else { continue };
        let Some(clause) = tree.above(place, &["IP"]) else { continue };
        if let &[subject, _, ..] = tree.children(clause)
            && tree.node(subject).function == Some("SBJ")
        {
            tie(tree, pro, subject);
        }
    }
}

/// Any other PRO subject is the subject of the next clause up through VP or PP. Where that is empty too, the
/// two share what it is tied to.
fn subjects(tree: &mut Tree) {
    for pro in tree.leaves().to_vec() {
        if !is_free(tree, pro, PRO) {
            continue;
        }
        let Some(phrase) = tree.node(pro).parent.filter(|&up| tree.node(up).function == Some("SBJ")) else {
            continue;
        };
        let above = tree
            .above(phrase, &["IP"])
            .and_then(|low| tree.above(low, &["VP", "PP"]))
            .and_then(|verbal| tree.above(verbal, &["IP"]));
        let Some(above) = above else { continue };
        let path: Vec<&str> = std::iter::once(phrase)
            .chain(tree.ancestors(phrase).take_while(|&up| up != above))
            .map(|up| tree.node(up).category.as_str())
            .collect();
        // NP IP* VP*, NP IP* PP*, or NP IP* PP VP*.
        let adverbial = || path.iter().filter(|&&category| category == "PP").count() == 1;
        let reaches = follows(&path, "NP", &["IP", "VP"])
            || follows(&path, "NP", &["IP", "PP"])
            || (follows(&path, "NP", &["IP", "PP", "VP"]) && adverbial());
        let subject = tree.child_with(above, "SBJ").filter(|_| reaches);
        let Some(subject) = subject else { continue };
        let inherited = Some(tree.leaf(tree.node(subject).first)).filter(|_| tree.is_empty(subject));
        match inherited.and_then(|leaf| tree.node(leaf).indices.first().copied()) {
            Some(index) => tree.node_mut(pro).indices.push(index),
            None => tie(tree, pro, subject),
        }
    }
}

/// A dropped subject of a later clause in a chain of clauses is the subject of the clause before it.
fn topic_chains(tree: &mut Tree) {
    for place in tree.preorder() {
        let clause = |&&child: &&Place| tree.node(child).is("IP") && tree.node(child).role == Role::Conjunct;
        let clauses: Vec<Place> = tree.children(place).iter().filter(clause).copied().collect();
        let mut last: Option<Place> = None;
        for clause in clauses {
            let Some(subject) = subject_of(tree, clause) else { continue };
            if !tree.is_empty(subject) {
                last = Some(subject);
                continue;
            }
            let trace = tree.leaf(tree.node(subject).first);
            if let Some(antecedent) = last
                && (is_free(tree, trace, LITTLE_PRO) || is_free(tree, trace, PRO))
            {
                tie(tree, trace, antecedent);
            }
        }
    }
}

/// The subject of a clause, looked for in the clauses that stage 2 has put into it.
fn subject_of(tree: &Tree, clause: Place) -> Option<Place> {
    let mut clause = clause;
    loop {
        if let Some(subject) = tree.child_with(clause, "SBJ") {
            return Some(subject);
        }
        let inner = |&&child: &&Place| tree.node(child).is("IP") && tree.node(child).role == Role::Head;
        clause = *tree.children(clause).iter().find(inner)?;
    }
}
