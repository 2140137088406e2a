//! Gold standard and system output in one picture.
//!
//! Words are aligned by their numbers and must be the same; empty nodes may be there on one side only.

use crate::picture::{Basis, Label, Link, Mark, Picture, Word, arcs, shown, word};
use pleach_graph::{Graph, NodeId, Sentence, Text, TokenId};
use std::collections::BTreeMap;

/// Two sentences that have different words.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CompareError {
    /// A word differs or is on one side only.
    #[error("word {id} is {gold} in the gold standard and {system} in the system's output")]
    Words {
        /// The number of the first word that differs.
        id: TokenId,
        /// What the gold standard has.
        gold: String,
        /// What the system has.
        system: String,
    },
}

/// How often gold and system differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Links that only the gold standard has.
    pub missing: usize,
    /// Links that only the system has.
    pub spurious: usize,
    /// Links that both have, with different labels.
    pub relabelled: usize,
}

impl Differences {
    /// Counts the marks of a picture.
    pub fn of(picture: &Picture) -> Self {
        let count = |mark: Mark| picture.links.iter().filter(|link| link.mark == mark).count();
        Differences {
            missing: count(Mark::Missing),
            spurious: count(Mark::Spurious),
            relabelled: count(Mark::Relabelled),
        }
    }
}

impl std::fmt::Display for Differences {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Differences { missing, spurious, relabelled } = self;
        write!(f, "{missing} missing, {spurious} spurious, {relabelled} with other labels")
    }
}

/// The picture of a gold sentence and a system's sentence with the same words.
pub fn compare(gold: &Sentence, system: &Sentence, basis: Basis) -> Result<Picture, CompareError> {
    // Both sides must show the same kind of arcs.
    let basis = match basis {
        Basis::Auto if gold.graph.is_empty() && system.graph.is_empty() => Basis::Tree,
        Basis::Auto => Basis::Graph,
        basis => basis,
    };
    let (words, places) = align(gold, system)?;
    let mut pairs: BTreeMap<(NodeId, NodeId), BTreeMap<Text, Mark>> = BTreeMap::new();
    for (side, sentence) in [gold, system].into_iter().enumerate() {
        let graph: Graph = arcs(sentence, basis);
        for arc in graph.arcs() {
            let place = |node: NodeId| places[side][node.index()];
            let labels = pairs.entry((place(arc.dependent), place(arc.head))).or_default();
            let own = if side == 0 { Mark::Missing } else { Mark::Spurious };
            let mark = labels.entry(arc.label.clone()).or_insert(own);
            if *mark != own {
                *mark = Mark::Same;
            }
        }
    }
    let links = pairs.into_iter().map(|((dependent, head), labels)| {
        let mut labels: Vec<Label> =
            labels.into_iter().map(|(text, mark)| Label { text: shown(&text), mark }).collect();
        labels.sort_by_key(|label| label.mark);
        let first = labels.first().map_or(Mark::Same, |label| label.mark);
        let mark = if labels.iter().all(|label| label.mark == first) { first } else { Mark::Relabelled };
        Link { head, dependent, labels, mark }
    });
    let mut picture = Picture { links: links.collect(), words, ..Picture::new(gold, Basis::Tree) };
    for bracket in &mut picture.brackets {
        bracket.first = places[0][bracket.first.index()];
        bracket.last = places[0][bracket.last.index()];
    }
    Ok(picture)
}

/// The words of both sides in one row, and for each side where its nodes went.
fn align(gold: &Sentence, system: &Sentence) -> Result<(Vec<Word>, [Vec<NodeId>; 2]), CompareError> {
    let mut words = Vec::with_capacity(gold.len());
    let mut places = [vec![NodeId::ROOT], vec![NodeId::ROOT]];
    let (mut g, mut s) = (0, 0);
    while g < gold.len() || s < system.len() {
        let (left, right) = (gold.tokens.get(g), system.tokens.get(s));
        // The side with the smaller id comes first; equal ids are one word.
        let order = match (left, right) {
            (Some(left), Some(right)) => left.id.cmp(&right.id),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        let (left, right) = (left.filter(|_| order.is_le()), right.filter(|_| order.is_ge()));
        let same = matches!((left, right), (Some(left), Some(right)) if left.form == right.form);
        let Some(token) = left.or(right) else { break };
        if !same && !token.id.is_empty_node() {
            let quoted = |token: Option<&pleach_graph::Token>| match token {
                Some(token) => format!("{:?}", shown(&token.form)),
                None => "absent".to_owned(),
            };
            return Err(CompareError::Words { id: token.id, gold: quoted(left), system: quoted(right) });
        }
        let mark = match (left, right) {
            (Some(_), None) => Mark::Missing,
            (None, Some(_)) => Mark::Spurious,
            _ => Mark::Same,
        };
        words.push(Word { mark, ..word(token) });
        let place = NodeId(words.len() as u32);
        if left.is_some() {
            places[0].push(place);
            g += 1;
        }
        if right.is_some() {
            places[1].push(place);
            s += 1;
        }
    }
    Ok((words, places))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Token;

    fn sentence(forms: &[&str], arcs: &[(u32, u32, &str)]) -> Sentence {
        let mut s = Sentence::from_forms(forms.iter().copied());
        for &(head, dependent, label) in arcs {
            s.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        s
    }

    #[test]
    fn every_kind_of_difference_is_marked() {
        let gold = sentence(&["a", "b", "c"], &[(0, 1, "root"), (1, 2, "x"), (1, 3, "y"), (1, 3, "z")]);
        let system = sentence(&["a", "b", "c"], &[(0, 1, "root"), (2, 1, "x"), (1, 3, "y"), (1, 3, "w")]);
        let picture = compare(&gold, &system, Basis::Auto).unwrap();
        let links: Vec<_> =
            picture.links.iter().map(|l| (l.head.0, l.dependent.0, l.caption(), l.mark)).collect();
        assert_eq!(
            links,
            [
                (0, 1, "root".into(), Mark::Same),
                (2, 1, "+x".into(), Mark::Spurious),
                (1, 2, "−x".into(), Mark::Missing),
                (1, 3, "y, −z, +w".into(), Mark::Relabelled),
            ]
        );
        assert_eq!(Differences::of(&picture).to_string(), "1 missing, 1 spurious, 1 with other labels");
        assert!(picture.differs());
        assert!(!compare(&gold, &gold, Basis::Auto).unwrap().differs());
    }

    #[test]
    fn empty_nodes_of_one_side_are_put_in() {
        let empty = |s: &mut Sentence| {
            let node = Token { id: TokenId { word: 1, empty: 1 }, form: "e".into(), ..Token::default() };
            s.tokens.insert(1, node);
        };
        let mut gold = sentence(&["a", "b"], &[]);
        empty(&mut gold);
        gold.graph = Graph::new(3);
        gold.graph.insert(NodeId(2), NodeId(3), "x".into());
        let system = sentence(&["a", "b"], &[(1, 2, "x")]);
        let picture = compare(&gold, &system, Basis::Auto).unwrap();
        let marks: Vec<_> = picture.words.iter().map(|w| w.mark).collect();
        assert_eq!(marks, [Mark::Same, Mark::Missing, Mark::Same]);
        let links: Vec<_> = picture.links.iter().map(|l| (l.head.0, l.dependent.0, l.mark)).collect();
        assert_eq!(links, [(1, 3, Mark::Spurious), (2, 3, Mark::Missing)]);
    }

    #[test]
    fn other_words_are_an_error() {
        let gold = sentence(&["a", "b"], &[]);
        let error = compare(&gold, &sentence(&["a", "c"], &[]), Basis::Auto).unwrap_err();
        assert_eq!(
            error.to_string(),
            "word 2 is \"b\" in the gold standard and \"c\" in the system's output"
        );
        let error = compare(&gold, &sentence(&["a"], &[]), Basis::Auto).unwrap_err();
        assert!(error.to_string().contains("absent"), "{error}");
    }
}
