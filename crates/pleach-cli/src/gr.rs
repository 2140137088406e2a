//! Grammatical-relation graphs from bracketed trees, for the verbs that take `--gr`.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use crate::say::say;
use pleach_formats::{Format, ReadError};
use pleach_graph::phrase::Phrase;
use pleach_graph::{Sentence, visible, visible_lines};
use pleach_phrase::{
    Conversion, Language, Options, Stage, Statistics, Style, convert_sentence, enriched, explain,
};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Whether and how trees become graphs.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct GrArgs {
    /// Make grammatical-relation graphs from bracketed trees: chinese or english, told from the trees when not
    /// given
    #[arg(long, value_name = "LANGUAGE", num_args = 0..=1, default_missing_value = "auto")]
    pub gr: Option<Choice>,

    /// Depart from the paper's graphs where they are linguistically weak (listed in docs/ctb.md)
    #[arg(long, requires = "gr")]
    pub refine: bool,
}

/// The language on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Told from the trees.
    Auto,
    /// Given.
    Given(Language),
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name.eq_ignore_ascii_case("auto") {
            return Ok(Choice::Auto);
        }
        let language = name.parse().map(Choice::Given);
        language.map_err(|error| format!("{error}, auto (a file name can follow --gr=auto)"))
    }
}

/// What to print in place of a converted file.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ShowArgs {
    /// With --gr: also fill HEAD and DEPREL with the tree that the same heads give
    #[arg(long, requires = "gr")]
    pub surface: bool,

    /// With --gr: print the enriched tree after a stage, 1 to 5; all files are read, none is written
    #[arg(long, requires = "gr", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    stage: Option<u8>,

    /// With --gr: print the enriched trees after each stage; all files are read, none is written
    #[arg(long, requires = "gr", conflicts_with = "stage")]
    explain: bool,

    /// With --gr: print how many arcs graphs and surface trees share, and the distribution of relations; all
    /// files are read, none is written
    #[arg(long, requires = "gr", conflicts_with_all = ["stage", "explain"])]
    stats: bool,
}

impl ShowArgs {
    /// Whether something is printed and no file is written.
    pub fn prints(&self) -> bool {
        self.stage.is_some() || self.explain || self.stats
    }
}

/// Turns the trees of one file after the other into graphs.
pub struct Grammar {
    choice: Choice,
    style: Style,
    /// The language of the last tree that showed one.
    language: Language,
    headless: u64,
}

/// How many trees without a head are named before they are only counted.
const SHOWN: u64 = 10;

impl Grammar {
    /// What the options ask for.
    pub fn new(args: &GrArgs) -> Option<Grammar> {
        let style = if args.refine { Style::Refined } else { Style::Reference };
        args.gr.map(|choice| Grammar { choice, style, language: Language::default(), headless: 0 })
    }

    fn options(&mut self, phrase: &Phrase) -> Options {
        self.language = match self.choice {
            Choice::Given(language) => language,
            Choice::Auto => Language::guess(phrase).unwrap_or(self.language),
        };
        Options { language: self.language, style: self.style }
    }

    /// Opens a file of trees.
    pub fn open(path: &Path, reading: &InputArgs) -> Result<Input, Failure> {
        let input = match Input::open(path, reading) {
            // Releases have files without any tree.
            Err(Failure::Data(error))
                if matches!(error.downcast_ref(), Some(ReadError::Unknown { .. }))
                    && path.as_os_str() != "-" =>
            {
                Input::open(path, &InputArgs { from: Some(Format::Brackets), ..reading.clone() })?
            }
            other => other?,
        };
        match input.format() {
            Format::Brackets => Ok(input),
            other => {
                let message = format!("--gr needs bracketed trees, `{}` is {other}", path.display());
                Err(Failure::Usage(message))
            }
        }
    }

    /// Puts the graph into a sentence; one without a head is reported and left without a root.
    pub fn convert(
        &mut self,
        sentence: &mut Sentence,
        surface: bool,
        path: &Path,
    ) -> Result<Conversion, Failure> {
        let options = sentence.phrase.as_deref().map_or(Options::default(), |phrase| self.options(phrase));
        let conversion = convert_sentence(sentence, &options, surface)?;
        if conversion.is_headless() {
            self.headless += 1;
            if self.headless <= SHOWN {
                let name = sentence.sent_id().map_or("a tree".to_owned(), |id| format!("sentence `{id}`"));
                say!("warning: {}: {name} has no head word and gets no root", path.display());
            }
        }
        Ok(conversion)
    }

    /// Puts the graph and the enriched tree into a sentence, to be drawn beside each other.
    pub fn draw(&mut self, sentence: &mut Sentence, path: &Path) -> Result<(), Failure> {
        self.convert(sentence, true, path)?;
        if let Some(phrase) = sentence.phrase.take() {
            let options = self.options(&phrase);
            sentence.phrase = Some(Box::new(enriched(&phrase, &options, Stage::Traces)));
        }
        Ok(())
    }

    /// Says how many trees had no head, if not all were named.
    pub fn report(&self) {
        if self.headless > SHOWN {
            say!("warning: {} trees have no head word", self.headless);
        }
    }

    /// Prints stages or statistics of all files.
    pub fn print(
        mut self,
        paths: &[PathBuf],
        reading: &InputArgs,
        show: &ShowArgs,
        json: bool,
    ) -> Result<(), Failure> {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let mut statistics = Statistics::default();
        let stages: Vec<Stage> = match show.stage.and_then(|number| Stage::from_number(number.into())) {
            Some(stage) => vec![stage],
            None => Stage::ALL.to_vec(),
        };
        for path in paths {
            let mut input = Grammar::open(path, reading)?;
            for sentence in input.by_ref() {
                let mut sentence = sentence?;
                let conversion = self.convert(&mut sentence, false, path)?;
                if show.stats {
                    statistics.add(&conversion);
                } else if let Some(phrase) = sentence.phrase.as_deref() {
                    let options = self.options(phrase);
                    for line in &sentence.comments {
                        writeln!(out, "{}", visible(line))?;
                    }
                    for &stage in &stages {
                        if stages.len() > 1 {
                            writeln!(out, "# stage {}: {}", stage.number(), stage.title())?;
                        }
                        writeln!(out, "{}", visible_lines(&explain(phrase, &options, stage)))?;
                    }
                }
            }
            input.report_skipped();
        }
        if show.stats && json {
            writeln!(out, "{}", statistics_json(&statistics))?;
        } else if show.stats {
            write!(out, "{}", visible_lines(&statistics.to_string()))?;
        }
        out.flush()?;
        self.report();
        Ok(())
    }
}

fn statistics_json(statistics: &Statistics) -> serde_json::Value {
    let relations = statistics.relations.iter();
    let relations =
        relations.map(|(name, (tree, graph))| (name.clone(), json!({ "tree": tree, "graph": graph })));
    json!({
        "sentences": statistics.sentences,
        "words": statistics.words,
        "headless": statistics.headless,
        "tree": statistics.tree,
        "graph": statistics.graph,
        "shared": statistics.shared,
        "long_distance": statistics.long_distance,
        "relations": relations.collect::<serde_json::Map<_, _>>(),
    })
}
