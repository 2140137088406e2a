//! Voting over parsed files: sentence by sentence, in constant memory.
//!
//! Empty nodes can't be matched between parsers, so they are folded into path labels before the vote and made
//! anew after it. Everything but the graph comes from the first file.

use crate::diversity::Diversity;
use pleach_eval::{Compared, Mismatch, check_ends, check_tokens};
use pleach_graph::{Graph, Sentence};
use pleach_parsers::vote::vote;

/// Two files that are not over the same sentences.
#[derive(Debug, thiserror::Error)]
#[error("{first} and {other} don't align: {}", describe(.difference))]
pub struct Misaligned {
    /// The first file.
    pub first: String,
    /// The one that differs from it.
    pub other: String,
    /// Where: "gold" is the first file, "system" the other one.
    pub difference: Mismatch,
}

fn describe(difference: &Mismatch) -> String {
    match difference {
        Mismatch::Tokens { gold, system } => format!("the first has {gold}; the other has {system}"),
        Mismatch::SystemEnds { have, gold } => {
            format!("the other ends after {have} sentences; the first goes on with {gold}")
        }
        Mismatch::GoldEnds { have, system } => {
            format!("the first ends after {have} sentences; the other goes on with {system}")
        }
    }
}

/// A vote over files that is under way.
#[derive(Debug)]
pub struct FileVote {
    names: Vec<String>,
    threshold: f64,
    number: u64,
    diversity: Option<Diversity>,
}

impl FileVote {
    /// A vote over files of these names; `diversity` counts how alike they are, too.
    pub fn new(names: Vec<String>, threshold: f64, diversity: bool) -> Self {
        let diversity = diversity.then(|| Diversity::new(names.clone()));
        FileVote { names, threshold, number: 0, diversity }
    }

    /// The next sentence: what each file has, `None` at its end. Gives the voted sentence, or `None` when all
    /// files have come to their end.
    pub fn next(&mut self, sentences: Vec<Option<Sentence>>) -> Result<Option<Sentence>, Misaligned> {
        self.number += 1;
        let first = sentences.first().and_then(Option::as_ref);
        for (i, other) in sentences.iter().enumerate().skip(1) {
            let checked = match check_ends(self.number, first, other.as_ref()) {
                Ok(Some((first, other))) => check_tokens(self.number, first, other, Compared::Words),
                Ok(None) => Ok(()),
                Err(difference) => Err(difference),
            };
            checked.map_err(|difference| Misaligned {
                first: self.names[0].clone(),
                other: self.names[i].clone(),
                difference,
            })?;
        }
        let had_empty_nodes = sentences.iter().flatten().any(Sentence::has_empty_nodes);
        let mut sentences = sentences.into_iter().flatten();
        let Some(mut chosen) = sentences.next() else { return Ok(None) };
        pleach_graph::enhanced::collapse(&mut chosen);
        let mut graphs = vec![std::mem::take(&mut chosen.graph)];
        graphs.extend(sentences.map(|mut sentence| {
            pleach_graph::enhanced::collapse(&mut sentence);
            sentence.graph
        }));
        if let Some(diversity) = &mut self.diversity {
            diversity.add(&graphs.iter().collect::<Vec<&Graph>>());
        }
        chosen.graph = vote(&graphs, self.threshold);
        if had_empty_nodes {
            pleach_graph::enhanced::expand(&mut chosen);
        }
        Ok(Some(chosen))
    }

    /// How many sentences were voted on.
    pub fn sentences(&self) -> u64 {
        self.number
    }

    /// How alike the files are, when asked for.
    pub fn diversity(&self) -> Option<&Diversity> {
        self.diversity.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{NodeId, Token, TokenId};

    fn sentence(forms: &[&str], arcs: &[(u32, u32, &str)]) -> Option<Sentence> {
        let mut sentence = Sentence::from_forms(forms.iter().copied());
        for &(head, dependent, label) in arcs {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        Some(sentence)
    }

    fn names() -> Vec<String> {
        ["one", "two", "three"].map(str::to_owned).to_vec()
    }

    #[test]
    fn the_first_difference_is_named() {
        let mut files = FileVote::new(names(), 0.5, false);
        let a = sentence(&["a", "b"], &[]);
        let b = sentence(&["a", "c"], &[]);
        assert!(files.next(vec![a.clone(), a.clone(), a.clone()]).unwrap().is_some());
        let error = files.next(vec![a.clone(), a.clone(), b]).unwrap_err().to_string();
        assert!(
            error.starts_with("one and three don't align: the first has sentence 2, token 2 `b`"),
            "{error}"
        );
        let error = files.next(vec![a.clone(), None, a.clone()]).unwrap_err().to_string();
        assert!(error.starts_with("one and two don't align: the other ends after 2 sentences"), "{error}");
        assert!(files.next(vec![None, None, None]).unwrap().is_none());
    }

    #[test]
    fn empty_nodes_vote_by_their_paths() {
        // A verb that is left out, as an empty node 2.1 in two of three files.
        let mut with = sentence(&["a", "b", "c"], &[(0, 1, "root")]).unwrap();
        with.tokens.insert(2, Token { id: TokenId { word: 2, empty: 1 }, ..Token::default() });
        with.graph = Graph::new(4);
        for (head, dependent, label) in [(0, 1, "root"), (1, 3, "conj"), (3, 2, "nsubj"), (3, 4, "obj")] {
            with.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        let without = sentence(&["a", "b", "c"], &[(0, 1, "root"), (1, 2, "dep")]);
        let mut files = FileVote::new(names(), 0.5, true);
        let voted = files.next(vec![without, Some(with.clone()), Some(with.clone())]).unwrap().unwrap();
        assert_eq!(voted.len(), 4);
        assert_eq!(voted.graph, with.graph);
        assert_eq!(files.diversity().unwrap().agreement(1, 2), Some((1.0, 1.0)));
    }
}
