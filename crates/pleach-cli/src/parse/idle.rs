//! Options of `pleach parse` that would do nothing: refused when a result would pass for something that it isn't, or said.

use super::open::Kind;
use super::{Args, Layout, Which};
use crate::failure::Failure;
use crate::say::say;
use pleach::Parser;
use pleach_graph::Sentence;
use std::path::Path;

/// Files that people ask for and that nothing here writes.
const PICTURES: [&str; 8] = ["png", "pdf", "jpg", "jpeg", "gif", "webp", "eps", "ps"];

/// Refuses options that the model can't heed.
pub fn refuse(args: &Args, parser: &Parser) -> Result<(), Failure> {
    let heeds = parser.heeds();
    let why = if args.beam.is_some() && !heeds.beam {
        "--beam does nothing with this model: its search has no beam"
    } else if args.threshold.is_some() && !heeds.threshold {
        "--threshold is for ensembles (`pleach vote` makes them), and this model is none"
    } else if args.tags == Which::Predicted && !parser.gives_words() {
        "this model has no tags, features or lemmas of its own, as --tags predicted wants; `pleach train pipeline` \
         makes one that has"
    } else {
        return Ok(());
    };
    Err(Failure::Usage(why.to_owned()))
}

/// Refuses outputs whose names promise a picture that would be none.
pub fn refuse_picture(output: &Path) -> Result<(), Failure> {
    let extension = output.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    match extension {
        Some(extension) if PICTURES.contains(&extension.as_str()) => Err(Failure::Usage(format!(
            "{}: pictures are written as SVG or as an HTML page; take -o {} and convert that, for instance with \
             rsvg-convert",
            output.display(),
            output.with_extension("svg").display()
        ))),
        _ => Ok(()),
    }
}

/// What is said once of an input.
#[derive(Debug, Default)]
pub struct Idle {
    told: bool,
    tags_told: bool,
}

impl Idle {
    /// Says which options do nothing with such an input.
    pub fn tell(&mut self, args: &Args, kind: Kind, name: &str) {
        if self.told || !matches!(kind, Kind::Sentences(_)) {
            return;
        }
        let given = [(args.text_format != Layout::Paragraphs, "--text-format"), (args.ranges, "--ranges")];
        let given: Vec<&str> = given.iter().filter(|(given, _)| *given).map(|(_, name)| *name).collect();
        if !given.is_empty() {
            self.told = true;
            say!("{name}: {} for text, and these are sentences of words already", is(&given));
        }
    }

    /// Says that tags of the input stay, since scores of them would be those of the input.
    pub fn tell_tags(&mut self, args: &Args, parser: &Parser, sentences: &[Sentence], name: &str) {
        let tagged =
            || sentences.iter().any(|sentence| sentence.tokens.iter().any(|token| !token.upos.is_empty()));
        if !self.tags_told && args.tags == Which::Auto && parser.gives_words() && tagged() {
            self.tags_told = true;
            say!("{name}: its tags, features and lemmas stay; --tags predicted takes the model's own");
        }
    }
}

fn is(options: &[&str]) -> String {
    format!("{} {}", options.join(" and "), if options.len() == 1 { "is" } else { "are" })
}
