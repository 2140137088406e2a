//! A challenge set: sentences made for one phenomenon each, with the arcs that they are about.
//!
//! A sentence is right when all that is expected of it is there; other arcs are not looked at. So the number of right
//! sentences is one that people understand: does the parser get *She promised him to leave*?

use pleach_graph::{NodeId, Sentence};
use pleach_parsers::{Parser, ParserError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::str::FromStr;

/// The English set that is part of the program.
pub const ENGLISH: &str = include_str!("../data/challenge-en.toml");

/// Why a set can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ChallengeError {
    /// Not TOML of this form.
    #[error("{file}: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// What the TOML reader says.
        message: String,
    },
    /// The model can't read text.
    #[error(transparent)]
    Parser(#[from] ParserError),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    item: Vec<RawItem>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawItem {
    phenomenon: String,
    text: String,
    arcs: Vec<String>,
    #[serde(default)]
    upos: BTreeMap<String, String>,
    #[serde(default)]
    lemma: BTreeMap<String, String>,
}

/// A set of sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Challenge {
    /// The sentences, those of a phenomenon together.
    pub items: Vec<Item>,
}

/// A sentence and what is expected of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is about.
    pub phenomenon: String,
    /// The sentence.
    pub text: String,
    /// What must be there.
    pub expected: Vec<Expected>,
}

/// Something that must hold of a parsed sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// An arc is there, or is not.
    Arc(ArcPattern),
    /// A word has this tag.
    Upos(String, String),
    /// A word has this lemma.
    Lemma(String, String),
}

/// `label(head, dependent)`, as the data file explains it.
#[derive(Clone, Debug, PartialEq)]
pub struct ArcPattern {
    absent: bool,
    labels: Vec<String>,
    head: String,
    dependent: String,
}

impl FromStr for ArcPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not of the form label(head, dependent)");
        let (absent, rest) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (labels, ends) =
            rest.strip_suffix(')').and_then(|rest| rest.split_once('(')).ok_or_else(wrong)?;
        let (head, dependent) = ends.split_once(", ").ok_or_else(wrong)?;
        let labels: Vec<String> = labels.split('/').map(str::to_owned).collect();
        let empty = |text: &str| text.trim().is_empty();
        if empty(head) || empty(dependent) || labels.iter().any(|label| empty(label)) {
            return Err(wrong());
        }
        Ok(ArcPattern { absent, labels, head: head.to_owned(), dependent: dependent.to_owned() })
    }
}

impl std::fmt::Display for ArcPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ArcPattern { absent, labels, head, dependent } = self;
        write!(f, "{}{}({head}, {dependent})", if *absent { "!" } else { "" }, labels.join("/"))
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expected::Arc(arc) => arc.fmt(f),
            Expected::Upos(word, tag) => write!(f, "UPOS of {word} is {tag}"),
            Expected::Lemma(word, lemma) => write!(f, "lemma of {word} is {lemma}"),
        }
    }
}

/// The nodes that a name in a pattern stands for.
fn nodes(sentence: &Sentence, name: &str) -> Vec<NodeId> {
    let all = (1..).map(NodeId).zip(&sentence.tokens);
    match name {
        "ROOT" => return vec![NodeId::ROOT],
        "_" => return all.filter(|(_, token)| token.id.is_empty_node()).map(|(node, _)| node).collect(),
        _ => {}
    }
    let of_form = |form: &str| -> Vec<NodeId> {
        let words = (1..).map(NodeId).zip(&sentence.tokens);
        words
            .filter(|(_, token)| !token.id.is_empty_node() && token.form == form)
            .map(|(node, _)| node)
            .collect()
    };
    let whole = of_form(name);
    match name.rsplit_once('-').and_then(|(form, number)| Some((form, number.parse::<usize>().ok()?))) {
        Some((form, number)) if whole.is_empty() => {
            of_form(form).get(number.wrapping_sub(1)).copied().into_iter().collect()
        }
        _ => whole.into_iter().take(1).collect(),
    }
}

fn matches(pattern: &str, label: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => label.starts_with(start),
        None => label == pattern,
    }
}

impl Expected {
    /// Whether a parsed text has it. Arcs within one of its sentences count; a text that fell apart has few of them.
    pub fn holds(&self, sentences: &[Sentence]) -> bool {
        let word = |name: &str, test: &dyn Fn(&Sentence, NodeId) -> bool| {
            sentences
                .iter()
                .any(|sentence| nodes(sentence, name).into_iter().any(|node| test(sentence, node)))
        };
        match self {
            Expected::Upos(name, tag) => {
                word(name, &|sentence, node| sentence.token(node).is_some_and(|token| token.upos == tag))
            }
            Expected::Lemma(name, lemma) => {
                word(name, &|sentence, node| sentence.token(node).is_some_and(|token| token.lemma == lemma))
            }
            Expected::Arc(ArcPattern { absent, labels, head, dependent }) => {
                let there = sentences.iter().any(|sentence| {
                    let (heads, dependents) = (nodes(sentence, head), nodes(sentence, dependent));
                    sentence.graph.arcs().iter().any(|arc| {
                        heads.contains(&arc.head)
                            && dependents.contains(&arc.dependent)
                            && labels.iter().any(|label| matches(label, &arc.label))
                    })
                });
                there != *absent
            }
        }
    }
}

/// What a model made of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Into how many sentences the text was cut, which is one.
    pub sentences: usize,
    /// What was expected and is not there.
    pub missed: Vec<Expected>,
}

impl Answer {
    /// Whether everything is there.
    pub fn right(&self) -> bool {
        self.sentences == 1 && self.missed.is_empty()
    }
}

/// The answers of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The model's name.
    pub model: String,
    /// One for each sentence of the set.
    pub answers: Vec<Answer>,
}

impl Challenge {
    /// A set from TOML text; `file` is for error messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, ChallengeError> {
        let wrong = |message: String| ChallengeError::Syntax { file: file.to_owned(), message };
        let raw: File = toml::from_str(text).map_err(|error| wrong(error.to_string().trim().to_owned()))?;
        let mut items = Vec::new();
        for RawItem { phenomenon, text, arcs, upos, lemma } in raw.item {
            let mut expected = Vec::new();
            for arc in &arcs {
                let arc = arc.parse().map_err(|message| wrong(format!("{text}: {message}")))?;
                expected.push(Expected::Arc(arc));
            }
            expected.extend(upos.into_iter().map(|(word, tag)| Expected::Upos(word, tag)));
            expected.extend(lemma.into_iter().map(|(word, lemma)| Expected::Lemma(word, lemma)));
            items.push(Item { phenomenon, text, expected });
        }
        Ok(Challenge { items })
    }

    /// Lets a parser answer.
    ///
    /// # Errors
    /// When it can't read text.
    pub fn ask(&self, model: &str, parser: &Parser) -> Result<Answers, ChallengeError> {
        let mut answers = Vec::new();
        for item in &self.items {
            answers.push(item.answer(&parser.parse_str(&item.text)?));
        }
        Ok(Answers { model: model.to_owned(), answers })
    }

    /// The phenomena, in order, each with the places of its sentences.
    fn phenomena(&self) -> Vec<(&str, Vec<usize>)> {
        let mut phenomena: Vec<(&str, Vec<usize>)> = Vec::new();
        for (place, item) in self.items.iter().enumerate() {
            match phenomena.iter_mut().find(|(name, _)| *name == item.phenomenon) {
                Some((_, places)) => places.push(place),
                None => phenomena.push((&item.phenomenon, vec![place])),
            }
        }
        phenomena
    }

    /// A table of right sentences by phenomenon, a column a model, in Markdown.
    pub fn table(&self, models: &[Answers]) -> String {
        let names: Vec<&str> = models.iter().map(|answers| answers.model.as_str()).collect();
        let right = |answers: &Answers, places: &[usize]| {
            places.iter().filter(|&&place| answers.answers[place].right()).count().to_string()
        };
        let mut rows = vec![
            [&["phenomenon", "sentences"], &names[..]]
                .concat()
                .iter()
                .map(|cell| (*cell).to_owned())
                .collect(),
        ];
        let all: Vec<usize> = (0..self.items.len()).collect();
        let phenomena = self.phenomena();
        let groups = phenomena.iter().map(|(name, places)| (*name, places)).chain([("**all**", &all)]);
        for (name, places) in groups {
            let counts = models.iter().map(|answers| right(answers, places));
            rows.push(
                [name.to_owned(), places.len().to_string()]
                    .into_iter()
                    .chain(counts)
                    .collect::<Vec<String>>(),
            );
        }
        let expected = self.items.iter().map(|item| item.expected.len()).sum::<usize>();
        let met = |answers: &Answers| {
            let missed: usize = answers.answers.iter().map(|answer| answer.missed.len()).sum();
            (expected - missed).to_string()
        };
        let single = ["single arcs, tags and lemmas".to_owned(), expected.to_string()];
        rows.push(single.into_iter().chain(models.iter().map(met)).collect());
        markdown(&rows)
    }

    /// What one model missed, a line a sentence.
    pub fn failures(&self, answers: &Answers) -> String {
        let mut out = String::new();
        for (item, answer) in self.items.iter().zip(&answers.answers).filter(|(_, answer)| !answer.right()) {
            let mut missed: Vec<String> = answer.missed.iter().map(ToString::to_string).collect();
            if answer.sentences != 1 {
                missed.insert(0, format!("{} sentences", answer.sentences));
            }
            // A String takes whatever is written into it.
            let _ = writeln!(out, "- {} — {}", item.text, missed.join("; "));
        }
        out
    }
}

impl Item {
    fn answer(&self, sentences: &[Sentence]) -> Answer {
        let missed = self.expected.iter().filter(|expected| !expected.holds(sentences)).cloned().collect();
        Answer { sentences: sentences.len(), missed }
    }
}

/// A table whose first column is text and whose others are numbers.
fn markdown(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!(" {cell:<width$} |"),
            _ => format!(" {cell:>width$} |"),
        });
        let _ = writeln!(out, "|{}", cells.collect::<String>());
        if number == 0 {
            let rule = widths.iter().enumerate().map(|(column, &width)| match column {
                0 => format!(" {} |", "-".repeat(width)),
                _ => format!(" {}: |", "-".repeat(width.max(2) - 1)),
            });
            let _ = writeln!(out, "|{}", rule.collect::<String>());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{Graph, Token, TokenId};

    fn english() -> Challenge {
        Challenge::parse("challenge-en.toml", ENGLISH).unwrap()
    }

    #[test]
    fn the_english_set_has_a_hundred_sentences_whose_words_are_there() {
        let set = english();
        assert_eq!(set.items.len(), 100);
        let mut texts: Vec<&str> = set.items.iter().map(|item| item.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 100);
        for item in &set.items {
            assert!(!item.expected.is_empty(), "{}", item.text);
            for expected in &item.expected {
                let names: Vec<&str> = match expected {
                    Expected::Arc(arc) => vec![&arc.head, &arc.dependent],
                    Expected::Upos(word, _) | Expected::Lemma(word, _) => vec![word],
                };
                for name in names.into_iter().filter(|name| !["ROOT", "_"].contains(name)) {
                    let (form, number) = match name.rsplit_once('-') {
                        Some((form, number)) => (form, number.parse().unwrap()),
                        None => (name, 1),
                    };
                    assert!(item.text.matches(form).count() >= number, "{}: {name}", item.text);
                }
            }
        }
    }

    fn parsed() -> Sentence {
        let mut sentence = Sentence::from_forms(["he", "saw", "he"]);
        sentence.tokens.push(Token { id: TokenId { word: 3, empty: 1 }, ..Token::default() });
        sentence.tokens[1].lemma = "see".into();
        sentence.tokens[1].upos = "VERB".into();
        sentence.graph = Graph::new(4);
        for (head, dependent, label) in
            [(0, 2, "root"), (2, 3, "obl:in"), (2, 4, "conj:and"), (4, 1, "nsubj")]
        {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        sentence
    }

    #[test]
    fn patterns_hold_or_not() {
        let sentence = [parsed()];
        let holds = |text: &str| Expected::Arc(text.parse().unwrap()).holds(&sentence);
        for there in [
            "root(ROOT, saw)",
            "obl*(saw, he-2)",
            "obj/obl:in(saw, he-2)",
            "conj:and(saw, _)",
            "nsubj(_, he)",
            "!obj(saw, he)",
        ] {
            assert!(holds(there), "{there}");
        }
        for not in [
            "root(ROOT, he)",
            "obl(saw, he-2)",
            "obl:in(saw, he)",
            "nsubj(saw, he)",
            "!nsubj(_, he)",
            "obj(saw, she)",
            "obl:in(saw, he-3)",
        ] {
            assert!(!holds(not), "{not}");
        }
        assert!(Expected::Lemma("saw".into(), "see".into()).holds(&sentence));
        assert!(!Expected::Upos("saw".into(), "NOUN".into()).holds(&sentence));
        for wrong in ["nsubj", "nsubj(a)", "(a, b)", "x(, b)", "x(a, b"] {
            assert!(wrong.parse::<ArcPattern>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn right_sentences_are_counted_by_phenomenon() {
        let text = "[[item]]\nphenomenon = 'a'\ntext = 't'\narcs = ['root(ROOT, saw)']\n\
                    [[item]]\nphenomenon = 'b'\ntext = 'u'\narcs = ['root(ROOT, he)', 'nsubj(_, he)']\n\
                    [[item]]\nphenomenon = 'a'\ntext = 'v'\narcs = ['root(ROOT, saw)']\n";
        let set = Challenge::parse("x", text).unwrap();
        let mut answers: Vec<Answer> = set.items.iter().map(|item| item.answer(&[parsed()])).collect();
        // A text that is cut in two is not right, whatever is in its parts.
        answers[2] = set.items[2].answer(&[parsed(), parsed()]);
        let answers = Answers { model: "m".into(), answers };
        let table = set.table(std::slice::from_ref(&answers));
        let cells =
            |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>().join(",");
        let lines: Vec<String> = table.lines().map(cells).collect();
        assert_eq!(lines[2..], [",a,2,1,", ",b,1,0,", ",**all**,3,1,", ",single arcs, tags and lemmas,4,3,"]);
        assert_eq!(set.failures(&answers), "- u — root(ROOT, he)\n- v — 2 sentences\n");
        let error =
            Challenge::parse("x", "[[item]]\nphenomenon = 'a'\ntext = 't'\narcs = ['what']").unwrap_err();
        assert_eq!(error.to_string(), "x: t: `what` is not of the form label(head, dependent)");
    }
}
