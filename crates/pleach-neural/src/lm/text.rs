//! Sentences of words from files of any size, one after the other in constant memory.
//!
//! A file is plain text, or CoNLL-U when its name ends so. Text is cut at white space; punctuation at the edges of what is
//! between is cut off, and so are the contractions of English (`do|n't`, `it|'s`), as in treebanks. A sentence ends behind
//! `.`, `!` or `?` (and quotes and brackets that close), at an empty line, and after [`LONGEST`] words. That is rough, and
//! enough to learn which words go together.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longer sentences are cut.
pub const LONGEST: usize = 60;

/// A place between two sentences: all that it takes to go on from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// The file's number.
    pub file: usize,
    /// The byte within it.
    pub byte: u64,
}

/// The sentences of some files.
#[derive(Debug)]
pub struct Sentences {
    files: Vec<PathBuf>,
    place: Place,
    reader: Option<BufReader<File>>,
    /// Words of a sentence that has not ended, and sentences that have.
    open: Vec<String>,
    ended: std::collections::VecDeque<Vec<String>>,
    line: Vec<u8>,
}

fn failed(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The bytes of all files.
pub fn size(files: &[PathBuf]) -> io::Result<u64> {
    files.iter().map(|path| Ok(std::fs::metadata(path).map_err(|error| failed(path, &error))?.len())).sum()
}

impl Sentences {
    /// Begins at a place.
    pub fn new(files: &[PathBuf], place: Place) -> Self {
        Sentences {
            files: files.to_vec(),
            place,
            reader: None,
            open: Vec::new(),
            ended: Default::default(),
            line: Vec::new(),
        }
    }

    /// Where to go on later, if nothing is left of the sentences that were read.
    pub fn place(&self) -> Place {
        self.place
    }

    /// About `count` sentences: as many as it takes for the next place to be between two sentences. None at the end.
    pub fn block(&mut self, count: usize) -> io::Result<Vec<Vec<String>>> {
        let mut block = Vec::new();
        while block.len() < count || !self.open.is_empty() {
            if !self.read_line()? {
                break;
            }
            block.extend(self.ended.drain(..));
        }
        Ok(block)
    }

    /// Reads a line; false at the end of all files.
    fn read_line(&mut self) -> io::Result<bool> {
        let Some(path) = self.files.get(self.place.file) else { return Ok(false) };
        let wrong = |error: io::Error| failed(path, &error);
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => {
                let mut file = File::open(path).map_err(wrong)?;
                file.seek(SeekFrom::Start(self.place.byte)).map_err(wrong)?;
                none.insert(BufReader::new(file))
            }
        };
        self.line.clear();
        let read = reader.read_until(b'\n', &mut self.line).map_err(wrong)?;
        self.place.byte += read as u64;
        let treebank = path.extension().is_some_and(|extension| extension == "conllu");
        if read == 0 {
            self.end();
            (self.reader, self.place) = (None, Place { file: self.place.file + 1, byte: 0 });
            return Ok(true);
        }
        let line = String::from_utf8_lossy(&self.line).into_owned();
        let line = line.trim();
        match (line.is_empty(), treebank) {
            (true, _) => self.end(),
            (false, true) => self.treebank_line(line),
            (false, false) => self.text_line(line),
        }
        Ok(true)
    }

    fn treebank_line(&mut self, line: &str) {
        let mut columns = line.split('\t');
        let (id, form) = (columns.next(), columns.next());
        if let (Some(true), Some(form)) = (id.map(|id| id.parse::<u32>().is_ok()), form) {
            self.push(form);
        }
    }

    fn text_line(&mut self, line: &str) {
        for piece in line.split_whitespace() {
            let ends = ends_sentence(piece);
            let mut words = Vec::new();
            cut(piece, &mut words);
            words.iter().for_each(|word| self.push(word));
            if ends {
                self.end();
            }
        }
    }

    fn push(&mut self, word: &str) {
        self.open.push(word.to_owned());
        if self.open.len() == LONGEST {
            self.end();
        }
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            self.ended.push_back(std::mem::take(&mut self.open));
        }
    }
}

/// Whether a piece of text is the last of a sentence.
fn ends_sentence(piece: &str) -> bool {
    let piece = piece.trim_end_matches(['"', '\'', ')', ']', '”', '’']);
    match piece.strip_suffix('.') {
        // Initials and the like go on.
        Some(before) => before.chars().count() > 2 && !before.contains('.'),
        None => piece.ends_with(['!', '?', '。', '！', '？']),
    }
}

const CONTRACTIONS: [&str; 7] = ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"];

/// Cuts punctuation off both ends, and contractions.
fn cut<'t>(piece: &'t str, words: &mut Vec<&'t str>) {
    let inner = |c: char| c.is_alphanumeric();
    let (Some(start), Some(last)) = (piece.find(inner), piece.rfind(inner)) else {
        words.push(piece);
        return;
    };
    let end = last + piece[last..].chars().next().map_or(1, char::len_utf8);
    words.extend(piece[..start].char_indices().map(|(at, c)| &piece[at..at + c.len_utf8()]));
    let word = &piece[start..end];
    let lower = word.to_ascii_lowercase();
    let contraction = CONTRACTIONS.iter().find(|own| lower.ends_with(**own) && lower.len() > own.len());
    let place = contraction.map_or(word.len(), |own| word.len() - own.len());
    words.push(&word[..place]);
    if place < word.len() {
        words.push(&word[place..]);
    }
    words.extend(piece[end..].char_indices().map(|(at, c)| &piece[end + at..end + at + c.len_utf8()]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_as_in_treebanks() {
        let mut words = Vec::new();
        "(\"Don't stop,\" it's U.S. one-off 3.5%... — naïve's"
            .split(' ')
            .for_each(|piece| cut(piece, &mut words));
        assert_eq!(words.join(" "), "( \" Do n't stop , \" it 's U.S . one-off 3.5 % . . . — naïve 's");
    }

    #[test]
    fn any_block_can_be_the_first_one() {
        let folder = tempfile::tempdir().unwrap();
        let (text, treebank) = (folder.path().join("a.txt"), folder.path().join("b.conllu"));
        let prose = "One two. Three\nfour!\n\nFive\n\nMr. Six said much. Seven";
        std::fs::write(&text, prose).unwrap();
        let lines = "# text = x\n1-2\tisn't\t_\n1\tis\tbe\n2\tn't\tnot\n2.1\tempty\t_\n\n1\tEight\t_\n";
        std::fs::write(&treebank, lines).unwrap();
        let files = [text, treebank];
        assert_eq!(size(&files).unwrap(), (prose.len() + lines.len()) as u64);
        let mut whole = Sentences::new(&files, Place::default());
        let all: Vec<String> = whole.block(100).unwrap().iter().map(|words| words.join(" ")).collect();
        let expected =
            ["One two .", "Three four !", "Five", "Mr . Six said much .", "Seven", "is n't", "Eight"];
        assert_eq!(all, expected);
        let (mut place, mut parts) = (Place::default(), Vec::new());
        loop {
            let mut sentences = Sentences::new(&files, place);
            let block = sentences.block(1).unwrap();
            if block.is_empty() {
                break;
            }
            parts.extend(block.iter().map(|words| words.join(" ")));
            place = sentences.place();
        }
        assert_eq!(parts, all);
        let missing = Sentences::new(&[folder.path().join("c")], Place::default()).block(1).unwrap_err();
        assert!(missing.to_string().contains("c: No such file"), "{missing}");
    }
}
