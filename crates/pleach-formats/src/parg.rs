//! CCGbank word-word dependencies (`.parg`), CCGbank manual (Hockenmaier and Steedman 2005), appendix D.
//!
//! ```text
//! <s id="wsj_0001.1"> 17
//! 1    0    N/N    1    Vinken Pierre
//! 1    8    (S[b]\NP)/NP    1    Vinken join <XB>
//! <\s>
//! ```
//! Fields are separated by a tab between two spaces. The number behind the id is that of the last word; words
//! count from 0; the argument stands before the functor, then the functor's category and the slot that the
//! argument fills. Lines are sorted as text. An arc goes from the functor to the argument and has the label
//! `category:slot`, with the mark of long-range dependencies behind it if there is one:
//! `(S[b]\NP)/NP:1<XB>`. Words that no line mentions are `_` unless a companion has them.

use crate::columns::{number, quote};
use crate::companion::Companion;
use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::losses::{Carries, Comments};
use crate::source::{Block, MAX_ARCS, MAX_TOKENS, MAX_UNKNOWN_WORDS, Source, Take};
use crate::{Loss, Losses, ReadError};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Token};
use serde_json::Value;

/// The note with the lines of a sentence, when they would be written otherwise.
const LINES_NOTE: &str = "pleach:parg-lines";

const UNKNOWN: &str = "_";

/// How the format is named, recognised, read and written.
pub(crate) static FORMAT: Description = Description {
    name: "parg",
    about: "CCGbank word-word dependencies",
    aliases: &["ccgbank"],
    extensions: &["parg"],
    media_type: "text/x-parg; charset=utf-8",
    likeness,
    reader: |options| {
        let words = options.words.as_deref().map(Companion::open).transpose()?;
        Ok(Box::new(PargReader { words }))
    },
    writer: || Box::new(PargWriter),
};

/// Chinese trees stand between such tags too.
fn likeness(opening: &Opening<'_>) -> Likeness {
    let tree = |line: &str| line.trim_start().starts_with('(');
    let marked = opening.first_line().starts_with("<s") && !opening.text().lines().any(tree);
    if marked { Likeness::Marked } else { Likeness::No }
}

#[derive(Default)]
pub(crate) struct PargReader {
    pub words: Option<Companion>,
}

impl ReadFormat for PargReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        if let Err(error) = source.skip_blank() {
            return Some(Err(error));
        }
        let mut first = true;
        let block = source.block(|line| {
            let start = std::mem::replace(&mut first, false);
            if line.starts_with(b"<\\s>") || line.starts_with(b"</s>") {
                Take::Last
            } else if line.starts_with(b"<s") && !start {
                Take::Before
            } else {
                Take::More
            }
        })?;
        // The companion keeps step also when a sentence is malformed.
        let words = self.words.as_mut().map(Companion::next);
        Some(block.and_then(|block| {
            let words = match words {
                None => None,
                Some(Some(words)) => Some(words?),
                Some(None) => {
                    return Err(block.error(block.text, "expected as many sentences as the words have"));
                }
            };
            read(&block, words)
        }))
    }
}

/// One line: functor and argument count from 1 here.
struct Dependency<'a> {
    arc: Arc,
    category: &'a str,
    /// The words of argument and functor.
    words: [&'a str; 2],
}

/// What a block says.
struct Lines<'a> {
    id: &'a str,
    last: Option<u32>,
    dependencies: Vec<Dependency<'a>>,
}

impl Lines<'_> {
    /// How many words the lines mention.
    fn mentioned(&self) -> usize {
        let ends = self.dependencies.iter().flat_map(|line| [line.arc.head.0, line.arc.dependent.0]);
        let mut ends: Vec<u32> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        ends.len()
    }
}

fn read(block: &Block<'_>, words: Option<Sentence>) -> Result<Sentence, ReadError> {
    let lines = parse(block)?;
    let ends = lines.dependencies.iter().flat_map(|d| [d.arc.head.0, d.arc.dependent.0]);
    let needed = ends.max().unwrap_or(0) as usize;
    let mut sentence = match words {
        Some(mut words) => {
            words.tokens.retain(|token| !token.id.is_empty_node());
            let len = words.tokens.len();
            if needed > len {
                let message =
                    format!("expected words within the {len} of the companion, found number {}", needed - 1);
                return Err(block.error(block.text, message));
            }
            if let Some(other) = words.sent_id().filter(|other| *other != lines.id) {
                let message = format!("expected the sentence {}, which the words have", quote(other));
                return Err(block.error(lines.id, message));
            }
            let tokens = words.tokens.into_iter().zip(1..);
            let tokens = tokens.map(|(token, number)| Token {
                head: None,
                deprel: Text::default(),
                id: pleach_graph::TokenId::word(number),
                ..token
            });
            Sentence { tokens: tokens.collect(), ..Sentence::default() }
        }
        None => {
            let len = needed.max(lines.last.map_or(0, |last| last as usize + 1)).max(1);
            let mentioned = lines.mentioned();
            if len > mentioned + MAX_UNKNOWN_WORDS {
                let message = format!(
                    "expected at most {MAX_UNKNOWN_WORDS} words that no line mentions, found {}; a file with the \
                     words can tell them",
                    len - mentioned
                );
                return Err(block.error(lines.id, message));
            }
            Sentence::from_forms(std::iter::repeat_n(UNKNOWN, len))
        }
    };
    sentence.set_comment("sent_id", lines.id);
    for dependency in &lines.dependencies {
        let [argument, functor] =
            [dependency.arc.dependent, dependency.arc.head].map(|node| node.index() - 1);
        for (place, word) in [argument, functor].into_iter().zip(dependency.words) {
            let form = &mut sentence.tokens[place].form;
            if *form == UNKNOWN {
                *form = Text::new(word);
            }
        }
        let functor = &mut sentence.tokens[functor];
        functor.predicate = true;
        if functor.frame.is_empty() {
            functor.frame = Text::new(dependency.category);
        }
    }
    let arcs = lines.dependencies.into_iter().map(|dependency| dependency.arc).collect();
    sentence.graph = Graph::from_arcs(sentence.tokens.len(), arcs);
    let mut usual = Vec::new();
    // What cannot be written in the usual way differs from it.
    if write_lines(&sentence, &mut usual).is_err() || usual != block.text.as_bytes() {
        sentence.extra.insert(LINES_NOTE.to_owned(), Value::from(block.text));
    }
    Ok(sentence)
}

fn parse<'a>(block: &Block<'a>) -> Result<Lines<'a>, ReadError> {
    let mut lines = block.lines().filter(|line| !line.trim().is_empty());
    let header = lines.next().unwrap_or("");
    let id = header.strip_prefix("<s id=\"").and_then(|rest| rest.split_once("\">"));
    let Some((id, last)) = id.filter(|(id, _)| !id.trim().is_empty() && id.trim() == *id) else {
        let found = quote(header);
        return Err(block.error(
            header,
            format!("expected `<s id=\"…\">` and the number of the last word, found {found}"),
        ));
    };
    let last = match last.trim() {
        "" => None,
        text => Some(number(text).filter(|&last| (last as usize) < MAX_TOKENS).ok_or_else(|| {
            block.error(last, format!("expected a number below {MAX_TOKENS}, found {}", quote(text)))
        })?),
    };
    let mut dependencies = Vec::new();
    let mut closed = false;
    for line in lines {
        if matches!(line.trim_end(), "<\\s>" | "</s>") {
            closed = true;
            continue;
        }
        if dependencies.len() == MAX_ARCS {
            return Err(block.error(line, format!("expected at most {MAX_ARCS} arcs in a sentence")));
        }
        dependencies.push(dependency(block, line)?);
    }
    if !closed {
        return Err(block.error_at(block.text.len(), "expected `<\\s>` at the end of the sentence"));
    }
    Ok(Lines { id, last, dependencies })
}

fn dependency<'a>(block: &Block<'a>, line: &'a str) -> Result<Dependency<'a>, ReadError> {
    const FIELDS: [&str; 6] = [
        "the argument's number",
        "the functor's number",
        "a category",
        "a slot",
        "the argument",
        "the functor",
    ];
    let mut fields = line.split_whitespace();
    let mut field = |place: usize| {
        let end = &line[line.len()..];
        fields
            .next()
            .ok_or_else(|| block.error(end, format!("expected {}, found the end of the line", FIELDS[place])))
    };
    let [argument, functor, category, slot, argument_word, functor_word] =
        [field(0)?, field(1)?, field(2)?, field(3)?, field(4)?, field(5)?];
    let node = |text: &str, place: usize| {
        let index = number(text).filter(|&index| (index as usize) < MAX_TOKENS);
        index.map(|index| NodeId(index + 1)).ok_or_else(|| {
            block.error(text, format!("expected {} below {MAX_TOKENS}, found {}", FIELDS[place], quote(text)))
        })
    };
    let (dependent, head) = (node(argument, 0)?, node(functor, 1)?);
    if number(slot).is_none() {
        return Err(block.error(slot, format!("expected the number of a slot, found {}", quote(slot))));
    }
    let mut label = Text::new(category);
    label.push(':');
    label.push_str(slot);
    for mark in fields {
        if !(mark.starts_with('<') && mark.ends_with('>')) {
            return Err(block.error(mark, format!("expected a mark such as <XB>, found {}", quote(mark))));
        }
        label.push_str(mark);
    }
    let arc = Arc { head, dependent, label };
    Ok(Dependency { arc, category, words: [argument_word, functor_word] })
}

/// Takes a label `category:slot<mark>` apart.
fn split_label(label: &str) -> Option<(&str, &str, &str)> {
    let (category, rest) = label.rsplit_once(':')?;
    let (slot, mark) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
    (number(slot).is_some() && !category.is_empty() && !label.contains(char::is_whitespace))
        .then_some((category, slot, mark))
}

pub(crate) struct PargWriter;

const CARRIES: Carries = Carries { comments: Comments::Id, frame: true, ..Carries::NOTHING };

impl WriteFormat for PargWriter {
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        CARRIES.count(sentence, losses);
        let empty = sentence.tokens.iter().filter(|token| token.id.is_empty_node()).count();
        if empty > 0 {
            return Err("empty nodes have no number".to_owned());
        }
        let mut arcs = 0;
        let mut mentioned = vec![false; sentence.len() + 1];
        let mut category: Vec<&str> = vec![""; sentence.len() + 1];
        for arc in sentence.graph.arcs() {
            if arc.head.is_root() {
                arcs += 1;
                continue;
            }
            mentioned[arc.head.index()] = true;
            mentioned[arc.dependent.index()] = true;
            if category[arc.head.index()].is_empty() {
                category[arc.head.index()] = split_label(&arc.label).map_or("", |(category, _, _)| category);
            }
        }
        losses.add(Loss::Arcs, arcs);
        let unknown = mentioned[1..].iter().filter(|mentioned| !**mentioned).count();
        if unknown > MAX_UNKNOWN_WORDS {
            return Err(format!(
                "{unknown} words have no arcs, and at most {MAX_UNKNOWN_WORDS} such words can be read"
            ));
        }
        for (i, token) in sentence.tokens.iter().enumerate() {
            losses.add(Loss::Forms, u64::from(!mentioned[i + 1] && token.form != UNKNOWN));
            losses.add(Loss::Frames, u64::from(!token.frame.is_empty() && token.frame != category[i + 1]));
        }
        match sentence.extra.get(LINES_NOTE).and_then(Value::as_str).filter(|note| says(note, sentence)) {
            Some(note) => {
                out.extend_from_slice(note.as_bytes());
                if !note.ends_with('\n') {
                    out.push(b'\n');
                }
                Ok(())
            }
            None => write_lines(sentence, out),
        }
    }
}

/// Whether noted lines still tell the truth about a sentence.
fn says(note: &str, sentence: &Sentence) -> bool {
    let Ok(lines) = parse(&Block::detached(note)) else { return false };
    let mut arcs: Vec<Arc> = lines.dependencies.iter().map(|dependency| dependency.arc.clone()).collect();
    arcs.sort_unstable();
    arcs.dedup();
    let same_arcs = arcs.iter().eq(sentence.graph.arcs().iter().filter(|arc| !arc.head.is_root()));
    same_arcs && Some(lines.id) == sentence.sent_id()
}

fn write_lines(sentence: &Sentence, out: &mut Vec<u8>) -> Result<(), String> {
    let Some(id) = sentence.sent_id().filter(|id| !id.is_empty() && !id.contains(['"', '\n', '\r'])) else {
        return Err("a sentence needs an id (# sent_id = …)".to_owned());
    };
    let word = |node: NodeId| match sentence.token(node).map(|token| token.form.as_str()) {
        Some(form) if !form.is_empty() && !form.contains(char::is_whitespace) => Ok(form),
        other => Err(format!("{:?} cannot be a word, since spaces separate them", other.unwrap_or(""))),
    };
    let mut lines = Vec::new();
    for arc in sentence.graph.arcs().iter().filter(|arc| !arc.head.is_root()) {
        let Some((category, slot, mark)) = split_label(&arc.label) else {
            return Err(format!("the label {} is not `category:slot`", quote(&arc.label)));
        };
        let (argument, functor) = (word(arc.dependent)?, word(arc.head)?);
        let space = if mark.is_empty() { "" } else { " " };
        let (i, j) = (arc.dependent.0 - 1, arc.head.0 - 1);
        lines.push(format!("{i} \t {j} \t {category} \t {slot} \t {argument} {functor}{space}{mark}\n"));
    }
    lines.sort_unstable();
    let last = sentence.len().saturating_sub(1);
    out.extend_from_slice(format!("<s id=\"{id}\"> {last}\n").as_bytes());
    lines.iter().for_each(|line| out.extend_from_slice(line.as_bytes()));
    out.extend_from_slice(b"<\\s>\n");
    Ok(())
}
