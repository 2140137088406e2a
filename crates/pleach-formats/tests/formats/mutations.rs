//! Readers survive whatever is done to their files: they end, they do not panic, every error has a place, and
//! what they accept can be written and read again.

use crate::fixtures::{FILES, Shared};
use pleach_formats::{Format, ReadError, Reader, Writer};
use pleach_graph::Sentence;
use proptest::prelude::*;

/// One change to a file.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Remove(usize, usize),
    Insert(usize, &'static str),
    Copy(usize, usize, usize),
    Swap(usize, usize),
    Cut(usize),
}

const PIECES: [&str; 28] = [
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "_",
    "0",
    "1",
    "-1",
    "99999999999",
    "1.1",
    "0.1",
    "2-3",
    "3-2",
    ":",
    "|",
    "#",
    "+",
    "(",
    ")",
    "<s id=\"x\"> 3\n",
    "<\\s>",
    "{",
    "[",
    "\"",
    "\\u0000",
    "\u{FEFF}",
    "é",
];

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len();
        match *self {
            Change::Set(at, byte) => bytes[at % len] = byte,
            Change::Remove(at, count) => {
                let start = at % len;
                bytes.drain(start..(start + count % 40).min(len));
            }
            Change::Insert(at, piece) => {
                let at = at % len;
                bytes.splice(at..at, piece.bytes());
            }
            Change::Copy(from, count, to) => {
                let from = from % len;
                let piece = bytes[from..(from + count % 200).min(len)].to_vec();
                let to = to % len;
                bytes.splice(to..to, piece);
            }
            Change::Swap(a, b) => bytes.swap(a % len, b % len),
            Change::Cut(at) => bytes.truncate(at % len),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let at = || 0..4000_usize;
    prop_oneof![
        3 => (at(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        3 => (at(), at()).prop_map(|(at, count)| Change::Remove(at, count)),
        6 => (at(), 0..PIECES.len()).prop_map(|(at, piece)| Change::Insert(at, PIECES[piece])),
        2 => (at(), at(), at()).prop_map(|(from, count, to)| Change::Copy(from, count, to)),
        2 => (at(), at()).prop_map(|(a, b)| Change::Swap(a, b)),
        1 => at().prop_map(Change::Cut),
    ]
}

/// The bytes of a sentence, and whether they have all of it.
fn write_one(sentence: &Sentence, format: Format) -> Option<(Vec<u8>, bool)> {
    let out = Shared::default();
    let mut writer = Writer::to_write(Box::new(out.clone()), format);
    writer.write(sentence).ok()?;
    let losses = writer.finish().ok()?;
    Some((out.bytes(), losses.is_empty()))
}

fn survive(format: Format, bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let most = bytes.len() + 1;
    let reader = Reader::from_read("mutated", Box::new(std::io::Cursor::new(bytes)), Some(format));
    let Ok(reader) = reader else { return Ok(()) };
    for (i, item) in reader.enumerate() {
        prop_assert!(i < most, "a reader must end");
        match item {
            Ok(sentence) => {
                prop_assert_eq!(sentence.graph.len(), sentence.len());
                for other in Format::ALL {
                    let written = write_one(&sentence, other);
                    if other != format {
                        continue;
                    }
                    let Some((written, whole)) = written else { continue };
                    let input = Box::new(std::io::Cursor::new(written.clone()));
                    let again = Reader::from_read("again", input, Some(format))
                        .ok()
                        .and_then(|mut again| again.next());
                    let Some(Ok(again)) = again else {
                        return Err(TestCaseError::fail(format!(
                            "{again:?} after\n{}",
                            String::from_utf8_lossy(&written)
                        )));
                    };
                    if format == Format::Brackets {
                        // Several trees may share a tag, so that one alone is not the same.
                        prop_assert_eq!(again.phrase, sentence.phrase.clone());
                        continue;
                    }
                    prop_assert_eq!(write_one(&again, format).map(|(bytes, _)| bytes), Some(written));
                    if !whole {
                        continue;
                    }
                    prop_assert_eq!(
                        (again.comments, again.tokens),
                        (sentence.comments.clone(), sentence.tokens.clone())
                    );
                    prop_assert_eq!(
                        (again.graph, again.multiwords),
                        (sentence.graph.clone(), sentence.multiwords.clone())
                    );
                }
            }
            Err(ReadError::Syntax { line, column, message, .. }) => {
                prop_assert!(
                    line >= 1 && line <= lines + 1 && column >= 1,
                    "{}:{}: {}",
                    line,
                    column,
                    message
                );
                prop_assert!(message.contains("expected"), "{}", message);
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500.max(ProptestConfig::default().cases), ..ProptestConfig::default() })]

    #[test]
    fn mutated_files(file in 0..FILES.len(), changes in prop::collection::vec(change(), 1..6)) {
        let (format, text) = FILES[file];
        let mut bytes = text.as_bytes().to_vec();
        changes.iter().for_each(|change| change.apply(&mut bytes));
        survive(format, bytes)?;
    }

    /// A file of one format given to the reader of another, and detection on anything.
    #[test]
    fn wrong_formats(file in 0..FILES.len(), format in 0..Format::ALL.len(), changes in prop::collection::vec(change(), 0..3)) {
        let mut bytes = FILES[file].1.as_bytes().to_vec();
        changes.iter().for_each(|change| change.apply(&mut bytes));
        survive(Format::ALL[format], bytes.clone())?;
        let _ = Reader::from_read("any", Box::new(std::io::Cursor::new(bytes)), None);
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..300), format in 0..Format::ALL.len()) {
        let input = Box::new(std::io::Cursor::new(bytes));
        let Ok(reader) = Reader::from_read("noise", input, Some(Format::ALL[format])) else { return Ok(()) };
        prop_assert!(reader.take(1000).count() < 1000);
    }
}
