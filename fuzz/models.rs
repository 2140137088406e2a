//! Models, damaged or whole, and the way from text to graphs.

use crate::readers::write_everywhere;
use pleach::model::Model;
use pleach::{Parser, Workspace, models};
use pleach_graph::Sentence;
use std::sync::OnceLock;

/// The built-in model.
fn parser() -> &'static Parser {
    static PARSER: OnceLock<Parser> = OnceLock::new();
    PARSER.get_or_init(|| models::open(None).expect("a model is built in"))
}

/// A small model that `./test --fuzz` has trained; its bytes are changed where the fuzzer says.
fn small_model() -> &'static [u8] {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    MODEL.get_or_init(|| {
        let path = std::env::var_os("PLEACH_FUZZ_MODEL");
        path.map_or(Vec::new(), |path| {
            without_checksums(std::fs::read(path).expect("PLEACH_FUZZ_MODEL can be read"))
        })
    })
}

/// The same model with nothing in the place of its checksums, so that what is behind them is reached.
fn without_checksums(mut model: Vec<u8>) -> Vec<u8> {
    const KEY: &[u8] = b"checksum\\\":";
    let mut at = 0;
    while let Some(found) = model[at..].windows(KEY.len()).position(|window| window == KEY) {
        at += found + KEY.len();
        let digits = model[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits >= 4 {
            model[at..at + digits].fill(b' ');
            model[at..at + 4].copy_from_slice(b"null");
        }
    }
    model
}

/// A damaged model is refused or parses somehow. The first byte says what the others are: a whole file, or changes of a
/// small model, five bytes each: a place (in the whole file or, mostly, in its header) and a value.
pub fn damaged_model(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let mut model = rest.to_vec();
    if kind % 2 == 1 {
        model = small_model().to_vec();
        let header = model.len().min(4096);
        for change in rest.chunks_exact(5) {
            let Some((&value, place)) = change.split_last() else { continue };
            let place = place.iter().fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte));
            let range = if kind % 4 == 1 { header } else { model.len() };
            if range > 0 {
                model[place % range] = value;
            }
        }
    }
    let Ok(model) = Model::from_bytes("fuzz", &model) else { return };
    let Ok(parser) = Parser::new("fuzz", model) else { return };
    let mut sentence = Sentence::from_forms(["Dogs", "that", "bark", "rarely", "bite", "."]);
    parser.parse(&mut sentence, &mut Workspace::default());
    assert_eq!(sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).count(), 6);
}

/// Characters of a text are those of its words: none is lost and none is made up.
pub fn words_of_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let sentences =
        parser().sentences(&text, Some(0), &mut Workspace::default()).expect("it has a tokenizer");
    let mut found = String::new();
    for sentence in &sentences {
        let mut covered = 0;
        for token in sentence.tokens.iter().filter(|token| !token.id.is_empty_node()) {
            let whole = sentence.multiwords.iter().find(|whole| whole.first == token.id.word);
            if let Some(whole) = whole {
                covered = whole.last;
                found.push_str(&whole.form);
            } else if token.id.word > covered {
                found.push_str(&token.form);
            }
        }
    }
    let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    assert_eq!(solid(&found), solid(&text));
}

/// From text to graphs to every format.
pub fn text_to_graphs(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let sentences = parser().parse_text(&text, None, &mut Workspace::default()).expect("it has a tokenizer");
    for sentence in sentences {
        assert_eq!(sentence.graph.len(), sentence.len());
        write_everywhere(&sentence);
    }
}
