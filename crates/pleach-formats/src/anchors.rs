//! Where tokens stand in the raw text: aligning forms with it, and cutting it into the words that a graph
//! leaves out.
//!
//! Places are in characters, since MRP anchors are. Aligning is one pass over text and words with a bounded
//! look ahead; cutting is linear in the stretch, but for stretches that must be cut finer than their rules
//! say, where it is quadratic in the number of words wanted.

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

/// The place of every token in the text, where it can be found: the token's own anchor, else by its form.
pub(crate) fn align(tokens: &[Token], text: &[char]) -> Vec<Option<(u32, u32)>> {
    let mut at = 0;
    let mut places = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let Some((start, end)) =
            token.anchor.filter(|&(start, end)| start <= end && end as usize <= text.len())
        {
            at = end as usize;
            places.push(Some((start, end)));
            continue;
        }
        let place = find(&token.form, text, at)
            .or_else(|| spellings(&token.form).iter().find_map(|spelling| find(spelling, text, at)));
        if let Some(place) = &place {
            at = place.end;
        }
        places.push(place.map(|place| (place.start as u32, place.end as u32)));
    }
    places
}

/// The first place of a form at or behind `at`.
fn find(form: &str, text: &[char], at: usize) -> Option<Range<usize>> {
    let form: Vec<char> = form.chars().collect();
    let skip = text[at..].iter().take_while(|c| c.is_whitespace()).count();
    let last = text.len().checked_sub(form.len())?;
    // A form of one sign may stand anywhere, so it must stand just here.
    let reach = if form.len() == 1 { 0 } else { LOOK_AHEAD };
    let start = (at + skip..=last.min(at + skip + reach)).find(|&start| text[start..].starts_with(&form))?;
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

/// Cuts a stretch of text into `want` words, or into as many as it seems to have; the last ones are missing
/// when there are not enough characters.
pub(crate) fn cut(text: &[char], stretch: Range<usize>, want: Option<usize>) -> Vec<Range<usize>> {
    let mut pieces = pieces(text, stretch);
    let Some(want) = want else { return pieces };
    while pieces.len() > want {
        // Words without a space between them are most likely one.
        let joint = (1..pieces.len()).find(|&i| pieces[i - 1].end == pieces[i].start).unwrap_or(1);
        if want == 0 {
            return Vec::new();
        }
        let end = pieces.remove(joint).end;
        pieces[joint - 1].end = end;
    }
    while pieces.len() < want {
        let Some(longest) = (0..pieces.len()).rev().max_by_key(|&i| pieces[i].len()) else { break };
        let piece = pieces[longest].clone();
        if piece.len() < 2 {
            break;
        }
        let inner = (piece.start + 1..piece.end)
            .find(|&i| text[i].is_alphanumeric() != text[i - 1].is_alphanumeric());
        let place = inner.unwrap_or(piece.end - 1);
        pieces[longest].end = place;
        pieces.insert(longest + 1, place..piece.end);
    }
    pieces
}

/// Words by rules close to those of the Penn Treebank: spaces, quotes, brackets and punctuation.
fn pieces(text: &[char], stretch: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = stretch.start;
    while start < stretch.end {
        if text[start].is_whitespace() {
            start += 1;
            continue;
        }
        let length = text[start..stretch.end].iter().take_while(|c| !c.is_whitespace()).count();
        chunk(text, start..start + length, &mut pieces);
        start += length;
    }
    pieces
}

/// Cuts what stands between two spaces.
fn chunk(text: &[char], mut chunk: Range<usize>, pieces: &mut Vec<Range<usize>>) {
    while !chunk.is_empty() {
        let length = opening(&text[chunk.clone()]);
        if length == 0 {
            break;
        }
        pieces.push(chunk.start..chunk.start + length);
        chunk.start += length;
    }
    let mut tail = Vec::new();
    while !chunk.is_empty() {
        let last_of_text = text[chunk.end..].iter().all(|c| !c.is_alphanumeric());
        let length = closing(&text[chunk.clone()], last_of_text);
        if length == 0 {
            break;
        }
        tail.push(chunk.end - length..chunk.end);
        chunk.end -= length;
    }
    // Dashes stand for themselves, also between letters.
    let mut start = chunk.start;
    let mut i = chunk.start;
    while i < chunk.end {
        let dash = run(&text[i..chunk.end], '-');
        let length = if dash >= 2 { dash } else { usize::from(matches!(text[i], '–' | '—' | '…')) };
        if length == 0 {
            i += 1;
            continue;
        }
        if start < i {
            pieces.push(start..i);
        }
        pieces.push(i..i + length);
        i += length;
        start = i;
    }
    if start < chunk.end {
        pieces.push(start..chunk.end);
    }
    pieces.extend(tail.into_iter().rev());
}

/// How often a character stands at the start.
fn run(text: &[char], character: char) -> usize {
    text.iter().take_while(|&&c| c == character).count()
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

/// The text of a stretch.
pub(crate) fn form(text: &[char], stretch: Range<usize>) -> Text {
    text[stretch].iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, want: Option<usize>) -> Vec<String> {
        let text: Vec<char> = text.chars().collect();
        cut(&text, 0..text.len(), want).into_iter().map(|piece| text[piece].iter().collect()).collect()
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
        let text: Vec<char> = "“Zoë” (a)".chars().collect();
        let tokens = Sentence::from_forms(["``", "Zoë", "''", "-LRB-", "b", "a", ")"]).tokens;
        let places = align(&tokens, &text);
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
