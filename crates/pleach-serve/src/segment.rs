//! Texts that are one sentence each: what a tokenizer cuts too much is put together again.

use pleach_graph::{Graph, Sentence, TokenId};

/// One sentence of all the sentences that a text was cut into; none for a text without words.
pub fn join(cut: Vec<Sentence>, text: &str) -> Option<Sentence> {
    let mut parts = cut.into_iter();
    let mut whole = parts.next()?;
    for mut part in parts {
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
    whole.graph = Graph::new(whole.tokens.len());
    whole.set_comment("text", text.trim());
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Multiword;

    #[test]
    fn words_are_numbered_through() {
        let mut second = Sentence::from_forms(["c", "d"]);
        second.multiwords.push(Multiword { first: 1, last: 2, form: "cd".into(), ..Multiword::default() });
        let joined = join(vec![Sentence::from_forms(["a", "b"]), second], " a b cd ").unwrap();
        let ids: Vec<String> = joined.tokens.iter().map(|token| token.id.to_string()).collect();
        assert_eq!(ids, ["1", "2", "3", "4"]);
        assert_eq!((joined.multiwords[0].first, joined.multiwords[0].last), (3, 4));
        assert_eq!((joined.graph.len(), joined.text()), (4, Some("a b cd")));
        assert!(join(Vec::new(), "").is_none());
    }
}
