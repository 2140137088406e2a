use super::*;
use pleach_graph::{Multiword, NodeId, Text, Token, TokenId};
use proptest::prelude::*;

/// Words, or `abc a b c` for a multiword token with its words; a chain of heads, as DEPS too.
fn sentence(tokens: &[&str]) -> Sentence {
    let mut sentence = Sentence::default();
    for token in tokens {
        let parts: Vec<&str> = token.split(' ').collect();
        let words = if parts.len() == 1 { &parts[..] } else { &parts[1..] };
        let first = sentence.tokens.len() as u32 + 1;
        if parts.len() > 1 {
            let last = first + words.len() as u32 - 1;
            sentence.multiwords.push(Multiword {
                first,
                last,
                form: parts[0].into(),
                ..Multiword::default()
            });
        }
        for word in words {
            let number = sentence.tokens.len() as u32 + 1;
            let head = Some(NodeId(number - 1));
            sentence.tokens.push(Token { head, deprel: "dep".into(), ..Token::new(number, *word) });
        }
    }
    sentence.graph = sentence.tree().unwrap();
    sentence
}

fn score(gold: &[Sentence], system: &[Sentence]) -> Result<UdScores, UdError> {
    let mut scorer = UdScorer::new(true);
    let (mut gold, mut system) = (gold.iter(), system.iter());
    loop {
        let mut from_gold = || gold.next().map(|sentence| (File::Gold, sentence));
        let mut from_system = || system.next().map(|sentence| (File::System, sentence));
        let next = match scorer.behind() {
            File::Gold => from_gold().or_else(from_system),
            File::System => from_system().or_else(from_gold),
        };
        match next {
            Some((file, sentence)) => scorer.push(file, sentence)?,
            None => return scorer.finish(),
        }
    }
}

fn aligned(gold: &[&str], system: &[&str]) -> u64 {
    let scores = score(&[sentence(gold)], &[sentence(system)]).unwrap();
    scores.get(Measure::Words).unwrap().counts.correct
}

/// The cases that the official scorer is tested with.
#[test]
fn words_are_aligned_as_the_shared_task_does() {
    assert_eq!(aligned(&["a", "b", "c"], &["a", "b", "c"]), 3);
    assert_eq!(aligned(&["abc a b c"], &["a", "b", "c"]), 3);
    assert_eq!(aligned(&["a", "bc b c", "d"], &["a", "b", "c", "d"]), 4);
    assert_eq!(aligned(&["abcd a b c d"], &["ab a b", "cd c d"]), 4);
    assert_eq!(aligned(&["abc a b c", "de d e"], &["a", "bcd b c d", "e"]), 5);
    assert_eq!(aligned(&["abcd"], &["a", "b", "c", "d"]), 0);
    assert_eq!(aligned(&["abc", "d"], &["a", "b", "c", "d"]), 1);
    assert_eq!(aligned(&["a", "bc", "d"], &["a", "b", "c", "d"]), 2);
    assert_eq!(aligned(&["a", "bc b c", "d"], &["a", "b", "cd"]), 2);
    assert_eq!(aligned(&["abc a BX c", "def d EX f"], &["ab a b", "cd c d", "ef e f"]), 4);
    assert_eq!(aligned(&["ab a b", "cd bc d"], &["a", "bc", "d"]), 2);
    assert_eq!(aligned(&["a", "bc b c", "d"], &["ab AX BX", "cd CX a"]), 1);
}

#[test]
fn other_text_is_an_error_that_says_where() {
    let mut gold = sentence(&["a", "bc", "d"]);
    gold.set_comment("sent_id", "g1");
    let error = score(&[gold.clone()], &[sentence(&["ab"]), sentence(&["x", "d"])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tokens differ: gold has sentence 1 (g1), token 2 `bc`; the system has sentence 2, token 1 `x`"
    );
    let error = score(&[gold.clone()], &[sentence(&["abc"])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the system's output ends after 1 sentences; gold goes on with sentence 1 (g1), token 3 `d`"
    );
    let error = score(&[gold.clone()], &[sentence(&["abc"]), sentence(&["d", "e"])]).unwrap_err();
    assert!(error.to_string().starts_with("gold ends after 1 sentences"), "{error}");
    assert!(matches!(score(&[sentence(&["\u{A0}"])], &[]), Err(UdError::EmptyForm(_))));
}

#[test]
fn spaces_in_forms_do_not_matter() {
    let scores = score(&[sentence(&["a\u{A0}b", "c"])], &[sentence(&["ab", "c"])]).unwrap();
    assert_eq!(scores.get(Measure::Words).unwrap().counts.correct, 2);
}

/// DEPS as `head:label|…` for each word; ids like `1.1` name empty nodes, which come with their own DEPS.
fn enhanced(rows: &[(&str, &str)]) -> Sentence {
    let id = |text: &str| match text.split_once('.') {
        Some((word, empty)) => TokenId { word: word.parse().unwrap(), empty: empty.parse().unwrap() },
        None => TokenId::word(text.parse().unwrap()),
    };
    let mut sentence = Sentence::default();
    for (name, _) in rows {
        sentence.tokens.push(Token { id: id(name), form: Text::from(*name), ..Token::default() });
    }
    sentence.graph = pleach_graph::Graph::new(rows.len());
    for (name, deps) in rows {
        for dep in deps.split('|').filter(|dep| !dep.is_empty()) {
            let (head, label) = dep.split_once(':').unwrap();
            let (head, dependent) = (sentence.node(id(head)).unwrap(), sentence.node(id(name)).unwrap());
            sentence.graph.insert(head, dependent, label.into());
        }
    }
    sentence
}

#[test]
fn elas_and_eulas_by_hand() {
    let gold = enhanced(&[
        ("1", "0:root"),
        ("2", "1:nsubj|3:nsubj:xsubj"),
        ("3", "1:conj:and"),
        ("3.1", "1:conj:and"),
        ("4", "3.1:obl:in"),
        ("5", "1:nmod:of|1:nmod:for"),
    ]);
    let system = enhanced(&[
        ("1", "0:root"),
        ("2", "1:nsubj|3:nsubj"),
        ("3", "1:conj:or"),
        ("4", "1:conj:and>obl:on"),
        ("5", "1:nmod:of|1:nmod:by"),
    ]);
    let scores = score(&[gold], &[system]).unwrap();
    // Right are 1's root, 2's subject and 5's `of`.
    let elas = scores.get(Measure::Elas).unwrap().counts;
    assert_eq!(elas, ArcCounts { gold: 7, system: 7, correct: 3 });
    // Without subtypes each of the two arcs into 5 fits each of the two others.
    let eulas = scores.get(Measure::Eulas).unwrap().counts;
    assert_eq!(eulas, ArcCounts { gold: 7, system: 7, correct: 1 + 2 + 1 + 1 + 4 });
    assert_eq!(scores.get(Measure::Las), None, "there are no trees");
}

#[test]
fn tags_lemmas_and_function_words() {
    let word = |n: u32, form: &str, lemma: &str, upos: &str, feats: &str, head: u32, deprel: &str| Token {
        lemma: lemma.into(),
        upos: upos.into(),
        feats: feats.into(),
        head: Some(NodeId(head)),
        deprel: deprel.into(),
        ..Token::new(n, form)
    };
    let with = |tokens: Vec<Token>| Sentence {
        graph: pleach_graph::Graph::new(tokens.len()),
        tokens,
        ..Sentence::default()
    };
    let gold = with(vec![
        word(1, "the", "the", "DET", "Definite=Def|PronType=Art", 2, "det"),
        word(2, "dog", "dog", "NOUN", "Number=Sing|Typo=Yes", 3, "nsubj:pass"),
        word(3, "barks", "", "VERB", "", 0, "root"),
        word(4, ".", ".", "PUNCT", "", 3, "punct"),
    ]);
    let system = with(vec![
        word(1, "the", "the", "DET", "Definite=Ind", 2, "det:x"),
        word(2, "dog", "Dog", "NOUN", "Number=Sing", 3, "nsubj"),
        word(3, "barks", "bark", "NOUN", "", 0, "root"),
        word(4, ".", ".", "PUNCT", "", 2, "punct"),
    ]);
    let scores = score(&[gold], &[system]).unwrap();
    let correct = |measure| scores.get(measure).unwrap().counts.correct;
    assert_eq!([Measure::Upos, Measure::Xpos, Measure::Ufeats, Measure::AllTags].map(correct), [3, 4, 3, 2]);
    // Gold has no lemma for the verb: anything is right there.
    assert_eq!([Measure::Lemmas, Measure::Uas, Measure::Las].map(correct), [3, 3, 3]);
    // Content words are the noun and the verb. The determiner's features spoil the noun's MLAS, the
    // tag the verb's; the noun's lemma is wrong.
    assert_eq!([Measure::Clas, Measure::Mlas, Measure::Blex].map(correct), [2, 0, 1]);
    let clas = scores.get(Measure::Clas).unwrap();
    assert_eq!((clas.counts.gold, clas.counts.system, clas.aligned), (2, 2, Some(2)));
}

/// A text of small words cut at random, into words, multiword tokens and sentences.
fn cut(text: &str, cuts: &[u8]) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut tokens: Vec<String> = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    for &choice in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let take = (1 + choice as usize % 3).min(rest.len());
        let form: String = rest.drain(..take).collect();
        // Half of the tokens of several characters are multiword tokens of single ones.
        if take > 1 && choice & 4 != 0 {
            let parts: Vec<String> = form.chars().map(String::from).collect();
            tokens.push(format!("{form} {}", parts.join(" ")));
        } else {
            tokens.push(form);
        }
        if choice & 24 == 0 {
            let all: Vec<&str> = tokens.iter().map(String::as_str).collect();
            sentences.push(sentence(&all));
            tokens.clear();
        }
    }
    if !tokens.is_empty() {
        let all: Vec<&str> = tokens.iter().map(String::as_str).collect();
        sentences.push(sentence(&all));
    }
    sentences
}

/// All sentences of both files at once: the definition, without streaming.
fn pairs_at_once(gold: &[Sentence], system: &[Sentence]) -> Vec<(usize, usize)> {
    let side = |sentences: &[Sentence]| {
        let mut all = Side::default();
        for (i, sentence) in sentences.iter().enumerate() {
            all.append(Side::of(i as u64 + 1, sentence).unwrap());
        }
        all
    };
    let mut alignment = Alignment::default();
    alignment.advance(&side(gold), &side(system)).unwrap();
    alignment.pairs
}

proptest! {
    #[test]
    fn streaming_changes_nothing(
        text in "[ab]{1,40}",
        gold in prop::collection::vec(any::<u8>(), 1..20),
        system in prop::collection::vec(any::<u8>(), 1..20),
    ) {
        let (gold, system) = (cut(&text, &gold), cut(&text, &system));
        let streamed = score(&gold, &system).unwrap();
        let mut at_once = UdScorer::new(true);
        // Feeding one file to its end first keeps everything waiting.
        for sentence in &gold {
            at_once.push(File::Gold, sentence).unwrap();
        }
        for sentence in &system {
            at_once.push(File::System, sentence).unwrap();
        }
        let at_once = at_once.finish().unwrap();
        prop_assert_eq!(&streamed, &at_once);
        let pairs = pairs_at_once(&gold, &system);
        let words = streamed.get(Measure::Words).unwrap().counts;
        prop_assert_eq!(words.correct, pairs.len() as u64);
        // The units add up to the whole.
        for (place, measure) in COMPARED.into_iter().enumerate() {
            let mut sum = ArcCounts::default();
            for unit in &streamed.units {
                sum += unit[place];
            }
            prop_assert_eq!(sum, streamed.get(measure).unwrap().counts);
        }
        prop_assert_eq!(streamed.units.len(), gold.len());
        // Nobody is better than gold.
        let perfect = score(&gold, &gold).unwrap();
        for measure in Measure::ALL {
            prop_assert_eq!(perfect.get(measure).unwrap().counts.f(), 1.0);
        }
    }
}
