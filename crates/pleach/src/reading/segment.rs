//! Texts that are one sentence each: cut by a tokenizer, whose sentences are put together again, or at spaces.

use pleach_graph::{Graph, Sentence, Text, TokenId};

/// One sentence of all the sentences that a text was cut into; none for a text without words.
pub fn join(cut: Vec<Sentence>, text: &str) -> Option<Sentence> {
    let trimmed = text.trim();
    // Where each sentence stands in the whole one, for anchors: in bytes and in characters.
    let (mut bytes, mut characters) = (0, 0);
    let mut whole: Option<Sentence> = None;
    for mut part in cut {
        if let Some(at) = part.text().and_then(|own| trimmed[bytes..].find(own)) {
            characters += trimmed[bytes..bytes + at].chars().count() as u32;
            bytes += at;
        }
        for token in &mut part.tokens {
            token.anchor = token.anchor.map(|(start, end)| (start + characters, end + characters));
        }
        let Some(whole) = &mut whole else {
            whole = Some(part);
            continue;
        };
        let words = whole.tokens.len() as u32;
        for token in &mut part.tokens {
            token.id = TokenId::word(token.id.word + words);
        }
        for multiword in &mut part.multiwords {
            (multiword.first, multiword.last) = (multiword.first + words, multiword.last + words);
        }
        whole.tokens.append(&mut part.tokens);
        whole.multiwords.append(&mut part.multiwords);
    }
    let mut whole = whole?;
    whole.graph = Graph::new(whole.tokens.len());
    whole.set_comment("text", trimmed);
    Some(whole)
}

/// A sentence of words between white space; none for a line without words. With a start (the characters before the
/// line), MISC says where every word stands.
pub fn from_tokens(line: &str, start: Option<usize>) -> Option<Sentence> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut sentence = Sentence::from_forms(words.iter().map(|&word| Text::from(word)));
    let (mut bytes, mut characters, mut anchor) = (0, 0, 0);
    for (token, word) in sentence.tokens.iter_mut().zip(&words) {
        let at = bytes + line[bytes..].find(word)?;
        let length = word.chars().count();
        characters += line[bytes..at].chars().count();
        if let Some(start) = start {
            let first = start + characters;
            token.misc = format!("TokenRange={first}:{}", first + length).into();
        }
        token.anchor = Some((anchor, anchor + length as u32));
        (bytes, characters, anchor) = (at + word.len(), characters + length, anchor + length as u32 + 1);
    }
    sentence.set_comment("text", &words.join(" "));
    (!words.is_empty()).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Multiword;

    #[test]
    fn words_are_numbered_through() {
        let mut first = Sentence::from_forms(["a", "b"]);
        first.set_comment("text", "a b");
        let mut second = Sentence::from_forms(["c", "d"]);
        second.set_comment("text", "cd");
        second.tokens[1].anchor = Some((1, 2));
        second.multiwords.push(Multiword { first: 1, last: 2, form: "cd".into(), ..Multiword::default() });
        let joined = join(vec![first, second], " a b cd ").unwrap();
        let ids: Vec<String> = joined.tokens.iter().map(|token| token.id.to_string()).collect();
        assert_eq!(ids, ["1", "2", "3", "4"]);
        assert_eq!((joined.multiwords[0].first, joined.multiwords[0].last), (3, 4));
        assert_eq!((joined.graph.len(), joined.text()), (4, Some("a b cd")));
        assert_eq!(joined.tokens[3].anchor, Some((5, 6)), "anchors are those of the whole text");
        assert!(join(Vec::new(), "").is_none());
    }

    #[test]
    fn tokens_stand_between_spaces() {
        let sentence = from_tokens("  é\tdo n't ", Some(10)).unwrap();
        let tokens: Vec<_> = sentence
            .tokens
            .iter()
            .map(|token| (token.form.as_str(), token.misc.as_str(), token.anchor))
            .collect();
        assert_eq!(
            tokens,
            [
                ("é", "TokenRange=12:13", Some((0, 1))),
                ("do", "TokenRange=14:16", Some((2, 4))),
                ("n't", "TokenRange=17:20", Some((5, 8)))
            ]
        );
        assert_eq!(sentence.text(), Some("é do n't"));
        assert!(from_tokens(" \t", None).is_none());
    }
}
