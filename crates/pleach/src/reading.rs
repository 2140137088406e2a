//! Long texts: paragraph by paragraph or line by line from a reader, parsed in parallel, in order, in bounded memory.

mod segment;

pub use segment::{from_tokens, join};

use crate::feed::{Feed, Pieces};
use pleach_graph::Sentence;
use pleach_parsers::{Parser, ParserError, Workspace};
use pleach_text::blocks::{Block, Blocks};
use rayon::prelude::*;
use std::io::{self, Read};

/// Text that is cut and parsed in parallel before it is given, in bytes.
const CHUNK: usize = 128 << 10;

/// Why reading a text ended.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The reader failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The model can't read text.
    #[error(transparent)]
    Parser(#[from] ParserError),
}

/// How a text is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextFormat {
    /// Paragraphs with blank lines between them; sentences and words are the tokenizer's.
    #[default]
    Paragraphs,
    /// One sentence a line; words are the tokenizer's.
    Lines,
    /// One sentence a line, words between spaces; no tokenizer is needed.
    Tokens,
}

/// What is noted of the sentences of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The document's id, before its first sentence; paragraphs are marked then too.
    pub document: Option<String>,
    /// The number of the last sentence before this text.
    pub numbered: usize,
    /// Say in MISC where every token stands, in characters.
    pub ranges: bool,
    /// Leave out the anchors of tokens, which most formats have no place for.
    pub no_anchors: bool,
}

/// Reads a text and parses it. An iterator over sentences; programs that write in chunks use [`TextReader::chunk`].
///
/// ```
/// # #[cfg(feature = "english")] {
/// let parser = pleach::english()?;
/// let text = "It rains.\n\nWe stay.".as_bytes();
/// let mut sentences = pleach::reading::TextReader::new(&parser, text, Default::default());
/// assert_eq!(sentences.next().unwrap()?.tokens[0].form, "It");
/// assert_eq!(sentences.count(), 1);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TextReader<'p, R: Read> {
    parser: &'p Parser,
    feed: Feed<Cutter<R>>,
    format: TextFormat,
    notes: Notes,
    place: Place,
    ready: std::vec::IntoIter<Sentence>,
    counts: Counts,
    left_out: usize,
}

/// The paragraphs or lines of a text.
#[derive(Debug)]
struct Cutter<R> {
    blocks: Blocks<R>,
    format: TextFormat,
}

/// What was counted while reading.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    damaged: usize,
    left_out: usize,
}

impl<R: Read> Cutter<R> {
    fn counts(&self) -> Counts {
        Counts { damaged: self.blocks.damaged, left_out: self.blocks.left_out }
    }
}

impl<R: Read> Pieces for Cutter<R> {
    type Piece = (Block, Counts);

    fn next_piece(&mut self) -> io::Result<Option<Self::Piece>> {
        let block = match self.format {
            TextFormat::Paragraphs => self.blocks.next_block(),
            TextFormat::Lines | TextFormat::Tokens => self.blocks.next_line(),
        };
        Ok(block?.map(|block| (block, self.counts())))
    }

    fn size(piece: &Self::Piece) -> usize {
        piece.0.text.len()
    }
}

/// How far a text was read, for going on there in another run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Chunks that were read.
    pub chunks: usize,
    /// The number of the last sentence.
    pub numbered: usize,
    /// Whether there was a sentence of this text.
    pub begun: bool,
}

impl<'p, R: Read> TextReader<'p, R> {
    /// A text to be parsed by a model that has a tokenizer.
    pub fn new(parser: &'p Parser, input: R, notes: Notes) -> Self {
        Self::laid_out(parser, input, TextFormat::Paragraphs, notes)
    }

    /// A text of another layout.
    pub fn laid_out(parser: &'p Parser, input: R, format: TextFormat, notes: Notes) -> Self {
        Self::build(parser, Feed::Here(Cutter { blocks: Blocks::new(input), format }), format, notes)
    }

    fn build(parser: &'p Parser, feed: Feed<Cutter<R>>, format: TextFormat, notes: Notes) -> Self {
        let place = Place { numbered: notes.numbered, ..Place::default() };
        let (ready, counts) = (Vec::new().into_iter(), Counts::default());
        TextReader { parser, feed, format, notes, place, ready, counts, left_out: 0 }
    }

    /// How many sentences there were so far, with those before this text.
    pub fn numbered(&self) -> usize {
        self.place.numbered
    }

    /// How many paragraphs had bytes that are not UTF-8; they were replaced.
    pub fn damaged(&self) -> usize {
        self.counts.damaged
    }

    /// How many characters of white space no word could be given.
    pub fn left_out(&self) -> usize {
        self.left_out + self.counts.left_out
    }

    /// How far the text was read.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Reads on to a place that [`TextReader::place`] told in an earlier run, without parsing.
    pub fn go_to(&mut self, place: Place) -> Result<(), ReadError> {
        while self.place.chunks < place.chunks && !self.read()?.is_empty() {}
        self.place = place;
        Ok(())
    }

    /// The next paragraphs or lines, cut into sentences, not parsed yet; none at the end.
    pub fn unparsed(&mut self) -> Result<Vec<Sentence>, ReadError> {
        loop {
            let chunk = self.read()?;
            if chunk.is_empty() {
                return Ok(Vec::new());
            }
            let sentences = self.cut(&chunk)?;
            // Paragraphs of white space alone have no sentences, but more may follow.
            if !sentences.is_empty() {
                return Ok(sentences);
            }
        }
    }

    fn read(&mut self) -> Result<Vec<Block>, ReadError> {
        let chunk = self.feed.chunk(CHUNK)?;
        self.place.chunks += usize::from(!chunk.is_empty());
        let last = chunk.last().map(|(_, counts)| *counts);
        if let Feed::Here(cutter) = &self.feed {
            // At its end a text may have more that was left out.
            self.counts = cutter.counts();
        } else if let Some(counts) = last {
            self.counts = counts;
        }
        Ok(chunk.into_iter().map(|(block, _)| block).collect())
    }

    fn cut(&mut self, chunk: &[Block]) -> Result<Vec<Sentence>, ReadError> {
        let (parser, ranges, format) = (self.parser, self.notes.ranges, self.format);
        let cut = |workspace: &mut Workspace, block: &Block| -> Result<Vec<Sentence>, ParserError> {
            let start = ranges.then_some(block.start);
            Ok(match format {
                TextFormat::Paragraphs => parser.sentences(&block.text, start, workspace)?,
                TextFormat::Lines => {
                    join(parser.sentences(&block.text, start, workspace)?, &block.text).into_iter().collect()
                }
                TextFormat::Tokens => from_tokens(&block.text, start).into_iter().collect(),
            })
        };
        let blocks: Result<Vec<Vec<Sentence>>, ParserError> =
            chunk.par_iter().map_init(Workspace::default, cut).collect();
        let mut sentences = Vec::new();
        for (mut cut, block) in blocks?.into_iter().zip(chunk) {
            if cut.is_empty() {
                self.left_out += block.text.chars().count();
            }
            for (number, sentence) in cut.iter_mut().enumerate() {
                self.note(block.opens && number == 0, sentence);
            }
            sentences.append(&mut cut);
        }
        Ok(sentences)
    }

    /// The next paragraphs or lines as parsed sentences, parsed in parallel on the current rayon pool; none at the end.
    pub fn chunk(&mut self) -> Result<Vec<Sentence>, ReadError> {
        let mut sentences = self.unparsed()?;
        self.parser.parse_all(&mut sentences);
        Ok(sentences)
    }

    fn note(&mut self, opens: bool, sentence: &mut Sentence) {
        self.place.numbered += 1;
        let mut comments = Vec::new();
        if let Some(document) = &self.notes.document {
            if !std::mem::replace(&mut self.place.begun, true) {
                comments.push(format!("# newdoc id = {document}"));
            }
            if opens {
                comments.push("# newpar".to_owned());
            }
        }
        comments.push(format!("# sent_id = {}", self.place.numbered));
        sentence.comments.splice(0..0, comments);
        if self.notes.no_anchors {
            sentence.tokens.iter_mut().for_each(|token| token.anchor = None);
        }
    }
}

impl<'p, R: Read + Send + 'static> TextReader<'p, R> {
    /// A text that somebody is still writing: what is complete is parsed without waiting for more.
    pub fn live(parser: &'p Parser, input: R, format: TextFormat, notes: Notes) -> Self {
        Self::build(parser, Feed::live(Cutter { blocks: Blocks::new(input).live(), format }), format, notes)
    }
}

impl<R: Read> Iterator for TextReader<'_, R> {
    type Item = Result<Sentence, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(sentence) = self.ready.next() {
            return Some(Ok(sentence));
        }
        match self.chunk() {
            Ok(sentences) => {
                self.ready = sentences.into_iter();
                self.ready.next().map(Ok)
            }
            Err(error) => Some(Err(error)),
        }
    }
}
