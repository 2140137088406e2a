//! A fast tagger learns from what a better one says of more text.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{treebank, write};
use pleach::graph::Sentence;
use pleach::train::{Corpus, Training};
use pleach::{CATALOGUE, Parser, Tags};
use std::ops::ControlFlow;
use std::path::Path;

fn train(text: &str, train: Vec<Sentence>, path: &Path) -> Result<Parser, String> {
    let recipe =
        pleach::recipe::complete("test", text.parse().unwrap()).map_err(|error| error.to_string())?;
    let names = ("train".into(), "dev".into());
    let training = Training { recipe, corpus: Corpus { train, dev: Vec::new() }, names, fresh: true };
    training.run(CATALOGUE, path, &mut |_| ControlFlow::Continue(())).map_err(|error| error.to_string())?;
    Ok(Parser::open(path).unwrap())
}

/// How many words get the right tag.
fn right(parser: &mut Parser, gold: &[Sentence]) -> usize {
    parser.options.tags = Tags::Predicted;
    let mut parsed = gold.to_vec();
    parser.parse_all(&mut parsed);
    let pairs = gold.iter().zip(&parsed).flat_map(|(gold, parsed)| gold.tokens.iter().zip(&parsed.tokens));
    pairs.filter(|(gold, parsed)| gold.upos == parsed.upos).count()
}

#[test]
fn a_teacher_helps_where_there_is_little_gold() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (gold, dev) = (treebank(60, 1), treebank(40, 7));
    let few = gold[..2].to_vec();
    let mut teacher = train("preset = 'tagger'", gold, &file("teacher.pleach")).unwrap();
    // More text, whose tags are wrong: nobody may look at them.
    let mut more = treebank(60, 3);
    for token in more.iter_mut().flat_map(|sentence| &mut sentence.tokens) {
        (token.upos, token.xpos) = ("X".into(), "X".into());
    }
    write(&file("more.conllu"), &more);
    let mut alone = train("preset = 'tagger'", few.clone(), &file("alone.pleach")).unwrap();
    let keys = format!(
        "preset = 'tagger'\nteacher = '{}'\nmore = '{}'",
        file("teacher.pleach").display(),
        file("more.conllu").display()
    );
    let mut taught = train(&keys, few.clone(), &file("taught.pleach")).unwrap();
    let [best, poor, good] = [&mut teacher, &mut alone, &mut taught].map(|parser| right(parser, &dev));
    assert!(poor < good && good <= best, "{poor} {good} {best}");

    let fails = |text: &str| train(text, few.clone(), &file("x.pleach")).unwrap_err();
    assert!(fails("preset = 'tagger'\nmore = 'x'").contains("go together"));
    assert!(fails("preset = 'tokenizer'\nmore = 'x'").contains("no teacher"));
    let missing = fails("preset = 'tagger'\nteacher = '/nowhere'\nmore = 'x'");
    assert!(missing.contains("/nowhere"), "{missing}");
    common::model_bytes(&common::recipe("preset = 'st-combined'\nepochs = 1"), &file("graph.pleach"));
    let wrong = fails(&keys.replace("teacher.pleach", "graph.pleach"));
    assert!(wrong.contains("gives none"), "{wrong}");
}
