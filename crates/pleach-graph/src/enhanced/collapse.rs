//! Empty nodes folded into path labels, and unfolded again.
//!
//! [`collapse`] does what the IWPT 2020 shared task does before scoring: `h -r1-> e -r2-> d` becomes
//! `h -r1>r2-> d`; empty nodes without dependents vanish. Labels stay plain, so that a parser can learn
//! them. [`expand`] puts nodes back. From labels alone it must guess:
//!
//! - arcs with the same head and the same first relation share one empty node;
//! - two such nodes with the same dependents under the same labels are one node with two heads;
//! - the node stands after the last of its nearby `cc`, `mark`, `case`, `det`, `amod` and `nsubj`
//!   dependents, else before the first of its nearby ones; nearby means right of the head;
//! - a node under `conj` is a copy of that head (`CopyOf` in MISC), any other has the form `_`.
//!
//! Whatever it guesses, collapsing the result gives the same graph again. [`collapse_keeping`] also writes
//! each empty node into a comment, from which `expand` restores the sentence exactly as long as nobody has
//! changed the arcs; else the comments are dropped and it guesses.
//!
//! Complexity: O(m log m) for m arcs, plus the bytes of path labels (bounded, see `path.rs`).

use super::path::{join, split};
use super::record::Record;
use crate::{Arc, Graph, NodeId, Sentence, Text, Token, TokenId};
use std::collections::BTreeMap;

/// Takes empty nodes out of a sentence that is to be parsed, and its graph with them; heads in the basic tree follow.
pub fn drop_empty_nodes(sentence: &mut Sentence) {
    if sentence.has_empty_nodes() {
        sentence.graph = Graph::new(sentence.len());
        collapse(sentence);
    }
}

/// Folds empty nodes into path labels.
pub fn collapse(sentence: &mut Sentence) {
    if !sentence.has_empty_nodes() {
        return;
    }
    let mut places = Vec::with_capacity(sentence.len() + 1);
    places.push(Some(NodeId::ROOT));
    let mut words = 0;
    for token in &sentence.tokens {
        words += u32::from(!token.id.is_empty_node());
        places.push((!token.id.is_empty_node()).then_some(NodeId(words)));
    }
    let place = |node: NodeId| places.get(node.index()).copied().flatten();
    let paths = join(&sentence.graph, |node| place(node).is_none());
    let arcs = std::mem::take(&mut sentence.graph).into_arcs().into_iter().chain(paths);
    let arcs = arcs.filter_map(|arc| {
        Some(Arc { head: place(arc.head)?, dependent: place(arc.dependent)?, label: arc.label })
    });
    sentence.graph = Graph::from_arcs(words as usize, arcs.collect());
    sentence.tokens.retain(|token| !token.id.is_empty_node());
    for token in &mut sentence.tokens {
        token.head = token.head.and_then(place);
    }
}

/// Folds empty nodes into path labels and writes the nodes into comments, so that [`expand`] is exact.
pub fn collapse_keeping(sentence: &mut Sentence) {
    let records: Vec<String> = Record::all(sentence).iter().map(Record::to_comment).collect();
    collapse(sentence);
    sentence.comments.extend(records);
}

/// Puts empty nodes back: from the comments of [`collapse_keeping`] when they fit, else by guessing.
pub fn expand(sentence: &mut Sentence) {
    let mut records = Some(Vec::new());
    sentence.comments.retain(|line| match Record::from_comment(line) {
        Some(record) => {
            records = records.take().zip(record).map(|(mut all, one)| {
                all.push(one);
                all
            });
            false
        }
        None => true,
    });
    let restored = match records {
        Some(records) if !records.is_empty() => restore(sentence, records),
        _ => None,
    };
    match restored {
        Some(restored) => *sentence = restored,
        None => guess(sentence),
    }
}

/// The sentence as it was, unless the graph lacks an arc that the recorded nodes would give.
fn restore(sentence: &Sentence, records: Vec<Record>) -> Option<Sentence> {
    let mut restored = with_tokens(sentence, records.iter().map(|record| record.token.clone()).collect())?;
    let len = restored.len();
    let mut arcs = Vec::new();
    for record in records {
        let node = restored.node(record.token.id)?;
        if let Some(head) = record.head {
            restored.tokens[node.index() - 1].head = Some(restored.node(head)?);
        }
        for (head, label) in record.incoming {
            arcs.push(Arc { head: restored.node(head)?, dependent: node, label });
        }
        for (dependent, label) in record.outgoing {
            let dependent = restored.node(dependent).filter(|node| !node.is_root())?;
            arcs.push(Arc { head: node, dependent, label });
        }
    }
    let around = Graph::from_arcs(len, arcs);
    let paths = Graph::from_arcs(len, join(&around, |node| restored.id_of(node).is_empty_node()));
    if !paths.arcs().iter().all(|path| restored.graph.contains(path)) {
        return None;
    }
    restored.graph.retain(|arc| !paths.contains(arc));
    let mut arcs = std::mem::take(&mut restored.graph).into_arcs();
    arcs.extend(around.into_arcs());
    restored.graph = Graph::from_arcs(len, arcs);
    Some(restored)
}

/// The sentence with more tokens, in the order of their ids; `None` when an id stands twice or follows no
/// word.
fn with_tokens(sentence: &Sentence, more: Vec<Token>) -> Option<Sentence> {
    let words = sentence.tokens.iter().rev().find(|token| !token.id.is_empty_node());
    let last = words.map_or(0, |token| token.id.word);
    if more.iter().any(|token| token.id.word > last) || !sentence.tokens.is_sorted_by_key(|token| token.id) {
        return None;
    }
    let mut tokens = sentence.tokens.clone();
    tokens.extend(more);
    tokens.sort_by_key(|token| token.id);
    if tokens.windows(2).any(|pair| pair[0].id == pair[1].id) {
        return None;
    }
    let mut wider = Sentence {
        comments: sentence.comments.clone(),
        tokens,
        multiwords: sentence.multiwords.clone(),
        graph: Graph::default(),
        phrase: sentence.phrase.clone(),
        extra: sentence.extra.clone(),
    };
    let places: Vec<NodeId> = (0..=sentence.len() as u32)
        .map(|node| wider.node(sentence.id_of(NodeId(node))))
        .collect::<Option<_>>()?;
    let place = |node: NodeId| places.get(node.index()).copied();
    for (i, token) in sentence.tokens.iter().enumerate() {
        wider.tokens[places[i + 1].index() - 1].head = token.head.and_then(place);
    }
    let arcs = sentence.graph.arcs().iter().filter_map(|arc| {
        Some(Arc { head: place(arc.head)?, dependent: place(arc.dependent)?, label: arc.label.clone() })
    });
    wider.graph = Graph::from_arcs(wider.len(), arcs.collect());
    Some(wider)
}

/// Puts nodes where path labels ask for them.
fn guess(sentence: &mut Sentence) {
    let old = sentence.len() as u32;
    let Some(graph) = split(&sentence.graph) else { return };
    let graph = merged(&graph, old);
    let is_new = |node: NodeId| node.0 > old;

    // A node's place may depend on that of an empty node below it, which has a higher number.
    let mut dependents: BTreeMap<NodeId, Vec<&Arc>> = BTreeMap::new();
    for arc in graph.arcs().iter().filter(|arc| is_new(arc.head)) {
        dependents.entry(arc.head).or_default().push(arc);
    }
    let mut after: BTreeMap<NodeId, u32> = BTreeMap::new();
    for (&node, arcs) in dependents.iter().rev() {
        let head = graph.heads_of(node).map(|arc| arc.head).filter(|&head| !is_new(head)).max();
        let head = head.map_or(0, |head| sentence.id_of(head).word);
        let ends: Vec<(u32, &str)> = arcs
            .iter()
            .map(|arc| match after.get(&arc.dependent) {
                Some(&word) => (word + 1, arc.label.as_str()),
                None => (sentence.id_of(arc.dependent).word, arc.label.as_str()),
            })
            .collect();
        after.insert(node, word_before(head, &ends));
    }

    let mut last: BTreeMap<u32, u32> = BTreeMap::new();
    for token in sentence.tokens.iter().filter(|token| token.id.is_empty_node()) {
        let last = last.entry(token.id.word).or_default();
        *last = token.id.empty.max(*last);
    }
    let mut ids = BTreeMap::new();
    let mut tokens = Vec::new();
    for (&node, &word) in &after {
        let empty = last.entry(word).or_default();
        let Some(next) = empty.checked_add(1) else { return };
        *empty = next;
        let id = TokenId { word, empty: next };
        let original = graph.heads_of(node).find(|arc| {
            !is_new(arc.head) && !arc.head.is_root() && arc.label.split(':').next() == Some("conj")
        });
        let original = original.and_then(|arc| sentence.token(arc.head));
        tokens.push(copy_of(original, id));
        ids.insert(node, id);
    }
    let Some(mut wider) = with_tokens(sentence, tokens) else { return };
    let place = |node: NodeId| match ids.get(&node) {
        Some(&id) => wider.node(id),
        None => wider.node(sentence.id_of(node)),
    };
    let arcs = graph.arcs().iter().filter_map(|arc| {
        Some(Arc { head: place(arc.head)?, dependent: place(arc.dependent)?, label: arc.label.clone() })
    });
    wider.graph = Graph::from_arcs(wider.len(), arcs.collect());
    *sentence = wider;
}

/// The word after which an empty node stands, from its head's number and its dependents.
fn word_before(head: u32, ends: &[(u32, &str)]) -> u32 {
    const OPENERS: [&str; 6] = ["cc", "mark", "case", "det", "amod", "nsubj"];
    let right = ends.iter().any(|&(word, _)| word > head);
    let near = || ends.iter().filter(move |&&(word, _)| word > head || !right);
    let opener = near().filter(|(_, label)| OPENERS.contains(&label.split(':').next().unwrap_or_default()));
    match opener.map(|&(word, _)| word).max() {
        Some(word) => word,
        None => near().map(|&(word, _)| word).min().map_or(head, |word| word.saturating_sub(1)),
    }
}

fn copy_of(original: Option<&Token>, id: TokenId) -> Token {
    match original {
        Some(original) => Token {
            id,
            form: original.form.clone(),
            lemma: original.lemma.clone(),
            upos: original.upos.clone(),
            xpos: original.xpos.clone(),
            feats: original.feats.clone(),
            misc: Text::from(format!("CopyOf={}", original.id)),
            ..Token::default()
        },
        None => Token { id, form: Text::from("_"), ..Token::default() },
    }
}

/// Makes one node of new nodes with the same dependents under the same labels. Node numbers stay; the
/// nodes that are no longer used have no arcs.
fn merged(graph: &Graph, old: u32) -> Graph {
    let mut dependents: Vec<Vec<(&str, NodeId)>> = vec![Vec::new(); graph.len() + 1 - old as usize];
    for arc in graph.arcs().iter().filter(|arc| arc.head.0 > old) {
        dependents[(arc.head.0 - old) as usize].push((&arc.label, arc.dependent));
    }
    // Heads have lower numbers than the new nodes below them: go from the bottom up.
    let mut same: Vec<NodeId> = (0..=graph.len() as u32).map(NodeId).collect();
    let mut first: BTreeMap<Vec<(&str, NodeId)>, NodeId> = BTreeMap::new();
    for node in (old + 1..=graph.len() as u32).rev() {
        let mut below = std::mem::take(&mut dependents[(node - old) as usize]);
        for (_, dependent) in &mut below {
            *dependent = same[dependent.index()];
        }
        below.sort_unstable();
        same[node as usize] = *first.entry(below).or_insert(NodeId(node));
    }
    let arcs = graph.arcs().iter().map(|arc| Arc {
        head: same[arc.head.index()],
        dependent: same[arc.dependent.index()],
        label: arc.label.clone(),
    });
    Graph::from_arcs(graph.len(), arcs.collect())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{deps, sentence};
    use super::*;
    use crate::random::Random;

    const GAPPING: &str = "
        1 She/she 3:nsubj|4.1:nsubj
        2 likes/like 0:root
        3 tea/tea 2:obj
        4 and/and 4.1:cc|5:cc
        4.1 likes/like/VERB 2:conj:and
        5 he/he 4.1:nsubj
        6 milk/milk 4.1:obj";

    #[test]
    fn an_empty_node_becomes_paths_and_comes_back() {
        let gold = sentence(GAPPING);
        let mut s = gold.clone();
        s.tokens[5].head = Some(NodeId(6));
        collapse(&mut s);
        assert_eq!(s.tokens[4].head, Some(NodeId(5)), "the basic tree moves along");
        let expected = [
            "1 2:conj:and>nsubj|3:nsubj",
            "2 0:root",
            "3 2:obj",
            "4 2:conj:and>cc|5:cc",
            "5 2:conj:and>nsubj",
            "6 2:conj:and>obj",
        ];
        assert_eq!(deps(&s), expected);
        expand(&mut s);
        assert_eq!(s.tokens[5].head, None, "an empty node has no place in the tree");
        let node = s.tokens.iter().find(|token| token.id.is_empty_node()).unwrap();
        assert_eq!(
            (node.id, node.form.as_str(), node.misc.as_str()),
            (TokenId { word: 5, empty: 1 }, "likes", "CopyOf=2")
        );
        assert_eq!(deps(&s)[0], "1 3:nsubj|5.1:nsubj");
        assert_eq!(deps(&s)[5], "5.1 2:conj:and");
        assert_eq!(deps(&s)[6], "6 5.1:obj");
    }

    #[test]
    fn comments_bring_everything_back() {
        let mut gold = sentence(GAPPING);
        gold.comments.push("# sent_id = x".into());
        gold.tokens[4].misc = "A=\"tab\t\"".into();
        gold.tokens.push(Token { id: TokenId { word: 6, empty: 1 }, form: "_".into(), ..Token::default() });
        gold.graph = Graph::from_arcs(8, gold.graph.into_arcs());
        gold.graph.insert(NodeId(7), NodeId(8), "case".into());
        let mut s = gold.clone();
        collapse_keeping(&mut s);
        assert_eq!((s.len(), s.comments.len()), (6, 3));
        let mut other = s.clone();
        expand(&mut s);
        assert_eq!(s, gold);

        // Somebody takes an arc away: the comments no longer describe this graph.
        let arc = other.graph.incoming(NodeId(6))[0].clone();
        other.graph.remove(&arc);
        expand(&mut other);
        assert_eq!(other.comments, ["# sent_id = x"]);
        assert_eq!(other.tokens.iter().filter(|token| token.id.is_empty_node()).count(), 1);
    }

    #[test]
    fn broken_comments_are_dropped() {
        for json in ["{", "{\"id\":\"1\"}", "{\"id\":\"9.1\",\"incoming\":[],\"outgoing\":[]}", "[]"] {
            let mut s = sentence("1 a 0:root");
            s.comments.push(format!("# collapsed_node = {json}"));
            expand(&mut s);
            assert_eq!(s, sentence("1 a 0:root"));
        }
    }

    #[test]
    fn one_node_with_two_heads_is_found_again() {
        let gold = sentence(
            "1 a 0:root
             2 b 1:advcl
             3 c 2:cc
             3.1 d 1:advcl:with|2:conj:and
             4 e 3.1:obj",
        );
        let mut s = gold.clone();
        collapse(&mut s);
        assert_eq!(deps(&s)[3], "4 1:advcl:with>obj|2:conj:and>obj");
        expand(&mut s);
        assert_eq!(s.graph, gold.graph);
    }

    #[test]
    fn expanding_any_graph_and_collapsing_it_changes_nothing() {
        let mut random = Random(1);
        for _ in 0..3000 {
            let len = 3 + random.below(4);
            let mut tokens = Vec::new();
            for word in 1..=len {
                tokens.push(Token::new(word, "w"));
                for empty in 1..=random.below(3) {
                    tokens.push(Token { id: TokenId { word, empty }, ..Token::default() });
                }
            }
            let mut s = Sentence { graph: Graph::new(tokens.len()), tokens, ..Sentence::default() };
            let nodes = s.len() as u32;
            for _ in 0..random.below(3 * nodes) {
                let label = ["a", "b", "conj"][random.below(3) as usize];
                s.graph.insert(
                    NodeId(random.below(nodes + 1)),
                    NodeId(1 + random.below(nodes)),
                    label.into(),
                );
            }
            let gold = s.clone();
            let mut kept = s.clone();
            collapse_keeping(&mut kept);
            expand(&mut kept);
            assert_eq!(kept, gold);
            collapse(&mut s);
            let flat = s.clone();
            assert_eq!(flat.len() as u32, len);
            expand(&mut s);
            collapse(&mut s);
            assert_eq!(s, flat);
        }
    }
}
