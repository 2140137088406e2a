//! A few sentences to learn from, in a notation of their own, for the tests of stages.

use pleach_graph::{Multiword, Sentence, Token};

/// A sentence from `form/lemma/UPOS/FEATS` words: `~` in front glues a word to the one before, `+` joins the words of
/// a multiword token.
pub(crate) fn sentence(notation: &str) -> Sentence {
    let mut sentence = Sentence::default();
    for chunk in notation.split(' ') {
        let (chunk, glued) = match chunk.strip_prefix('~') {
            Some(rest) => (rest, true),
            None => (chunk, false),
        };
        if glued {
            let last = sentence.tokens.last_mut().unwrap();
            match sentence.multiwords.last_mut().filter(|multiword| multiword.last == last.id.word) {
                Some(multiword) => multiword.misc = "SpaceAfter=No".into(),
                None => last.misc = "SpaceAfter=No".into(),
            }
        }
        let first = sentence.tokens.len() as u32 + 1;
        for word in chunk.split('+') {
            let mut fields = word.split('/');
            let mut field = || fields.next().unwrap_or_default();
            let mut token = Token::new(sentence.tokens.len() as u32 + 1, field());
            (token.lemma, token.upos, token.feats) = (field().into(), field().into(), field().into());
            sentence.tokens.push(token);
        }
        let last = sentence.tokens.len() as u32;
        if last > first {
            let form =
                sentence.tokens[first as usize - 1..].iter().map(|token| token.form.as_str()).collect();
            sentence.multiwords.push(Multiword { first, last, form, ..Multiword::default() });
        }
    }
    sentence.graph = pleach_graph::Graph::new(sentence.len());
    sentence
}

/// Enough English to learn the toy of it.
pub(crate) fn treebank() -> Vec<Sentence> {
    [
        "I/I/PRON/Person=1 do/do/AUX+n't/not/PART like/like/VERB it/it/PRON/Person=3 ~././PUNCT",
        "Mr./Mr./PROPN Smith/Smith/PROPN likes/like/VERB/Person=3 cats/cat/NOUN ~././PUNCT",
        "The/the/DET cats/cat/NOUN are/be/AUX black/black/ADJ ~,/,/PUNCT and/and/CCONJ we/we/PRON like/like/VERB them/they/PRON ~!/!/PUNCT",
        "She/she/PRON/Person=3 does/do/AUX/Person=3+n't/not/PART know/know/VERB Mr./Mr./PROPN Jones/Jones/PROPN ~././PUNCT",
        "Mail/mail/VERB me/I/PRON/Person=1 at/at/ADP joe@example.com/joe@example.com/X or/or/CCONJ see/see/VERB http://example.com/a.b/http://example.com/a.b/X ~././PUNCT",
        "Dogs/dog/NOUN ran/run/VERB home/home/ADV ~././PUNCT",
        "The/the/DET dogs/dog/NOUN did/do/AUX+n't/not/PART see/see/VERB cats/cat/NOUN ~././PUNCT",
    ]
    .into_iter()
    .map(sentence)
    .collect()
}
