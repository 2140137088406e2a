use super::*;
use crate::fixture::{sentence, treebank};
use crate::multiword;
use crate::stage::fit;
use pleach_linear::table::Frozen;
use proptest::prelude::*;
use std::sync::LazyLock;

static TRAINED: LazyLock<(Tokenizer, Frozen)> = LazyLock::new(|| {
    let sentences = treebank();
    let tokenizer = Tokenizer::new(&sentences);
    let weights = fit(&tokenizer, &sentences, 2);
    (tokenizer, weights)
});

fn sentences(text: &str) -> Vec<Sentence> {
    let (tokenizer, weights) = &*TRAINED;
    let pieces = tokenizer.pieces(weights.table(), text, 2, &mut Memory::default());
    let mut assembler = Assembler::new(text, Some(0));
    pieces.chunk_by(|piece, _| !piece.last).map(|pieces| assembler.sentence(pieces, |_| Vec::new())).collect()
}

fn forms(text: &str) -> Vec<Vec<String>> {
    let forms = |s: &Sentence| s.tokens.iter().map(|token| token.form.to_string()).collect();
    sentences(text).iter().map(forms).collect()
}

#[test]
fn what_was_learnt_is_found_again() {
    let text = "I like it. Mr. Smith likes cats. Dogs ran home";
    let expected = ["I like it .", "Mr. Smith likes cats .", "Dogs ran home"];
    let found: Vec<String> = forms(text).iter().map(|forms| forms.join(" ")).collect();
    assert_eq!(found, expected);
    assert_eq!(forms("I see cats\n\nThe dogs are black").len(), 2);
    assert_eq!(forms("Mail me at joe@example.com or see cats.")[0][3], "joe@example.com");
}

/// What a treebank never parts is not parted, whatever the weights say of signs that they never saw there.
#[test]
fn addresses_stay_whole_if_the_treebank_has_them_so() {
    let (learnt, _) = &*TRAINED;
    assert!(!learnt.whole_addresses, "a few addresses are too few to tell");
    let tokenizer = Tokenizer { whole_addresses: true, ..learnt.clone() };
    let text = "or joe+x@a-b.example.com.";
    let (place, past) = (text.find('+').unwrap(), Past::default());
    assert_eq!(Reading::new(&tokenizer, text).only(place, &past), Some(CONTINUE));
    assert_eq!(Reading::new(learnt, text).only(place, &past), None);
    // The full stop is not part of the address.
    assert_eq!(Reading::new(&tokenizer, text).only(text.len() - 2, &past), None);
    let many: Vec<Sentence> =
        (0..20).map(|_| sentence("Mail//VERB joe@example.com//X or//CCONJ www.example.com/x//X")).collect();
    assert!(Tokenizer::new(&many).whole_addresses);
}

#[test]
fn places_and_spaces_are_kept() {
    let text = "\u{a0} I like\t cats ,\r\nand dogs.  \n";
    let sentences = sentences(text);
    assert_eq!(original(&sentences), text);
    for sentence in &sentences {
        let line: Vec<char> = sentence.text().unwrap().chars().collect();
        for token in &sentence.tokens {
            let (start, end) = token.anchor.unwrap();
            assert_eq!(line[start as usize..end as usize].iter().collect::<String>(), token.form);
            let range = token.misc.split('|').find_map(|item| item.strip_prefix("TokenRange=")).unwrap();
            let (start, end) = range.split_once(':').unwrap();
            let (start, end): (usize, usize) = (start.parse().unwrap(), end.parse().unwrap());
            assert_eq!(text.chars().skip(start).take(end - start).collect::<String>(), token.form);
        }
    }
}

#[test]
fn multiword_tokens_stand_over_their_words() {
    let pieces = [
        Piece { bytes: 0..5, last: false },
        Piece { bytes: 6..8, last: false },
        Piece { bytes: 8..9, last: true },
    ];
    let split = |number: usize| if number == 0 { vec!["do".into(), "n't".into()] } else { Vec::new() };
    let built = Assembler::new("don't go!", None).sentence(&pieces, split);
    assert_eq!(
        built.tokens.iter().map(|token| token.form.as_str()).collect::<Vec<_>>(),
        ["do", "n't", "go", "!"]
    );
    assert_eq!((built.multiwords[0].first, built.multiwords[0].last), (1, 2));
    assert_eq!((built.tokens[1].anchor, built.tokens[3].anchor), (Some((2, 5)), Some((8, 9))));
    assert!(built.multiwords[0].misc.is_empty() && !built.tokens[2].space_after());
    assert_eq!(built.text(), Some("don't go!"));
    let different = Assembler::new("zum", None)
        .sentence(&[Piece { bytes: 0..3, last: true }], |_| vec!["zu".into(), "dem".into()]);
    assert_eq!(different.tokens[1].anchor, Some((0, 3)));
}

#[test]
fn chinese_is_segmented_by_the_same_machine() {
    let treebank: Vec<Sentence> =
        ["我 爱 北京 。", "他 爱 上海 。", "北京 人 爱 我 。", "上海 人 来 北京 。"].map(sentence).into();
    let tokenizer = Tokenizer::new(&treebank);
    let weights = fit(&tokenizer, &treebank, 2);
    let text = "他爱上海。我爱北京。";
    let pieces = tokenizer.pieces(weights.table(), text, 2, &mut Memory::default());
    let forms: Vec<&str> = pieces.iter().map(|piece| &text[piece.bytes.clone()]).collect();
    assert_eq!(forms, ["他", "爱", "上海", "。", "我", "爱", "北京", "。"]);
    assert_eq!(pieces.iter().filter(|piece| piece.last).count(), 2);
}

/// Whatever the text, no character is lost, added or moved, and no token is empty or has white space at its ends.
fn check(text: &str) {
    let sentences = sentences(text);
    if text.trim().is_empty() {
        assert!(sentences.is_empty());
        return;
    }
    assert_eq!(original(&sentences), text);
    for sentence in &sentences {
        assert!(!sentence.is_empty() && sentence.len() <= 2 * usize::from(MOST_TOKENS) + 1);
        for token in &sentence.tokens {
            assert!(
                !token.form.is_empty() && !token.form.chars().any(char::is_whitespace),
                "{:?}",
                token.form
            );
        }
    }
}

#[test]
fn difficult_texts() {
    for text in [
        "",
        " \n\t\r\n",
        "\u{feff}The cats.",
        "write to joe.bloggs+x@mail.example.co.uk, or http://a.b/c?d=e&f=g#h!",
        "GREAT CATS!!! BUY THE DOGS NOW",
        "no final stop",
        "line one\r\nline two\r\n\r\nline three\r",
        "the\u{a0}cats\u{3000}are\u{2028}black\u{85}.",
        "👩‍👩‍👧‍👦👍🏽 🇩🇪❤️ ok e\u{301}\u{301}",
        "\u{0}\u{1}\u{7f}\u{fffd}\u{200b}\u{202e}",
        "مرحبا بالعالم. नमस्ते दुनिया। สวัสดีชาวโลก Привет, мир! 你好，世界。",
        "'\"([{<>}])\"'...?!;:--—–",
    ] {
        check(text);
    }
}

#[test]
fn a_character_to_the_eye_is_never_cut() {
    let forms = forms("a👩‍👩‍👧b e\u{301}x 👍🏽!").concat();
    let cut = |form: &String| {
        let first = form.chars().next().unwrap();
        Class::of(first) == Class::Mark || form.ends_with('\u{200d}')
    };
    assert!(!forms.iter().any(cut), "{forms:?}");
}

#[test]
fn long_lines() {
    check(&"x".repeat(100_000));
    check(&"cats like dogs ".repeat(7_000));
    check(&"我爱北京".repeat(9_000));
    check(&"!?.,".repeat(25_000));
    check(&"I like cats. The dogs are black! ".repeat(3_000));
}

proptest! {
    #[test]
    fn no_text_is_lost(text in "\\PC{0,60}") {
        check(&text);
    }

    #[test]
    fn no_space_is_lost(text in "[a-zA-Z .,!'\"()\r\n\t\u{a0}0-9@:/-]{0,80}") {
        check(&text);
    }
}

#[test]
fn contractions_are_split() {
    let sentences = treebank();
    let splitter = multiword::Splitter::new(&sentences);
    let weights = fit(&splitter, &sentences, 1);
    let words = splitter.split(
        weights.table(),
        ["They", "don't", "HAVEN'T", "n't", "cats"].into_iter(),
        &mut Memory::default(),
    );
    assert_eq!(words, [vec![], vec!["do", "n't"], vec!["HAVE", "N'T"], vec![], vec![]]);
}
