//! Empty nodes written down as comments, so that a collapsed file can be expanded to what it was.
//!
//! One comment a node, the rest of the line being JSON: the columns of the token, the arcs into it, and the
//! arcs from it to words.

use crate::{NodeId, Sentence, Text, Token, TokenId};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The key of the comments that [`collapse_keeping`](super::collapse_keeping) writes.
pub const COMMENT: &str = "collapsed_node";

/// An empty node with all its arcs.
pub(super) struct Record {
    pub(super) token: Token,
    /// The node of the basic tree above it, which no format but a broken file gives.
    pub(super) head: Option<TokenId>,
    pub(super) incoming: Vec<(TokenId, Text)>,
    pub(super) outgoing: Vec<(TokenId, Text)>,
}

impl Record {
    /// Writes down all empty nodes of a sentence.
    pub(super) fn all(sentence: &Sentence) -> Vec<Record> {
        let mut outgoing: BTreeMap<NodeId, Vec<(TokenId, Text)>> = BTreeMap::new();
        for arc in sentence.graph.arcs() {
            let dependent = sentence.id_of(arc.dependent);
            if sentence.id_of(arc.head).is_empty_node() && !dependent.is_empty_node() {
                outgoing.entry(arc.head).or_default().push((dependent, arc.label.clone()));
            }
        }
        let nodes = (1..).map(NodeId).zip(&sentence.tokens).filter(|(_, token)| token.id.is_empty_node());
        let record = nodes.map(|(node, token)| Record {
            token: token.clone(),
            head: token.head.map(|head| sentence.id_of(head)),
            incoming: sentence
                .graph
                .heads_of(node)
                .map(|arc| (sentence.id_of(arc.head), arc.label.clone()))
                .collect(),
            outgoing: outgoing.remove(&node).unwrap_or_default(),
        });
        record.collect()
    }

    /// The comment line.
    pub(super) fn to_comment(&self) -> String {
        let mut map = Map::new();
        map.insert("id".into(), self.token.id.to_string().into());
        let texts = [
            ("form", &self.token.form),
            ("lemma", &self.token.lemma),
            ("upos", &self.token.upos),
            ("xpos", &self.token.xpos),
            ("feats", &self.token.feats),
            ("deprel", &self.token.deprel),
            ("misc", &self.token.misc),
            ("frame", &self.token.frame),
        ];
        for (key, text) in texts {
            if !text.is_empty() {
                map.insert(key.into(), text.as_str().into());
            }
        }
        if let Some(head) = self.head {
            map.insert("head".into(), head.to_string().into());
        }
        if self.token.predicate {
            map.insert("predicate".into(), true.into());
        }
        if let Some((start, end)) = self.token.anchor {
            map.insert("anchor".into(), Value::from(vec![start, end]));
        }
        if !self.token.extra.is_empty() {
            let extra: Vec<&str> = self.token.extra.iter().map(Text::as_str).collect();
            map.insert("extra".into(), Value::from(extra));
        }
        for (key, ends) in [("incoming", &self.incoming), ("outgoing", &self.outgoing)] {
            let ends = ends.iter().map(|(id, label)| Value::from(vec![id.to_string(), label.to_string()]));
            map.insert(key.into(), ends.collect());
        }
        format!("# {COMMENT} = {}", Value::Object(map))
    }

    /// Reads a comment line; `None` when it is not such a comment, `Some(None)` when it is a broken one.
    pub(super) fn from_comment(line: &str) -> Option<Option<Record>> {
        let rest = line.trim_start_matches('#').trim_start().strip_prefix(COMMENT)?;
        let json = rest.trim_start().strip_prefix('=')?;
        Some(serde_json::from_str(json).ok().and_then(|value| Record::from_json(&value)))
    }

    fn from_json(value: &Value) -> Option<Record> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(Text::from).unwrap_or_default();
        let id = parse_id(value.get("id")?.as_str()?).filter(|id| id.is_empty_node())?;
        let number = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok());
        let anchor = match value.get("anchor").and_then(Value::as_array).map(Vec::as_slice) {
            Some([start, end]) => Some((number(start)?, number(end)?)),
            _ => None,
        };
        let extra = value.get("extra").and_then(Value::as_array).into_iter().flatten();
        let token = Token {
            id,
            form: text("form"),
            lemma: text("lemma"),
            upos: text("upos"),
            xpos: text("xpos"),
            feats: text("feats"),
            head: None,
            deprel: text("deprel"),
            misc: text("misc"),
            frame: text("frame"),
            predicate: value.get("predicate").and_then(Value::as_bool).unwrap_or(false),
            anchor,
            extra: extra.map(|item| item.as_str().map(Text::from)).collect::<Option<_>>()?,
        };
        let head = match value.get("head") {
            Some(head) => Some(parse_id(head.as_str()?)?),
            None => None,
        };
        let ends = |key: &str| -> Option<Vec<(TokenId, Text)>> {
            let ends = value.get(key)?.as_array()?.iter();
            let ends = ends.map(|end| match end.as_array()?.as_slice() {
                [id, label] => Some((parse_id(id.as_str()?)?, Text::from(label.as_str()?))),
                _ => None,
            });
            ends.collect()
        };
        Some(Record { token, head, incoming: ends("incoming")?, outgoing: ends("outgoing")? })
    }
}

fn parse_id(text: &str) -> Option<TokenId> {
    match text.split_once('.') {
        Some((word, empty)) => Some(TokenId { word: word.parse().ok()?, empty: empty.parse().ok()? }),
        None => Some(TokenId::word(text.parse().ok()?)),
    }
}
