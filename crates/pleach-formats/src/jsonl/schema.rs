//! The JSON objects of a line, as they are read and written.

use crate::columns::token_id;
use pleach_graph::{Multiword, Text, Token, TokenId};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// A sentence.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Cow<'a, str>>,
    pub words: Vec<Word<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub multiwords: Vec<Range<'a>>,
    #[serde(default)]
    pub arcs: Vec<(Id, Id, Cow<'a, str>)>,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub extra: Cow<'a, Map<String, Value>>,
}

fn is_empty(extra: &Map<String, Value>) -> bool {
    extra.is_empty()
}

/// A word or an empty node.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Word<'a> {
    #[serde(default)]
    pub id: Option<Id>,
    pub form: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub lemma: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub upos: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub xpos: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub feats: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub misc: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Id>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub deprel: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub frame: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub predicate: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<Cow<'a, str>>,
}

impl<'a> Word<'a> {
    /// What is written of a token.
    pub fn of(token: &'a Token, head: Option<Id>) -> Word<'a> {
        let text = |text: &'a Text| Cow::from(text.as_str());
        Word {
            id: Some(Id(token.id)),
            form: text(&token.form),
            lemma: text(&token.lemma),
            upos: text(&token.upos),
            xpos: text(&token.xpos),
            feats: text(&token.feats),
            misc: text(&token.misc),
            head,
            deprel: text(&token.deprel),
            frame: text(&token.frame),
            predicate: token.predicate,
            anchor: token.anchor,
            extra: token.extra.iter().map(text).collect(),
        }
    }

    /// The token, still without its head.
    pub fn into_token(self, id: TokenId) -> Token {
        Token {
            id,
            form: Text::new(self.form),
            lemma: Text::new(self.lemma),
            upos: Text::new(self.upos),
            xpos: Text::new(self.xpos),
            feats: Text::new(self.feats),
            head: None,
            deprel: Text::new(self.deprel),
            misc: Text::new(self.misc),
            frame: Text::new(self.frame),
            predicate: self.predicate,
            anchor: self.anchor,
            extra: self.extra.into_iter().map(Text::new).collect(),
        }
    }
}

/// A multiword token.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Range<'a> {
    pub first: u32,
    pub last: u32,
    pub form: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub lemma: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub upos: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub xpos: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub feats: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub misc: Cow<'a, str>,
}

impl<'a> Range<'a> {
    /// What is written of a multiword token.
    pub fn of(token: &'a Multiword) -> Range<'a> {
        let [lemma, upos, xpos, feats] = token.columns.each_ref().map(|column| Cow::from(column.as_str()));
        let (form, misc) = (Cow::from(token.form.as_str()), Cow::from(token.misc.as_str()));
        Range { first: token.first, last: token.last, form, lemma, upos, xpos, feats, misc }
    }

    /// The multiword token.
    pub fn into_multiword(self) -> Multiword {
        let columns = [self.lemma, self.upos, self.xpos, self.feats].map(Text::new);
        let (form, misc) = (Text::new(self.form), Text::new(self.misc));
        Multiword { first: self.first, last: self.last, form, columns, misc }
    }
}

/// The id of a word, a number, or of an empty node, a string such as `"8.1"`.
#[derive(Clone, Copy)]
pub(super) struct Id(pub TokenId);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_empty_node() {
            true => serializer.collect_str(&self.0),
            false => serializer.serialize_u32(self.0.word),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a word, or \"8.1\" for an empty node")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id, E> {
        let word = u32::try_from(number).ok().filter(|&word| word < u32::MAX);
        word.map(|word| Id(TokenId::word(word)))
            .ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(number), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
        token_id(text).map(Id).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
