//! Gold and system must have the same sentences and the same tokens.

use pleach_graph::{Sentence, Token};
use std::fmt;
use thiserror::Error;

/// Where a file stands: a sentence and a token in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The sentence's number, counted from 1.
    pub sentence: u64,
    /// Its `sent_id`.
    pub sent_id: Option<String>,
    /// The token's id and form; `None` when the sentence is over.
    pub token: Option<(String, String)>,
}

impl Place {
    fn new(number: u64, sentence: &Sentence, token: Option<&Token>) -> Self {
        let token = token.map(|token| (token.id.to_string(), token.form.to_string()));
        Place { sentence: number, sent_id: sentence.sent_id().map(str::to_owned), token }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sentence {}", self.sentence)?;
        if let Some(id) = &self.sent_id {
            write!(f, " ({id})")?;
        }
        match &self.token {
            Some((id, form)) => write!(f, ", token {id} `{form}`"),
            None => write!(f, ", at its end"),
        }
    }
}

/// The first difference that keeps two files from being compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// The tokens differ.
    #[error("the tokens differ: gold has {gold}; the system has {system}")]
    Tokens {
        /// In gold.
        gold: Box<Place>,
        /// In the system's output.
        system: Box<Place>,
    },
    /// The system's output ends too early.
    #[error("the system's output ends after {have} sentences; gold goes on with {gold}")]
    SystemEnds {
        /// How many sentences the system has.
        have: u64,
        /// Where gold goes on.
        gold: Box<Place>,
    },
    /// The gold file ends too early.
    #[error("gold ends after {have} sentences; the system's output goes on with {system}")]
    GoldEnds {
        /// How many sentences gold has.
        have: u64,
        /// Where the system goes on.
        system: Box<Place>,
    },
}

/// Which tokens have to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Words and empty nodes: arcs may end in either.
    Nodes,
    /// Words only: trees do not see empty nodes.
    Words,
}

/// Checks that two sentences, the `number`th of their files, have the same tokens.
pub fn check_tokens(
    number: u64,
    gold: &Sentence,
    system: &Sentence,
    compared: Compared,
) -> Result<(), Mismatch> {
    let keep = |token: &&Token| compared == Compared::Nodes || !token.id.is_empty_node();
    let mut gold_tokens = gold.tokens.iter().filter(keep);
    let mut system_tokens = system.tokens.iter().filter(keep);
    loop {
        match (gold_tokens.next(), system_tokens.next()) {
            (None, None) => return Ok(()),
            (Some(a), Some(b)) if a.id == b.id && a.form == b.form => {}
            (a, b) => {
                return Err(Mismatch::Tokens {
                    gold: Box::new(Place::new(number, gold, a)),
                    system: Box::new(Place::new(number, system, b)),
                });
            }
        }
    }
}

/// Checks that two files end together: what each gives as its `number`th sentence.
pub fn check_ends<'a>(
    number: u64,
    gold: Option<&'a Sentence>,
    system: Option<&'a Sentence>,
) -> Result<Option<(&'a Sentence, &'a Sentence)>, Mismatch> {
    let place = |sentence: &Sentence| Box::new(Place::new(number, sentence, sentence.tokens.first()));
    match (gold, system) {
        (None, None) => Ok(None),
        (Some(gold), Some(system)) => Ok(Some((gold, system))),
        (Some(gold), None) => Err(Mismatch::SystemEnds { have: number - 1, gold: place(gold) }),
        (None, Some(system)) => Err(Mismatch::GoldEnds { have: number - 1, system: place(system) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::TokenId;

    #[test]
    fn the_first_difference_is_named() {
        let mut gold = Sentence::from_forms(["a", "b", "c"]);
        gold.set_comment("sent_id", "x1");
        let system = Sentence::from_forms(["a", "B"]);
        let error = check_tokens(4, &gold, &system, Compared::Nodes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the tokens differ: gold has sentence 4 (x1), token 2 `b`; the system has sentence 4, token 2 `B`"
        );
        let system = Sentence::from_forms(["a", "b"]);
        let error = check_tokens(1, &gold, &system, Compared::Nodes).unwrap_err();
        assert!(error.to_string().ends_with("token 3 `c`; the system has sentence 1, at its end"), "{error}");
        let error = check_ends(3, Some(&gold), None).unwrap_err();
        assert!(error.to_string().starts_with("the system's output ends after 2 sentences"), "{error}");
    }

    #[test]
    fn empty_nodes_matter_to_graphs_only() {
        let gold = Sentence::from_forms(["a", "b"]);
        let mut system = gold.clone();
        system.tokens.insert(1, Token { id: TokenId { word: 1, empty: 1 }, ..Token::default() });
        assert!(check_tokens(1, &gold, &system, Compared::Nodes).is_err());
        assert!(check_tokens(1, &gold, &system, Compared::Words).is_ok());
    }
}
