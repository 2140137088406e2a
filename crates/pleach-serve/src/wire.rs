//! Sentences as JSON, in and out. What a sentence says in CoNLL-U it says here too, so that the one can be turned into
//! the other and back.

use crate::error::ApiError;
use pleach_graph::{Arc, Graph, Multiword, NodeId, Sentence, Text, Token, TokenId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A word or an empty node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WireToken {
    /// The number as in CoNLL-U: `8` for a word, `8.1` for the first empty node after it. May be left out in requests.
    #[schema(example = "1")]
    pub id: String,
    /// The word.
    #[schema(example = "Mark")]
    pub form: String,
    /// The lemma.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lemma: String,
    /// The universal part of speech.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub upos: String,
    /// The part of speech of the language.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub xpos: String,
    /// Morphological features, `Case=Nom|Number=Sing`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub feats: String,
    /// The head in the basic tree; `0` is the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The relation to it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub deprel: String,
    /// MISC of CoNLL-U.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub misc: String,
    /// The frame or sense.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub frame: String,
    /// Marked as a predicate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub predicate: bool,
}

/// An arc of the deep graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WireArc {
    /// The id of the head; `0` is the root.
    #[schema(example = "2")]
    pub head: String,
    /// The id of the dependent.
    #[schema(example = "1")]
    pub dependent: String,
    /// The relation.
    #[schema(example = "nsubj")]
    #[serde(default)]
    pub label: String,
}

/// One surface token over several words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WireMultiword {
    /// The number of the first word.
    pub first: u32,
    /// The number of the last word.
    pub last: u32,
    /// The surface form.
    pub form: String,
    /// MISC of CoNLL-U.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub misc: String,
}

/// A sentence with its basic tree and its deep graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct WireSentence {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its comments other than the name and the text, as in CoNLL-U with `#`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<String>,
    /// Words and empty nodes.
    pub tokens: Vec<WireToken>,
    /// Surface tokens over several words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub multiwords: Vec<WireMultiword>,
    /// The deep graph.
    pub arcs: Vec<WireArc>,
}

/// A sentence in a request: its words alone, or all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum SentenceInput {
    /// The words.
    Words(Vec<String>),
    /// Everything.
    Full(WireSentence),
}

impl From<&Sentence> for WireSentence {
    fn from(sentence: &Sentence) -> Self {
        let id = |node: NodeId| sentence.id_of(node).to_string();
        let token = |token: &Token| WireToken {
            id: token.id.to_string(),
            form: token.form.to_string(),
            lemma: token.lemma.to_string(),
            upos: token.upos.to_string(),
            xpos: token.xpos.to_string(),
            feats: token.feats.to_string(),
            head: token.head.map(id),
            deprel: token.deprel.to_string(),
            misc: token.misc.to_string(),
            frame: token.frame.to_string(),
            predicate: token.predicate,
        };
        let own = |line: &&String| {
            let key = line.trim_start_matches('#').split_once('=').map(|(key, _)| key.trim());
            !matches!(key, Some("sent_id" | "text"))
        };
        WireSentence {
            id: sentence.sent_id().map(str::to_owned),
            text: sentence.text().map(str::to_owned),
            comments: sentence.comments.iter().filter(own).cloned().collect(),
            tokens: sentence.tokens.iter().map(token).collect(),
            multiwords: sentence
                .multiwords
                .iter()
                .map(|m| WireMultiword {
                    first: m.first,
                    last: m.last,
                    form: m.form.to_string(),
                    misc: m.misc.to_string(),
                })
                .collect(),
            arcs: sentence
                .graph
                .arcs()
                .iter()
                .map(|arc| WireArc {
                    head: id(arc.head),
                    dependent: id(arc.dependent),
                    label: arc.label.to_string(),
                })
                .collect(),
        }
    }
}

/// A sentence that makes no sense; `number` counts from 1.
fn wrong(number: usize, message: impl std::fmt::Display) -> ApiError {
    ApiError::unprocessable("malformed_input", format!("sentence {number}: {message}"))
}

/// An id of CoNLL-U.
fn parse_id(text: &str) -> Option<TokenId> {
    let (word, empty) = text.split_once('.').unwrap_or((text, "0"));
    let id = TokenId { word: word.parse().ok()?, empty: empty.parse().ok()? };
    (id.to_string() == text).then_some(id)
}

/// A text that must stay within its line and column.
fn checked(text: &str, what: &str, number: usize) -> Result<Text, ApiError> {
    if text.contains(['\t', '\n', '\r']) {
        return Err(wrong(number, format!("{what} has a tab or a line break")));
    }
    Ok(Text::from(text))
}

impl SentenceInput {
    /// The sentence; `number` counts from 1, for messages.
    pub fn sentence(&self, number: usize) -> Result<Sentence, ApiError> {
        match self {
            SentenceInput::Words(words) => {
                for word in words {
                    if word.is_empty() {
                        return Err(wrong(number, "a word is empty"));
                    }
                    checked(word, "a word", number)?;
                }
                if words.len() > pleach_formats::MAX_TOKENS {
                    return Err(wrong(number, "too many words"));
                }
                Ok(Sentence::from_forms(words.iter().map(String::as_str)))
            }
            SentenceInput::Full(wire) => wire.sentence(number),
        }
    }
}

impl WireSentence {
    /// The sentence; `number` counts from 1, for messages.
    pub fn sentence(&self, number: usize) -> Result<Sentence, ApiError> {
        let mut sentence = Sentence::default();
        self.read_comments(number, &mut sentence)?;
        self.read_tokens(number, &mut sentence)?;
        let node = |id: &str| {
            let found = parse_id(id).and_then(|id| sentence.node(id));
            found.ok_or_else(|| {
                wrong(number, format!("no token {:?}", id.chars().take(20).collect::<String>()))
            })
        };
        let mut heads = Vec::with_capacity(self.tokens.len());
        for token in &self.tokens {
            heads.push(token.head.as_deref().map(node).transpose()?);
        }
        if self.arcs.len() > pleach_formats::MAX_ARCS {
            return Err(wrong(number, "too many arcs"));
        }
        let mut arcs = Vec::with_capacity(self.arcs.len());
        for arc in &self.arcs {
            let (head, dependent) = (node(&arc.head)?, node(&arc.dependent)?);
            if dependent.is_root() {
                return Err(wrong(number, "an arc ends in the root"));
            }
            arcs.push(Arc { head, dependent, label: checked(&arc.label, "a label", number)? });
        }
        sentence.graph = Graph::from_arcs(sentence.len(), arcs);
        for (token, head) in sentence.tokens.iter_mut().zip(heads) {
            token.head = head;
        }
        self.read_multiwords(number, &mut sentence)?;
        Ok(sentence)
    }

    fn read_comments(&self, number: usize, sentence: &mut Sentence) -> Result<(), ApiError> {
        let lines = [("sent_id", &self.id), ("text", &self.text)];
        for (key, value) in lines.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?))) {
            if value.contains(['\n', '\r']) {
                return Err(wrong(number, format!("{key} has a line break")));
            }
            sentence.comments.push(format!("# {key} = {value}"));
        }
        for line in &self.comments {
            if !line.starts_with('#') || line.contains(['\n', '\r']) {
                return Err(wrong(number, "a comment begins with # and has no line break"));
            }
            sentence.comments.push(line.clone());
        }
        Ok(())
    }

    fn read_tokens(&self, number: usize, sentence: &mut Sentence) -> Result<(), ApiError> {
        if self.tokens.len() > pleach_formats::MAX_TOKENS {
            return Err(wrong(number, "too many tokens"));
        }
        let mut last = TokenId::default();
        for token in &self.tokens {
            let id = match token.id.as_str() {
                "" => TokenId::word(last.word + 1),
                text => parse_id(text).ok_or_else(|| wrong(number, "an id is a number such as 8 or 8.1"))?,
            };
            let follows = match id.empty {
                0 => id.word == last.word + 1,
                empty => id.word == last.word && empty == last.empty + 1,
            };
            if !follows {
                return Err(wrong(number, format!("token {id} doesn't follow token {last}")));
            }
            last = id;
            if token.form.is_empty() && !id.is_empty_node() {
                return Err(wrong(number, format!("token {id} has no form")));
            }
            let text = |text: &str, what: &str| checked(if text == "_" { "" } else { text }, what, number);
            sentence.tokens.push(Token {
                id,
                form: checked(&token.form, "a form", number)?,
                lemma: checked(&token.lemma, "a lemma", number)?,
                upos: text(&token.upos, "a tag")?,
                xpos: text(&token.xpos, "a tag")?,
                feats: text(&token.feats, "a list of features")?,
                deprel: text(&token.deprel, "a relation")?,
                misc: text(&token.misc, "MISC")?,
                frame: text(&token.frame, "a frame")?,
                predicate: token.predicate,
                ..Token::default()
            });
        }
        Ok(())
    }

    fn read_multiwords(&self, number: usize, sentence: &mut Sentence) -> Result<(), ApiError> {
        let words = sentence.tokens.last().map_or(0, |token| token.id.word);
        let mut before = 0;
        for multiword in &self.multiwords {
            if multiword.first <= before || multiword.last < multiword.first || multiword.last > words {
                return Err(wrong(number, "multiword tokens are in order, don't overlap and have words"));
            }
            before = multiword.last;
            sentence.multiwords.push(Multiword {
                first: multiword.first,
                last: multiword.last,
                form: checked(&multiword.form, "a form", number)?,
                misc: checked(&multiword.misc, "MISC", number)?,
                ..Multiword::default()
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_formats::{Format, Reader};

    const EXAMPLE: &str = "# newpar\n# sent_id = a\n# text = don't go\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tX=1\n\
        1\tdo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_\n2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod|3.1:x\t_\n\
        3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\tSpaceAfter=No\n3.1\t_\t_\t_\t_\t_\t_\t_\t3:conj>e\t_\n\n";

    fn read(text: &str) -> Sentence {
        Reader::from_read("x", Box::new(std::io::Cursor::new(text.to_owned())), Some(Format::Conllu))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
    }

    #[test]
    fn sentences_come_back() {
        let sentence = read(EXAMPLE);
        let wire = WireSentence::from(&sentence);
        let json = serde_json::to_string(&wire).unwrap();
        let back: WireSentence = serde_json::from_str(&json).unwrap();
        let again = back.sentence(1).unwrap();
        assert_eq!((again.tokens.clone(), again.graph.clone()), (sentence.tokens, sentence.graph));
        assert_eq!(again.multiwords, sentence.multiwords);
        assert_eq!(again.comments, ["# sent_id = a", "# text = don't go", "# newpar"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (json, reason) in [
            (r#"{"tokens":[{"id":"2","form":"a"}]}"#, "doesn't follow"),
            (r#"{"tokens":[{"id":"01","form":"a"}]}"#, "such as 8"),
            (r#"{"tokens":[{"form":""}]}"#, "no form"),
            (r#"{"tokens":[{"form":"a\tb"}]}"#, "tab"),
            (r#"{"tokens":[{"form":"a","head":"7"}]}"#, "no token"),
            (r#"{"tokens":[{"form":"a"}],"arcs":[{"head":"1","dependent":"0","label":"x"}]}"#, "root"),
            (r#"{"tokens":[{"form":"a"}],"multiwords":[{"first":1,"last":9,"form":"b"}]}"#, "multiword"),
            (r#"{"tokens":[],"comments":["no"]}"#, "comment"),
            (r#"{"id":"a\nb"}"#, "line break"),
        ] {
            let wire: WireSentence = serde_json::from_str(json).unwrap();
            let error = wire.sentence(3).unwrap_err().message;
            assert!(error.starts_with("sentence 3") && error.contains(reason), "{json}: {error}");
        }
    }
}
