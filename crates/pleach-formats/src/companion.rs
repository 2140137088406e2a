//! The words of sentences from a second file, for a format that does not have them all.

use crate::source::Source;
use crate::{Format, ReadError, ReadOptions, Reader, compression};
use pleach_graph::{Sentence, Token};
use std::path::Path;
use std::sync::Arc;

/// A file that has the words: any readable format, CCGbank derivations (`.auto`), or text with one tokenised
/// sentence per line.
pub(crate) enum Companion {
    Known(Box<Reader>),
    Lines(Source),
}

impl Companion {
    pub fn open(path: &Path) -> Result<Companion, ReadError> {
        let plain = path.extension().is_some_and(|e| ["txt", "tok", "auto"].iter().any(|plain| e == *plain));
        if !plain {
            match Reader::open_with(path, &ReadOptions::default()) {
                // A .parg file has no more words than the one that asks.
                Ok(reader) if reader.format() != Format::Parg => {
                    return Ok(Companion::Known(Box::new(reader)));
                }
                Ok(_) | Err(ReadError::Unknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let file = path.display().to_string();
        let input = compression::open(path, Arc::default())
            .map_err(|source| ReadError::Io { file: file.clone(), source })?;
        Ok(Companion::Lines(Source::new(&file, input)?))
    }

    /// The words of the next sentence.
    pub fn next(&mut self) -> Option<Result<Sentence, ReadError>> {
        let source = match self {
            Companion::Known(reader) => return reader.next(),
            Companion::Lines(source) => source,
        };
        let mut id = None;
        loop {
            match source.line()? {
                Ok(block) => {
                    // In .auto files a line such as `ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1` goes before each tree.
                    if let Some(rest) = block.text.strip_prefix("ID=").filter(|_| id.is_none()) {
                        id = rest.split_whitespace().next().map(str::to_owned);
                        continue;
                    }
                    let mut sentence = words(block.text);
                    if let Some(id) = id {
                        sentence.set_comment("sent_id", &id);
                    }
                    return Some(Ok(sentence));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn words(line: &str) -> Sentence {
    if !line.starts_with("(<") {
        return Sentence::from_forms(line.split_whitespace());
    }
    // A leaf is `(<L category tag original-tag word category>)`.
    let leaves = line.split("(<L ").skip(1).filter_map(|leaf| {
        let mut fields = leaf.split_whitespace();
        let (category, _, tag, word) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        Some(Token { xpos: tag.into(), frame: category.into(), ..Token::new(0, word) })
    });
    let mut sentence = Sentence::from_forms([] as [&str; 0]);
    sentence.tokens = leaves.collect();
    for (i, token) in sentence.tokens.iter_mut().enumerate() {
        token.id.word = i as u32 + 1;
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_of_derivations() {
        let line = "(<T NP 0 2> (<L NP/N DT DT the NP_1/N_1>) (<L N NN NN board N>) )";
        let sentence = words(line);
        let found: Vec<_> =
            sentence.tokens.iter().map(|t| (t.form.as_str(), t.xpos.as_str(), t.frame.as_str())).collect();
        assert_eq!(found, [("the", "DT", "NP/N"), ("board", "NN", "N")]);
        assert_eq!(words("a b\n").tokens[1], Token::new(2, "b"));
    }
}
