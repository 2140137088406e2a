//! Where tokens stand in the raw text: aligning forms with it, and cutting it into the words that a graph
//! leaves out.
//!
//! Places are in characters, since MRP anchors are. Everything here is linear in the text and the words, but
//! for the bounded look ahead of the alignment: the text may be hostile.

use crate::source::MAX_TOKENS;
use pleach_graph::{Sentence, Text, Token};
use std::ops::Range;

/// How far behind the expected place a word is looked for.
const LOOK_AHEAD: usize = 200;

/// The raw text of a sentence: as the file gives it, else put together from the words.
pub(crate) fn raw_text(sentence: &Sentence) -> String {
    if let Some(text) = sentence.text() {
        return text.to_owned();
    }
    let mut text = String::new();
    let mut multiwords = sentence.multiwords.iter().peekable();
    let mut covered = 0;
    for token in sentence.tokens.iter().filter(|token| !token.id.is_empty_node()) {
        if let Some(multiword) = multiwords.next_if(|multiword| multiword.first == token.id.word) {
            text.push_str(&multiword.form);
            covered = multiword.last;
            if !multiword.misc.split('|').any(|item| item == "SpaceAfter=No") {
                text.push(' ');
            }
        }
        if token.id.word > covered {
            text.push_str(&token.form);
            if token.space_after() {
                text.push(' ');
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// A text whose characters have numbers.
pub(crate) struct RawText {
    characters: Vec<char>,
    /// Behind the last letter or digit.
    end_of_words: usize,
}

impl RawText {
    pub fn new(text: &str) -> RawText {
        let characters: Vec<char> = text.chars().collect();
        let end_of_words = characters.iter().rposition(|c| c.is_alphanumeric()).map_or(0, |at| at + 1);
        RawText { characters, end_of_words }
    }

    /// The number of characters.
    pub fn len(&self) -> usize {
        self.characters.len()
    }

    /// The text of a stretch.
    pub fn form(&self, stretch: Range<usize>) -> Text {
        self.characters[stretch].iter().collect()
    }

    /// The place of every token, where it can be found: the token's own anchor, else by its form.
    pub fn align(&self, tokens: &[Token]) -> Vec<Option<(u32, u32)>> {
        let text = &self.characters;
        let mut at = 0;
        let mut places = Vec::with_capacity(tokens.len());
        for token in tokens {
            let anchor = token.anchor.filter(|&(start, end)| start <= end && end as usize <= text.len());
            if let Some((start, end)) = anchor {
                at = end as usize;
                places.push(Some((start, end)));
                continue;
            }
            at += text[at..].iter().take_while(|c| c.is_whitespace()).count();
            let other = || spellings(&token.form).iter().find_map(|spelling| find(spelling, text, at));
            let place = find(&token.form, text, at).or_else(other);
            if let Some(place) = &place {
                at = place.end;
            }
            places.push(place.map(|place| (place.start as u32, place.end as u32)));
        }
        places
    }

    /// Cuts a stretch into `want` words, or into as many as it seems to have; the last ones are missing when
    /// there are not enough characters.
    pub fn cut(&self, stretch: Range<usize>, want: Option<usize>) -> Vec<Range<usize>> {
        let end = stretch.end.min(self.len());
        let pieces = self.pieces(stretch.start.min(end)..end);
        match want {
            Some(0) => Vec::new(),
            Some(want) if want < pieces.len() => join(pieces, want),
            Some(want) if want > pieces.len() => self.split(pieces, want),
            _ => pieces,
        }
    }

    /// Words by rules close to those of the Penn Treebank: spaces, quotes, brackets and punctuation.
    fn pieces(&self, stretch: Range<usize>) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut start = stretch.start;
        while start < stretch.end {
            if self.characters[start].is_whitespace() {
                start += 1;
                continue;
            }
            if pieces.len() > MAX_TOKENS {
                pieces.push(start..stretch.end);
                break;
            }
            let rest = &self.characters[start..stretch.end];
            let length = rest.iter().take_while(|c| !c.is_whitespace()).count();
            self.chunk(start..start + length, &mut pieces);
            start += length;
        }
        pieces
    }

    /// Cuts what stands between two spaces: dashes stand for themselves, also between letters.
    fn chunk(&self, chunk: Range<usize>, pieces: &mut Vec<Range<usize>>) {
        let text = &self.characters;
        let mut start = chunk.start;
        let mut i = chunk.start;
        while i < chunk.end {
            let dashes = text[i..chunk.end].iter().take_while(|&&c| c == '-').count();
            let length =
                if dashes >= 2 { dashes } else { usize::from(matches!(text[i], '–' | '—' | '…')) };
            if length == 0 || pieces.len() > MAX_TOKENS {
                i += 1;
                continue;
            }
            self.word(start..i, pieces);
            pieces.push(i..i + length);
            i += length;
            start = i;
        }
        self.word(start..chunk.end, pieces);
    }

    /// Cuts opening and closing signs off a word.
    fn word(&self, mut word: Range<usize>, pieces: &mut Vec<Range<usize>>) {
        loop {
            let length = opening(&self.characters[word.clone()]);
            if length == 0 || pieces.len() > MAX_TOKENS {
                break;
            }
            pieces.push(word.start..word.start + length);
            word.start += length;
        }
        let mut tail = Vec::new();
        loop {
            let length = closing(&self.characters[word.clone()], word.end >= self.end_of_words);
            if length == 0 || tail.len() > MAX_TOKENS {
                break;
            }
            tail.push(word.end - length..word.end);
            word.end -= length;
        }
        if !word.is_empty() {
            pieces.push(word);
        }
        pieces.extend(tail.into_iter().rev());
    }

    /// Cuts further, to get `want` pieces: where letters and signs meet, then character by character.
    fn split(&self, pieces: Vec<Range<usize>>, want: usize) -> Vec<Range<usize>> {
        let change =
            |i: usize| self.characters[i].is_alphanumeric() != self.characters[i - 1].is_alphanumeric();
        let pieces = split_at(pieces, want, change);
        split_at(pieces, want, |_| true)
    }
}

/// Cuts pieces at the places that `cut` allows, until there are `want`.
fn split_at(pieces: Vec<Range<usize>>, want: usize, cut: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut missing = want.saturating_sub(pieces.len());
    let mut out = Vec::with_capacity(want.min(MAX_TOKENS));
    for piece in pieces {
        let mut start = piece.start;
        for place in piece.start + 1..piece.end {
            if missing == 0 {
                break;
            }
            if cut(place) {
                out.push(start..place);
                start = place;
                missing -= 1;
            }
        }
        out.push(start..piece.end);
    }
    out
}

/// Joins neighbours, to get `want` pieces: first those without a space between them, which are most likely one
/// word.
fn join(pieces: Vec<Range<usize>>, want: usize) -> Vec<Range<usize>> {
    let tight = pieces.windows(2).filter(|pair| pair[0].end == pair[1].start).count();
    let surplus = pieces.len() - want;
    let (mut tight, mut loose) = (surplus.min(tight), surplus.saturating_sub(tight));
    let mut out: Vec<Range<usize>> = Vec::with_capacity(want);
    for piece in pieces {
        if let Some(last) = out.last_mut() {
            let allowed = if last.end == piece.start { &mut tight } else { &mut loose };
            if *allowed > 0 {
                *allowed -= 1;
                last.end = piece.end;
                continue;
            }
        }
        out.push(piece);
    }
    out
}

/// The first place of a form at or behind `at`.
fn find(form: &str, text: &[char], at: usize) -> Option<Range<usize>> {
    let form: Vec<char> = form.chars().collect();
    let last = text.len().checked_sub(form.len())?;
    // A form of one sign may stand anywhere, so it must stand just here.
    let reach = if form.len() == 1 { 0 } else { LOOK_AHEAD };
    let start = (at..=last.min(at + reach)).find(|&start| text[start..].starts_with(&form))?;
    Some(start..start + form.len())
}

/// How the raw text may spell a form of the Penn Treebank.
fn spellings(form: &str) -> &'static [&'static str] {
    match form {
        "-LRB-" | "-lrb-" => &["("],
        "-RRB-" | "-rrb-" => &[")"],
        "-LSB-" | "-lsb-" => &["["],
        "-RSB-" | "-rsb-" => &["]"],
        "-LCB-" | "-lcb-" => &["{"],
        "-RCB-" | "-rcb-" => &["}"],
        "``" | "''" | "\"" => &["\"", "“", "”", "''", "``"],
        "`" | "'" => &["'", "‘", "’"],
        "--" => &["–", "—"],
        "..." => &["…"],
        _ => &[],
    }
}

/// The length of the opening sign at the start of a chunk that goes on.
fn opening(chunk: &[char]) -> usize {
    match chunk {
        ['`', '`', _, ..] | ['\'', '\'', _, ..] => 2,
        ['"' | '“' | '‘' | '«' | '(' | '[' | '{' | '<' | '$' | '#' | '£' | '€' | '¥' | '`', _, ..] => {
            1
        }
        _ => 0,
    }
}

/// The length of the closing sign or clitic at the end of a chunk.
fn closing(chunk: &[char], last_of_text: bool) -> usize {
    const CLITICS: [&[char]; 13] = [
        &['n', '\'', 't'],
        &['N', '\'', 'T'],
        &['n', '’', 't'],
        &['\'', 's'],
        &['\'', 'S'],
        &['\'', 'm'],
        &['\'', 'd'],
        &['\'', 'l', 'l'],
        &['\'', 'r', 'e'],
        &['\'', 'v', 'e'],
        &['’', 's'],
        &['’', 'd'],
        &['’', 'm'],
    ];
    if chunk.len() < 2 {
        return 0;
    }
    if chunk.ends_with(&['.', '.', '.']) && chunk.len() > 3 {
        return 3;
    }
    if chunk.ends_with(&['\'', '\'']) && chunk.len() > 2 {
        return 2;
    }
    match chunk[chunk.len() - 1] {
        ',' | ';' | ':' | '?' | '!' | ')' | ']' | '}' | '>' | '%' | '"' | '”' | '’' | '»' | '\'' => {
            return 1;
        }
        '.' if last_of_text && !chunk.ends_with(&['.', '.']) => return 1,
        _ => {}
    }
    let clitic = CLITICS.iter().find(|clitic| chunk.len() > clitic.len() && chunk.ends_with(clitic));
    clitic.map_or(0, |clitic| clitic.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, want: Option<usize>) -> Vec<String> {
        let text = RawText::new(text);
        text.cut(0..text.len(), want).into_iter().map(|piece| text.form(piece).to_string()).collect()
    }

    #[test]
    fn rules_cut_punctuation_and_clitics() {
        let expected = ["He", "did", "n't", "say", "--", "``", "no", "''", "(", "Mr.", "X", ")", "."];
        assert_eq!(words("He didn't say--``no'' (Mr. X).", None), expected);
        assert_eq!(words("$5.40, \"or\" 3%", None), ["$", "5.40", ",", "\"", "or", "\"", "3", "%"]);
        assert_eq!(words("...", None), ["..."]);
    }

    #[test]
    fn a_wanted_number_is_met_where_it_can_be() {
        assert_eq!(words(" and/or ", Some(3)), ["and", "/", "or"]);
        assert_eq!(words("x, y", Some(2)), ["x,", "y"]);
        assert_eq!(words("a b c", Some(1)), ["a b c"]);
        assert_eq!(words("a b c", Some(0)), [""; 0]);
        assert_eq!(words("ab", Some(5)), ["a", "b"]);
        assert_eq!(words("", Some(2)), [""; 0]);
    }

    #[test]
    fn words_are_found_in_the_text() {
        let text = RawText::new("“Zoë” (a)");
        let tokens = Sentence::from_forms(["``", "Zoë", "''", "-LRB-", "b", "a", ")"]).tokens;
        let places = text.align(&tokens);
        let expected =
            [Some((0, 1)), Some((1, 4)), Some((4, 5)), Some((6, 7)), None, Some((7, 8)), Some((8, 9))];
        assert_eq!(places, expected);
    }

    #[test]
    fn text_from_words_and_multiword_tokens() {
        let mut sentence = Sentence::from_forms(["de", "el", "mar", "."]);
        sentence.multiwords.push(pleach_graph::Multiword {
            first: 1,
            last: 2,
            form: "del".into(),
            ..Default::default()
        });
        sentence.tokens[2].misc = "SpaceAfter=No".into();
        assert_eq!(raw_text(&sentence), "del mar.");
    }
}
