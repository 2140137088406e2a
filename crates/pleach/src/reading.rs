//! Long texts: paragraph by paragraph from a reader, parsed in parallel, in order, in bounded memory.

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
pub struct TextReader<'p, R> {
    parser: &'p Parser,
    blocks: Blocks<R>,
    notes: Notes,
    first: bool,
    ready: std::vec::IntoIter<Sentence>,
    left_out: usize,
}

impl<'p, R: Read> TextReader<'p, R> {
    /// A text to be parsed by a model that has a tokenizer.
    pub fn new(parser: &'p Parser, input: R, notes: Notes) -> Self {
        let blocks = Blocks::new(input);
        TextReader { parser, blocks, notes, first: true, ready: Vec::new().into_iter(), left_out: 0 }
    }

    /// How many sentences there were so far, with those before this text.
    pub fn numbered(&self) -> usize {
        self.notes.numbered
    }

    /// How many paragraphs had bytes that are not UTF-8; they were replaced.
    pub fn damaged(&self) -> usize {
        self.blocks.damaged
    }

    /// How many characters of white space no word could be given.
    pub fn left_out(&self) -> usize {
        self.left_out + self.blocks.left_out
    }

    /// The next paragraphs, cut into sentences, not parsed yet; none at the end.
    pub fn unparsed(&mut self) -> Result<Vec<Sentence>, ReadError> {
        let mut chunk: Vec<Block> = Vec::new();
        let mut size = 0;
        while size < CHUNK
            && let Some(block) = self.blocks.next_block()?
        {
            size += block.text.len();
            chunk.push(block);
        }
        let (parser, ranges) = (self.parser, self.notes.ranges);
        let cut = |workspace: &mut Workspace, block: &Block| {
            parser.sentences(&block.text, ranges.then_some(block.start), workspace)
        };
        let paragraphs: Result<Vec<Vec<Sentence>>, ParserError> =
            chunk.par_iter().map_init(Workspace::default, cut).collect();
        let mut sentences = Vec::new();
        for (mut paragraph, block) in paragraphs?.into_iter().zip(&chunk) {
            if paragraph.is_empty() {
                self.left_out += block.text.chars().count();
            }
            for (number, sentence) in paragraph.iter_mut().enumerate() {
                self.note(number, sentence);
            }
            sentences.append(&mut paragraph);
        }
        Ok(sentences)
    }

    /// The next paragraphs as parsed sentences, parsed in parallel on the current rayon pool; none at the end.
    pub fn chunk(&mut self) -> Result<Vec<Sentence>, ReadError> {
        loop {
            let before = self.blocks.given();
            let mut sentences = self.unparsed()?;
            // Paragraphs of white space alone have no sentences, but more may follow.
            if sentences.is_empty() && self.blocks.given() > before {
                continue;
            }
            self.parser.parse_all(&mut sentences);
            return Ok(sentences);
        }
    }

    fn note(&mut self, number: usize, sentence: &mut Sentence) {
        self.notes.numbered += 1;
        let mut comments = Vec::new();
        if let Some(document) = &self.notes.document {
            if std::mem::take(&mut self.first) {
                comments.push(format!("# newdoc id = {document}"));
            }
            if number == 0 {
                comments.push("# newpar".to_owned());
            }
        }
        comments.push(format!("# sent_id = {}", self.notes.numbered));
        sentence.comments.splice(0..0, comments);
        if self.notes.no_anchors {
            sentence.tokens.iter_mut().for_each(|token| token.anchor = None);
        }
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
