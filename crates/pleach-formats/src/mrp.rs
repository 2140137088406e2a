//! MRP, <http://mrp.nlpl.eu/2020/index.php?page=14>: one JSON object per line, flavour 0 (nodes are tokens).
//!
//! Node ids count tokens from 0 and skip those that are no nodes; these are cut out of the raw text. The
//! object itself stays in [`Sentence::extra`]: the writer takes the order of its keys, nodes and edges from
//! there, and everything that a sentence has no field for, as far as it still agrees with the sentence.

use crate::anchors::{RawText, raw_text};
use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::json;
use crate::losses::{Carries, Comments, NOTE};
use crate::rows::Words;
use crate::source::{Block, MAX_ARCS, MAX_TOKENS, MAX_UNKNOWN_WORDS, Source};
use crate::{Loss, Losses, ReadError};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Token};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The label of the arcs from the root that stand for tops.
const TOP: &str = "root";

/// The note that characters beyond ASCII were written as escapes.
const ASCII_NOTE: &str = "pleach:mrp-ascii";

/// The keys of the object that a sentence has its own place for.
pub(crate) const OWN_KEYS: [&str; 5] = ["id", "input", "tops", "nodes", "edges"];

type Object = Map<String, Value>;

/// How the format is named, recognised, read and written.
pub(crate) static FORMAT: Description = Description {
    name: "mrp",
    about: "meaning representation parsing, flavour 0",
    aliases: &[],
    extensions: &["mrp"],
    media_type: "application/x-mrp",
    likeness,
    reader: |_| Ok(Box::new(MrpReader)),
    writer: || Box::new(MrpWriter),
};

fn likeness(opening: &Opening<'_>) -> Likeness {
    if opening.first_line().trim_start().starts_with('{') { Likeness::Marked } else { Likeness::No }
}

pub(crate) struct MrpReader;

impl ReadFormat for MrpReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        Some(source.line()?.and_then(|block| parse(&block)))
    }
}

/// An error at a key of the object.
#[cold]
fn at_key(block: &Block<'_>, key: &str, message: impl Into<String>) -> ReadError {
    let place = block.text.find(&format!("\"{key}\"")).unwrap_or(0);
    block.error_at(place, message)
}

fn parse(block: &Block<'_>) -> Result<Sentence, ReadError> {
    let mut object: Object = serde_json::from_str(block.text).map_err(|error| {
        let mut message = error.to_string();
        if let Some(end) = message.find(" at line ") {
            message.truncate(end);
        }
        block.error_at(error.column().saturating_sub(1), format!("expected a JSON object: {message}"))
    })?;
    if let Some(flavor) = object.get("flavor").filter(|flavor| flavor.as_i64() != Some(0)) {
        return Err(at_key(
            block,
            "flavor",
            format!("expected flavor 0, where nodes are tokens, found {flavor}"),
        ));
    }
    let mut sentence = Sentence::default();
    match object.get("id") {
        Some(Value::String(id)) => sentence.set_comment("sent_id", &one_line(id)),
        Some(id @ Value::Number(_)) => sentence.set_comment("sent_id", &id.to_string()),
        None => {}
        Some(_) => return Err(at_key(block, "id", "expected a string as id")),
    }
    let text: Option<RawText> = match object.get("input") {
        Some(Value::String(input)) => {
            sentence.set_comment("text", &one_line(input));
            Some(RawText::new(input))
        }
        None | Some(Value::Null) => None,
        Some(_) => return Err(at_key(block, "input", "expected a string as input")),
    };
    sentence.tokens = tokens(block, elements(block, &object, "nodes")?, text.as_ref())?;
    sentence.graph = graph(block, &object, sentence.tokens.len())?;
    for arc in sentence.graph.arcs().iter().filter(|arc| !arc.head.is_root()) {
        sentence.tokens[arc.head.index() - 1].predicate = true;
    }
    if block.text.is_ascii() && block.text.contains("\\u") {
        object.insert(ASCII_NOTE.to_owned(), Value::Bool(true));
    }
    sentence.extra = object;
    Ok(sentence)
}

/// A string as the value of a comment: on one line.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).collect::<Vec<_>>().join(" ")
}

/// The elements of an array that may be missing.
fn elements<'o>(block: &Block<'_>, object: &'o Object, key: &str) -> Result<&'o [Value], ReadError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(elements)) => Ok(elements),
        Some(_) => Err(at_key(block, key, format!("expected an array as {key}"))),
    }
}

/// The id of a node, as a place among the tokens.
fn place(block: &Block<'_>, value: Option<&Value>, key: &str, what: &str) -> Result<usize, ReadError> {
    let id = value.and_then(Value::as_u64).filter(|&id| id < MAX_TOKENS as u64);
    id.map(|id| id as usize).ok_or_else(|| {
        let found = value.map_or("nothing".to_owned(), Value::to_string);
        at_key(block, key, format!("expected a number from 0 to {} as {what}, found {found}", MAX_TOKENS - 1))
    })
}

/// What a node says about its token.
#[derive(Default, PartialEq)]
struct Node<'o> {
    label: &'o str,
    properties: [&'o str; 5],
    anchor: Option<(u32, u32)>,
}

/// The properties that have a place in a token, in the order of [`Node::properties`].
const PROPERTIES: [&str; 5] = ["pos", "frame", "upos", "feats", "misc"];

impl<'o> Node<'o> {
    /// Reads a node; the error is what was expected.
    fn read(value: &'o Value) -> Result<Node<'o>, &'static str> {
        let mut node = Node::default();
        match value.get("label") {
            Some(Value::String(label)) => node.label = label,
            None | Some(Value::Null) => {}
            Some(_) => return Err("expected a string as label of a node"),
        }
        let list = |key| match value.get(key) {
            Some(Value::Array(list)) => Ok(list.as_slice()),
            None | Some(Value::Null) => Ok(&[] as &[Value]),
            Some(_) => Err("expected arrays as properties, values and anchors of a node"),
        };
        let (names, values) = (list("properties")?, list("values")?);
        if names.len() != values.len() {
            return Err("expected as many values as properties of a node");
        }
        for (name, value) in names.iter().zip(values) {
            let known = PROPERTIES.iter().position(|known| name.as_str() == Some(known));
            if let (Some(known), Some(value)) = (known, value.as_str()) {
                node.properties[known] = value;
            }
        }
        for anchor in list("anchors")? {
            let end =
                |key| anchor.get(key).and_then(Value::as_u64).and_then(|place| u32::try_from(place).ok());
            let (Some(from), Some(to)) = (end("from"), end("to")) else {
                return Err("expected numbers as `from` and `to` of an anchor");
            };
            if from > to {
                return Err("expected an anchor whose `from` is not beyond its `to`");
            }
            let (start, end) = node.anchor.unwrap_or((from, to));
            node.anchor = Some((start.min(from), end.max(to)));
        }
        Ok(node)
    }

    /// What the node of a token says.
    fn of(token: &'o Token, anchor: Option<(u32, u32)>) -> Node<'o> {
        let properties = [&token.xpos, &token.frame, &token.upos, &token.feats, &token.misc];
        Node { label: &token.lemma, properties: properties.map(|property| property.as_str()), anchor }
    }

    fn write(&self, id: usize) -> Value {
        let mut object = Object::new();
        object.insert("id".to_owned(), json!(id));
        if !self.label.is_empty() {
            object.insert("label".to_owned(), json!(self.label));
        }
        let given = || PROPERTIES.iter().zip(self.properties).filter(|(_, value)| !value.is_empty());
        if given().next().is_some() {
            object.insert("properties".to_owned(), given().map(|(&name, _)| name).collect());
            object.insert("values".to_owned(), given().map(|(_, value)| value).collect());
        }
        if let Some((from, to)) = self.anchor {
            object.insert("anchors".to_owned(), json!([{"from": from, "to": to}]));
        }
        Value::Object(object)
    }
}

/// The tokens: those of the nodes, and between them those that are no nodes.
fn tokens(block: &Block<'_>, nodes: &[Value], text: Option<&RawText>) -> Result<Vec<Token>, ReadError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut seen: Vec<bool> = Vec::new();
    for value in nodes {
        let id = place(block, value.get("id"), "nodes", "the id of a node")?;
        let node = Node::read(value).map_err(|expected| at_key(block, "nodes", expected))?;
        if tokens.len() <= id {
            tokens.resize_with(id + 1, Token::default);
            seen.resize(id + 1, false);
        }
        if std::mem::replace(&mut seen[id], true) {
            return Err(at_key(block, "nodes", format!("expected different ids of nodes, found {id} twice")));
        }
        let token = &mut tokens[id];
        let [xpos, frame, upos, feats, misc] = node.properties.map(Text::new);
        (token.lemma, token.anchor) = (Text::new(node.label), node.anchor);
        (token.xpos, token.frame, token.upos, token.feats, token.misc) = (xpos, frame, upos, feats, misc);
    }
    match text {
        Some(text) => fill_gaps(block, &mut tokens, text)?,
        None => tokens.iter_mut().for_each(|token| token.form = token.lemma.clone()),
    }
    if tokens.is_empty() {
        return Err(at_key(block, "nodes", "expected nodes or a text with words"));
    }
    // A node that is there says something, even without a label.
    let told = |(i, token): &(usize, &Token)| seen.get(*i) == Some(&true) || !token.form.is_empty();
    let unknown = tokens.len() - tokens.iter().enumerate().filter(told).count();
    if unknown > MAX_UNKNOWN_WORDS {
        let message =
            format!("expected at most {MAX_UNKNOWN_WORDS} words without node and text, found {unknown}");
        return Err(at_key(block, "nodes", message));
    }
    for (i, token) in tokens.iter_mut().enumerate() {
        token.id = pleach_graph::TokenId::word(i as u32 + 1);
        if token.form.is_empty() {
            token.form = Text::const_new("_");
        }
    }
    Ok(tokens)
}

/// Gives forms to all tokens: the anchored ones as the text has them, the others from between these.
fn fill_gaps(block: &Block<'_>, tokens: &mut Vec<Token>, text: &RawText) -> Result<(), ReadError> {
    let mut at = 0;
    let mut i = 0;
    while i < tokens.len() {
        if let Some((start, end)) = tokens[i].anchor {
            let (start, end) = (start as usize, end as usize);
            if end > text.len() {
                let message = format!("expected anchors within the {} characters of the input", text.len());
                return Err(at_key(block, "anchors", message));
            }
            if start < at {
                let message = "expected ids of nodes in the order of their anchors, without overlap";
                return Err(at_key(block, "nodes", message));
            }
            tokens[i].form = text.form(start..end);
            at = end;
            i += 1;
            continue;
        }
        let run = tokens[i..].iter().take_while(|token| token.anchor.is_none()).count();
        let next = tokens.get(i + run).and_then(|token| token.anchor).map(|(start, _)| start as usize);
        let end = next.unwrap_or(text.len()).min(text.len());
        for (place, piece) in (i..).zip(text.cut(at.min(end)..end, Some(run))) {
            set_word(&mut tokens[place], text, piece);
        }
        for token in tokens[i..i + run].iter_mut().filter(|token| token.form.is_empty()) {
            token.form = token.lemma.clone();
        }
        if next.is_none() {
            at = end;
        }
        i += run;
    }
    for piece in text.cut(at..text.len(), None) {
        if tokens.len() == MAX_TOKENS {
            return Err(at_key(
                block,
                "input",
                format!("expected at most {MAX_TOKENS} tokens in a sentence"),
            ));
        }
        let mut token = Token::default();
        set_word(&mut token, text, piece);
        tokens.push(token);
    }
    Ok(())
}

fn set_word(token: &mut Token, text: &RawText, piece: std::ops::Range<usize>) {
    token.anchor = Some((piece.start as u32, piece.end as u32));
    token.form = text.form(piece);
}

fn graph(block: &Block<'_>, object: &Object, len: usize) -> Result<Graph, ReadError> {
    let within = |place: usize, key: &str| match place < len {
        true => Ok(NodeId(place as u32 + 1)),
        false => Err(at_key(block, key, format!("expected the id of one of {len} tokens, found {place}"))),
    };
    let mut arcs: Vec<Arc> = Vec::new();
    let too_many = |key: &str| at_key(block, key, format!("expected at most {MAX_ARCS} arcs in a sentence"));
    for top in elements(block, object, "tops")? {
        if arcs.len() >= MAX_ARCS {
            return Err(too_many("tops"));
        }
        let dependent = within(place(block, Some(top), "tops", "a top")?, "tops")?;
        arcs.push(Arc { head: NodeId::ROOT, dependent, label: Text::const_new(TOP) });
    }
    for edge in elements(block, object, "edges")? {
        if arcs.len() >= MAX_ARCS {
            return Err(too_many("edges"));
        }
        let head = within(place(block, edge.get("source"), "edges", "the source of an edge")?, "edges")?;
        let dependent = within(place(block, edge.get("target"), "edges", "the target of an edge")?, "edges")?;
        let label = match edge.get("label") {
            Some(Value::String(label)) => Text::new(label),
            None | Some(Value::Null) => Text::default(),
            Some(_) => return Err(at_key(block, "edges", "expected a string as label of an edge")),
        };
        arcs.push(Arc { head, dependent, label });
    }
    Ok(Graph::from_arcs(len, arcs))
}

pub(crate) struct MrpWriter;

/// Tags, lemmas and the like have a place only at nodes, so they are counted here.
const CARRIES: Carries = Carries {
    comments: Comments::IdAndText,
    lemma: true,
    upos: true,
    xpos: true,
    feats: true,
    misc: true,
    frame: true,
    anchor: true,
    attributes: true,
    ..Carries::NOTHING
};

impl WriteFormat for MrpWriter {
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        CARRIES.count(sentence, losses);
        let object = write_object(sentence, losses)?;
        json::push(out, &Value::Object(object), sentence.extra.contains_key(ASCII_NOTE))?;
        out.push(b'\n');
        Ok(())
    }
}

fn write_object(sentence: &Sentence, losses: &mut Losses) -> Result<Object, String> {
    let old = &sentence.extra;
    let words = Words::of(sentence, losses);
    let old_input = old.get("input").and_then(Value::as_str);
    let input = match old_input.filter(|input| sentence.text() == Some(one_line(input).trim())) {
        Some(input) => input.to_owned(),
        None => raw_text(sentence),
    };
    let text = RawText::new(&input);
    // An object without a text stays without one, and its anchors are about what only its author knows.
    let textless = old.contains_key("nodes") && !old.contains_key("input");
    let anchors = if textless {
        words.tokens.iter().map(|token| token.anchor).collect()
    } else {
        text.align(&words.tokens)
    };

    let (tops, nodes) = (write_tops(&words.graph, old, losses), write_nodes(&words, &anchors, old));
    count_words(&words, &anchors, &nodes, Some(&text).filter(|_| !textless), losses)?;
    let edges = write_edges(&words.graph, old);
    let id = old.get("id").filter(|id| match id {
        Value::String(id) => sentence.sent_id() == Some(one_line(id).trim()),
        other => sentence.sent_id() == Some(other.to_string().as_str()),
    });
    let id = id.cloned().or_else(|| sentence.sent_id().map(Value::from));

    let mut own: [(&str, Option<Value>); 5] = [
        ("id", id),
        ("input", Some(Value::from(input))),
        ("tops", tops),
        ("nodes", Some(Value::from(nodes))),
        ("edges", Some(Value::from(edges))),
    ];
    // The order of the keys is the old object's, else the usual one.
    let mut object = Object::new();
    let usual = ["id", "flavor", "framework", "version", "time", "input", "tops", "nodes", "edges"];
    let usual =
        usual.iter().filter(|key| old.contains_key(**key) || OWN_KEYS.contains(key) || **key == "flavor");
    let ordered = old.contains_key("nodes");
    let keys: Vec<&str> =
        if ordered { old.keys().map(String::as_str).collect() } else { usual.copied().collect() };
    let mut put = |object: &mut Object, key: &str| {
        if let Some(slot) = own.iter_mut().find(|slot| slot.0 == key) {
            if let Some(value) = slot.1.take() {
                object.insert(key.to_owned(), value);
            }
        } else if let Some(value) = old.get(key) {
            object.insert(key.to_owned(), value.clone());
        } else {
            object.insert(key.to_owned(), json!(0));
        }
    };
    for key in keys.iter().filter(|key| !key.starts_with(NOTE)) {
        if ordered && *key == "nodes" {
            put(&mut object, "tops");
        }
        put(&mut object, key);
    }
    for key in OWN_KEYS.into_iter().filter(|key| ordered && !keys.contains(key) && *key != "input") {
        put(&mut object, key);
    }
    for key in old.keys().filter(|key| !ordered && !key.starts_with(NOTE) && !keys.contains(&key.as_str())) {
        put(&mut object, key);
    }
    Ok(object)
}

fn write_tops(graph: &Graph, old: &Object, losses: &mut Losses) -> Option<Value> {
    let tops: BTreeSet<u64> = graph.tops().map(|node| u64::from(node.0) - 1).collect();
    let arcs = graph.arcs().iter().filter(|arc| arc.head.is_root());
    losses.add(Loss::RootLabels, arcs.clone().filter(|arc| arc.label != TOP).count() as u64);
    losses.add(Loss::SeveralLabels, (arcs.count() - tops.len()) as u64);
    let before = old.get("tops").and_then(Value::as_array);
    let same =
        before.is_some_and(|before| before.iter().filter_map(Value::as_u64).collect::<BTreeSet<_>>() == tops);
    match (same, tops.is_empty()) {
        (true, _) => old.get("tops").cloned(),
        (false, true) => None,
        (false, false) => Some(tops.into_iter().collect()),
    }
}

fn write_nodes(words: &Words<'_>, anchors: &[Option<(u32, u32)>], old: &Object) -> Vec<Value> {
    let len = words.tokens.len();
    let mut wanted = vec![false; len];
    for arc in words.graph.arcs() {
        wanted[arc.dependent.index() - 1] = true;
        if !arc.head.is_root() {
            wanted[arc.head.index() - 1] = true;
        }
    }
    for (i, token) in words.tokens.iter().enumerate() {
        wanted[i] |= token.predicate || !token.frame.is_empty();
    }
    let mut nodes = Vec::new();
    for value in old.get("nodes").and_then(Value::as_array).into_iter().flatten() {
        let Some(id) = value.get("id").and_then(Value::as_u64).map(|id| id as usize).filter(|&id| id < len)
        else {
            continue;
        };
        let now = Node::of(&words.tokens[id], anchors[id]);
        let before = Node::read(value).unwrap_or_default();
        let same = before == now || before == Node { anchor: None, ..Node::of(&words.tokens[id], None) };
        nodes.push(if same { value.clone() } else { now.write(id) });
        wanted[id] = false;
    }
    let ordered = nodes.is_empty();
    for id in (0..len).filter(|&id| wanted[id]) {
        nodes.push(Node::of(&words.tokens[id], anchors[id]).write(id));
    }
    if !ordered && wanted.contains(&true) {
        nodes.sort_by_key(|node| node.get("id").and_then(Value::as_u64));
    }
    nodes
}

/// Counts the words that a reader would not find again, by reading them: those that are neither nodes with a place nor
/// where the text would be cut; and what is said about words that are no nodes. The error says that nothing could be read.
fn count_words(
    words: &Words<'_>,
    anchors: &[Option<(u32, u32)>],
    nodes: &[Value],
    text: Option<&RawText>,
    losses: &mut Losses,
) -> Result<(), String> {
    let found = tokens(&Block::detached(""), nodes, text)
        .map_err(|_| "its words can't be told from its text and its nodes".to_owned())?;
    let mut is_node = vec![false; words.tokens.len()];
    for id in nodes.iter().filter_map(|node| node.get("id")?.as_u64()) {
        is_node[id as usize] = true;
    }
    for (i, token) in words.tokens.iter().enumerate() {
        // Where a node has a place, its form may be spelled otherwise there.
        let placed = is_node[i] && anchors[i].is_some();
        let same = placed || found.get(i).is_some_and(|found| found.form == token.form);
        losses.add(Loss::Forms, u64::from(!same));
        if is_node[i] {
            continue;
        }
        let said = [
            (Loss::Lemmas, &token.lemma),
            (Loss::CoarseTags, &token.upos),
            (Loss::FineTags, &token.xpos),
            (Loss::Features, &token.feats),
            (Loss::Misc, &token.misc),
        ];
        said.iter().for_each(|(loss, text)| losses.add(*loss, u64::from(!text.is_empty())));
    }
    losses.add(Loss::Forms, found.len().saturating_sub(words.tokens.len()) as u64);
    Ok(())
}

fn write_edges(graph: &Graph, old: &Object) -> Vec<Value> {
    let arcs = graph.arcs();
    let mut written = vec![false; arcs.len()];
    let mut edges = Vec::new();
    for value in old.get("edges").and_then(Value::as_array).into_iter().flatten() {
        let node = |key| Some(NodeId(u32::try_from(value.get(key)?.as_u64()?).ok()?.checked_add(1)?));
        let (Some(head), Some(dependent)) = (node("source"), node("target")) else { continue };
        let label = Text::new(value.get("label").and_then(Value::as_str).unwrap_or(""));
        if let Ok(place) = arcs.binary_search(&Arc { head, dependent, label }) {
            written[place] = true;
            edges.push(value.clone());
        }
    }
    for (arc, _) in arcs.iter().zip(written).filter(|(arc, written)| !written && !arc.head.is_root()) {
        let (source, target) = (arc.head.0 - 1, arc.dependent.0 - 1);
        edges.push(match arc.label.is_empty() {
            true => json!({"source": source, "target": target}),
            false => json!({"source": source, "target": target, "label": arc.label.as_str()}),
        });
    }
    edges
}
