//! One of the two files: its sentences as characters, surface tokens and words.
//!
//! Offsets count characters without spaces from the start of the file, so that the same text has the same
//! offsets in both files however it is cut into tokens and sentences.

use super::UdError;
use super::collapse::collapse;
use crate::mismatch::Place;
use crate::tree::universal;
use pleach_graph::{NodeId, Sentence, Text, Token};

/// The head of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Head {
    /// The file does not say.
    Missing,
    Root,
    /// A word's place in [`Side::words`].
    Word(usize),
}

impl Head {
    fn shift(self, by: usize) -> Self {
        match self {
            Head::Word(word) => Head::Word(word + by),
            other => other,
        }
    }
}

/// A word with what is compared of it.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub start: u64,
    pub end: u64,
    /// Part of a multiword token, whose span it has.
    pub multiword: bool,
    pub form: Text,
    pub lemma: Text,
    pub upos: Text,
    pub xpos: Text,
    /// Universal features only, sorted.
    pub feats: String,
    pub head: Head,
    /// Without its subtype.
    pub deprel: Text,
    /// Functional dependents in order.
    pub function_words: Vec<usize>,
    /// Enhanced heads, empty nodes collapsed; each head and label once.
    pub deps: Vec<(Head, Text)>,
}

impl Word {
    pub fn is_content(&self) -> bool {
        CONTENT_RELATIONS.contains(&self.deprel.as_str())
    }
}

/// A surface token: its span and the words in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceToken {
    pub start: u64,
    pub end: u64,
    first: u32,
    last: u32,
}

/// A sentence's span, and what is needed to name it.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub start: u64,
    pub end: u64,
    number: u64,
    sent_id: Option<String>,
    /// The characters of the sentence.
    text: String,
    first_token: usize,
}

/// A stretch of a file.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub words: Vec<Word>,
    pub tokens: Vec<SurfaceToken>,
    pub sentences: Vec<Span>,
    /// Where it ends.
    pub end: u64,
}

impl Side {
    /// One sentence, as if it were at the start of the file.
    pub fn of(number: u64, sentence: &Sentence) -> Result<Side, UdError> {
        let words: Vec<usize> =
            (0..sentence.len()).filter(|&i| !sentence.tokens[i].id.is_empty_node()).collect();
        let mut places = vec![Head::Missing; sentence.len() + 1];
        places[0] = Head::Root;
        for (place, &i) in words.iter().enumerate() {
            places[i + 1] = Head::Word(place);
        }
        let named = |token: Option<&Token>| Place {
            sentence: number,
            sent_id: sentence.sent_id().map(str::to_owned),
            token: token.map(|token| (token.id.to_string(), token.form.to_string())),
        };
        let mut side = Side::default();
        let mut text = String::new();
        let mut multiwords = sentence.multiwords.iter().peekable();
        let mut within = None;
        for &i in &words {
            let token = &sentence.tokens[i];
            let number = token.id.word;
            while multiwords.next_if(|multiword| multiword.last < number).is_some() {}
            if within.is_none_or(|last| last < number) {
                let multiword = multiwords.peek().filter(|multiword| multiword.first <= number);
                let form = multiword.map_or(&token.form, |multiword| &multiword.form);
                let start = side.end;
                for c in form.chars().filter(|&c| !is_space(c)) {
                    text.push(c);
                    side.end += 1;
                }
                if side.end == start {
                    return Err(UdError::EmptyForm(Box::new(named(Some(token)))));
                }
                let last = multiword.map_or(number, |multiword| multiword.last);
                within = multiword.map(|multiword| multiword.last);
                side.tokens.push(SurfaceToken { start, end: side.end, first: number, last });
            }
            let span = side.tokens[side.tokens.len() - 1];
            side.words.push(Word::new(token, span, within.is_some(), &places));
        }
        side.attach_function_words();
        let arcs = collapse(&sentence.graph, |node| sentence.id_of(node).is_empty_node())
            .map_err(|_| UdError::TooManyPaths(Box::new(named(None))))?;
        for (dependent, head, label) in arcs {
            if let Head::Word(word) = places[dependent.index()] {
                side.words[word].deps.push((places[head.index()], label));
            }
        }
        let sent_id = sentence.sent_id().map(str::to_owned);
        side.sentences.push(Span { start: 0, end: side.end, number, sent_id, text, first_token: 0 });
        Ok(side)
    }

    fn attach_function_words(&mut self) {
        for word in 0..self.words.len() {
            if let Head::Word(head) = self.words[word].head
                && FUNCTIONAL_RELATIONS.contains(&self.words[word].deprel.as_str())
            {
                self.words[head].function_words.push(word);
            }
        }
    }

    /// Puts the next stretch of the same file behind this one.
    pub fn append(&mut self, next: Side) {
        let (words, tokens, end) = (self.words.len(), self.tokens.len(), self.end);
        self.words.extend(next.words.into_iter().map(|mut word| {
            word.start += end;
            word.end += end;
            word.head = word.head.shift(words);
            word.function_words.iter_mut().for_each(|word| *word += words);
            word.deps.iter_mut().for_each(|(head, _)| *head = head.shift(words));
            word
        }));
        self.tokens.extend(next.tokens.into_iter().map(|mut token| {
            token.start += end;
            token.end += end;
            token
        }));
        self.sentences.extend(next.sentences.into_iter().map(|mut sentence| {
            sentence.start += end;
            sentence.end += end;
            sentence.first_token += tokens;
            sentence
        }));
        self.end += next.end;
    }

    /// Forgets everything but where it ends.
    pub fn clear(&mut self) {
        self.words.clear();
        self.tokens.clear();
        self.sentences.clear();
    }

    /// The characters of a single sentence.
    pub fn text(&self) -> &str {
        self.sentences.first().map_or("", |sentence| &sentence.text)
    }

    /// The sentence and token at an offset.
    pub fn place(&self, offset: u64) -> Option<Place> {
        let at = self.sentences.partition_point(|sentence| sentence.end <= offset);
        let sentence = self.sentences.get(at)?;
        let token = self.tokens.partition_point(|token| token.end <= offset).max(sentence.first_token);
        let token = self.tokens.get(token)?;
        let form = sentence.text.chars().skip((token.start - sentence.start) as usize);
        let form = form.take((token.end - token.start) as usize).collect();
        let id = match token.first == token.last {
            true => token.first.to_string(),
            false => format!("{}-{}", token.first, token.last),
        };
        Some(Place { sentence: sentence.number, sent_id: sentence.sent_id.clone(), token: Some((id, form)) })
    }
}

impl Word {
    fn new(token: &Token, span: SurfaceToken, multiword: bool, places: &[Head]) -> Self {
        let place = |node: NodeId| places.get(node.index()).copied().unwrap_or(Head::Missing);
        Word {
            start: span.start,
            end: span.end,
            multiword,
            form: match multiword {
                true => token.form.clone(),
                false => token.form.chars().filter(|&c| !is_space(c)).collect(),
            },
            lemma: token.lemma.clone(),
            upos: token.upos.clone(),
            xpos: token.xpos.clone(),
            feats: universal_features(&token.feats),
            head: token.head.map_or(Head::Missing, place),
            deprel: Text::from(universal(&token.deprel)),
            function_words: Vec::new(),
            deps: Vec::new(),
        }
    }
}

/// Unicode's category Zs.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}')
}

fn universal_features(feats: &str) -> String {
    let name = |feature: &&str| feature.split('=').next().unwrap_or_default().to_owned();
    let mut kept: Vec<&str> =
        feats.split('|').filter(|feature| UNIVERSAL_FEATURES.contains(&name(feature).as_str())).collect();
    kept.sort_unstable();
    kept.join("|")
}

const CONTENT_RELATIONS: [&str; 29] = [
    "nsubj",
    "obj",
    "iobj",
    "csubj",
    "ccomp",
    "xcomp",
    "obl",
    "vocative",
    "expl",
    "dislocated",
    "advcl",
    "advmod",
    "discourse",
    "nmod",
    "appos",
    "nummod",
    "acl",
    "amod",
    "conj",
    "fixed",
    "flat",
    "compound",
    "list",
    "parataxis",
    "orphan",
    "goeswith",
    "reparandum",
    "root",
    "dep",
];

const FUNCTIONAL_RELATIONS: [&str; 7] = ["aux", "cop", "mark", "det", "clf", "case", "cc"];

const UNIVERSAL_FEATURES: [&str; 21] = [
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case",
    "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person",
    "Polite",
];
