//! `pleach train`: from a treebank to a model.

mod json;
mod lm;

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use crate::plural::{count, grouped};
use crate::say::say;
use crate::setting::Setting;
use crate::{limits, output, stop};
use indicatif::{ProgressBar, ProgressStyle};
use pleach::recipe::{self, Gives, Recipe, RecipeError};
use pleach::train::{self, Annotation, Corpus, Ended, Event, Training};
use pleach_graph::Sentence;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  pleach train --train t.conllu --dev d.conllu -o my.pleach
      the most accurate single parser, for sentences of words
  pleach train pipeline --train t.conllu --dev d.conllu -o my.pleach
      everything from raw text to graphs: this is what can parse text
  pleach train pipeline-linear --set graph.preset=biaffine --epochs 5 --train t.conllu -o my.pleach
      a stage for each step, another parser, five epochs for every stage
  pleach train sl-combined-rev --train t.sdp --dev d.sdp -o m.pleach
      a preset; `pleach presets` lists them
  pleach train my-recipe.toml --train t.conllu --dev d.conllu -o m.pleach
  pleach train tagger --train t.conllu --dev d.conllu -o t.pleach
      one stage: tokenizer, tagger, morphology, lemmatizer
  pleach train lm --text *.txt -o lm.pleach
      a language model, for --lm of others; `pleach train lm --show-recipe` has its keys
  pleach train --train t.conllu --dev d.conllu -o my.pleach --json > run.jsonl
      a JSON object for every epoch, with its scores
  pleach train --trees syntactic --train t.conllu -o m.pleach
      with path features of a tree parser that is trained on the way

A recipe is a TOML file; every key has a default:
  preset = \"s2s-combined\"   # other keys change it
  beam = 8                  # 1 trains a greedy parser
  epochs = 15
  update = \"max-violation\"  # or \"early\"
  delexicalise = \"auto\"     # obl:[case] for obl:because_of
A pipeline has a table for every stage, [tokenizer] to [graph]; an empty one
leaves the stage out, model = \"file\" takes it from there.
`--show-recipe` prints all keys of all stages with their values and stops.

Ctrl-C stops after the current batch and keeps a checkpoint; the same command
goes on from there and ends with the same model as a run that never stopped.";

/// Train a parser, or a whole pipeline, on a treebank
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Recipe file, or a preset's name [default: the most accurate single parser]; lm for a language model
    #[arg(value_name = "RECIPE", conflicts_with = "preset")]
    recipe: Option<PathBuf>,

    /// Named recipe; `pleach presets` lists them
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    /// Sentences to learn from
    #[arg(long, value_name = "FILE", required_unless_present_any = ["show_recipe", "text"])]
    train: Option<PathBuf>,

    /// Sentences to measure on after every epoch; the best epoch's model is kept
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,

    /// Where the model goes; the checkpoint lies beside it while training
    #[arg(short, long, value_name = "MODEL", required_unless_present = "show_recipe")]
    output: Option<PathBuf>,

    /// How often to go through the training data, in every stage
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,

    /// What the random numbers start from, in every stage
    #[arg(long, value_name = "N")]
    seed: Option<u32>,

    /// Width of the beam
    #[arg(long, value_name = "N", value_parser = limits::beam)]
    beam: Option<usize>,

    /// Update rule
    #[arg(long, value_name = "RULE", value_parser = ["early", "max-violation"])]
    update: Option<String>,

    /// Trees that a graph parser looks at: none, pseudo (made of the graphs) or syntactic (HEAD, DEPREL)
    #[arg(long, value_name = "WHICH", value_parser = ["none", "pseudo", "syntactic"])]
    trees: Option<String>,

    /// Folder of a pretrained encoder (Hugging Face: config.json, tokenizer.json, model.safetensors) that words are read
    /// with too; for neural scorers. encoder_use=tuned lets it learn
    #[arg(long, value_name = "FOLDER")]
    encoder: Option<PathBuf>,

    /// File of word vectors (word2vec in text or binary, fastText's .vec, GloVe), or the folder of
    /// an encoder, whose embeddings of whole words are taken; for neural scorers
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,

    /// Language model that `pleach train lm` made; for neural scorers
    #[arg(long, value_name = "FILE")]
    lm: Option<PathBuf>,

    /// For `pleach train lm`: files of text, or CoNLL-U
    #[arg(long, value_name = "FILES", num_args = 1.., conflicts_with_all = ["train", "dev", "show_recipe"])]
    text: Vec<PathBuf>,

    /// Any key of the recipe, e.g. margin=30, or of a stage, e.g. graph.epochs=3; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Setting>,

    /// Stop when the dev score has not risen for N epochs
    #[arg(long, value_name = "N")]
    patience: Option<usize>,

    /// Use only the first N training sentences
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Threads; all cores when not given. The model does not depend on it
    #[arg(long, value_name = "N", value_parser = limits::threads)]
    threads: Option<usize>,

    /// Tags, features and lemmas to train a parser on: those of the treebank, or predicted ones as at run time
    #[arg(long, value_name = "WHICH", value_parser = ["given", "predicted"], default_value = "given")]
    tags: String,

    /// Ignore a checkpoint of an earlier run
    #[arg(long)]
    fresh: bool,

    /// A JSON object on standard output for every stage and epoch, and for the model in the end
    #[arg(long)]
    json: bool,

    /// Print the recipe with all its keys and stop
    #[arg(long)]
    show_recipe: bool,

    #[command(flatten)]
    reading: InputArgs,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    if !args.text.is_empty() || args.recipe.as_deref() == Some(Path::new(lm::NAME)) {
        return lm::run(&args);
    }
    let recipe = recipe(&args)?;
    if args.show_recipe {
        return output::print(toml::to_string(&recipe)?);
    }
    let (Some(train), Some(output)) = (&args.train, &args.output) else {
        return Err(Failure::Usage("--train and -o are needed".into()));
    };
    let stop = stop::on_ctrl_c()?;
    let mut sentences = read(train, &args.reading)?;
    sentences.truncate(args.limit.unwrap_or(usize::MAX));
    let dev = args.dev.as_deref().map_or(Ok(Vec::new()), |dev| read(dev, &args.reading))?;
    let name =
        |path: &Path| path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let names = (name(train), args.dev.as_deref().map_or(String::new(), name));
    introduce(&args, &recipe);
    let corpus = Corpus { train: sentences, dev };
    let training = Training { recipe, corpus, names, fresh: args.fresh };
    let mut report = Report::new();
    let mut heard = true;
    let mut watch = |event: Event| {
        report.hear(&event);
        let seconds = report.started.elapsed().as_secs_f64();
        let line = if args.json { json::event(&event, seconds) } else { None };
        // Who listens no longer does not want the model less: what went wrong is said at the end.
        if let Some(line) = line.filter(|_| heard) {
            heard = output::print(format_args!("{line}\n")).is_ok();
        }
        if stop.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let pool = limits::pool(args.threads)?;
    let Ended { best, stopped } = pool.install(|| match args.tags.as_str() {
        "predicted" => {
            let mut annotation = Annotation::new(pleach::CATALOGUE.shelf)?;
            for recipe in &mut annotation.recipes {
                set_schedule(&args, recipe)?;
            }
            train::run_on_predicted_tags(training, &annotation, output, &mut watch)
        }
        _ => train::run(training, output, &mut watch),
    })?;
    report.bar.finish_and_clear();
    if stopped {
        return Err(Failure::Stopped("stopped; the same command goes on from here".into()));
    }
    if let Some((dev, epoch)) = &best {
        say!("best: epoch {epoch}, dev {dev}");
    }
    say!("wrote {}", output.display());
    if args.json {
        output::print(format_args!("{}\n", json::written(output, best.as_ref())))?;
    }
    Ok(())
}

fn recipe(args: &Args) -> Result<Recipe, Failure> {
    let mut recipe = match (&args.recipe, &args.preset) {
        // A bare name is a preset, unless there is such a file.
        (Some(path), _) if path.extension().is_none() && !path.exists() => {
            recipe::preset(&path.to_string_lossy()).map_err(|error| Failure::Usage(error.to_string()))?
        }
        (Some(path), _) => recipe::read(path)?,
        (None, Some(name)) => recipe::preset(name).map_err(|error| Failure::Usage(error.to_string()))?,
        // What a beam or trees are asked for is a transition parser; else the best that there is.
        (None, None) if args.beam.is_some() || args.update.is_some() || args.trees.is_some() => {
            recipe::default()?
        }
        (None, None) => recipe::best()?,
    };
    let usage = |error: RecipeError| Failure::Usage(error.to_string());
    // Which keys there are is decided first; what is said of a single key counts more than an option.
    let decides = |setting: &&Setting| ["preset", "scorer"].iter().any(|end| setting.key.ends_with(end));
    for Setting { key, value } in args.set.iter().filter(decides) {
        recipe.set(key, value.clone()).map_err(usage)?;
    }
    set_schedule(args, &mut recipe).map_err(usage)?;
    // In a pipeline these are the parser's business.
    let below = if recipe.stage("graph").is_some() { "graph." } else { "" };
    if let Some(beam) = args.beam {
        recipe.set(&format!("{below}beam"), beam as i64).map_err(usage)?;
    }
    for (key, value) in [("update", &args.update), ("trees", &args.trees)] {
        if let Some(value) = value {
            recipe.set(&format!("{below}{key}"), value.as_str()).map_err(usage)?;
        }
    }
    for (key, path) in [("encoder", &args.encoder), ("vectors", &args.vectors), ("lm", &args.lm)] {
        if let Some(path) = path {
            recipe.set(&format!("{below}{key}"), path.to_string_lossy().into_owned()).map_err(usage)?;
        }
    }
    for Setting { key, value } in args.set.iter().filter(|setting| !decides(setting)) {
        recipe.set(key, value.clone()).map_err(usage)?;
    }
    Ok(recipe)
}

/// Options that every stage has.
fn set_schedule(args: &Args, recipe: &mut Recipe) -> Result<(), RecipeError> {
    if let Some(seed) = args.seed {
        recipe.set_everywhere("seed", seed)?;
    }
    for (key, value) in [("epochs", args.epochs), ("patience", args.patience)] {
        if let Some(value) = value {
            recipe.set_everywhere(key, value as i64)?;
        }
    }
    Ok(())
}

/// Says what is trained, and how to get what most people want if it is something else.
fn introduce(args: &Args, recipe: &Recipe) {
    say!("training {}: {}", recipe.name(), recipe::about(recipe));
    let unnamed = args.recipe.is_none() && args.preset.is_none();
    if unnamed && recipe.gives() == Gives::Graphs {
        say!("it will parse sentences of words; `pleach train pipeline` makes a model that reads text");
    }
}

fn read(path: &Path, reading: &InputArgs) -> Result<Vec<Sentence>, Failure> {
    let mut input = Input::open(path, reading)?;
    let sentences: Result<Vec<Sentence>, Failure> = input.by_ref().collect();
    input.report_skipped();
    sentences
}

/// Shows a run to a person: a bar on a terminal, a line per stage and epoch everywhere.
struct Report {
    bar: ProgressBar,
    /// What is trained now: `3/20 tagger-fold-2`; empty for a run of one stage.
    stage: String,
    epochs: usize,
    sentences: usize,
    tokens: u64,
    started: Instant,
}

impl Report {
    /// Fits into 80 columns.
    const BAR: &str = "{prefix:28!} {bar:12} {percent:>3} %  {msg:14!}  ETA {eta_precise}";

    fn new() -> Self {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template(Self::BAR) {
            bar.set_style(style);
        }
        let started = Instant::now();
        Report { bar, stage: String::new(), epochs: 1, sentences: 0, tokens: 0, started }
    }

    fn say(&self, line: &str) {
        self.bar.suspend(|| say!("{line}"));
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Stage { name, place } => {
                let place = place.map_or(String::new(), |(number, all)| format!("{number}/{all} "));
                self.stage = format!("{place}{name}");
                self.say(&format!("stage {}", self.stage));
            }
            Event::Prepared { sentences, tokens, choices, templates, epochs, lost } => {
                // Every stage has its own clock: what an earlier one took says nothing about this one.
                (self.sentences, self.epochs, self.tokens) = (*sentences, *epochs, 0);
                self.started = Instant::now();
                self.bar.reset();
                self.bar.set_length((sentences * epochs) as u64);
                let mut parts =
                    vec![count(*sentences, "sentence"), count(*tokens, "word"), count(*choices, "choice")];
                if *templates > 0 {
                    parts.push(count(*templates, "template"));
                }
                self.say(&format!("{}, {}", parts.join(", "), count(*epochs, "epoch")));
                if lost.0 > 0 {
                    let share = 100.0 * lost.0 as f64 / lost.1.max(1) as f64;
                    let (lost, all) = (grouped(lost.0), grouped(lost.1));
                    self.say(&format!("{lost} of {all} arcs ({share:.2} %) are out of reach"));
                }
            }
            Event::Resumed { epoch } => {
                // The epochs before were not done by this run: they must not make it look fast.
                self.bar.set_position(((epoch - 1) * self.sentences) as u64);
                self.bar.reset_eta();
                self.say(&format!("going on with epoch {epoch} of an earlier run"));
            }
            Event::Step { epoch, done, tokens, .. } => {
                self.tokens += *tokens as u64;
                self.bar.set_position(((epoch - 1) * self.sentences + done) as u64);
                self.bar.set_prefix(format!("{} {epoch}/{}", self.stage, self.epochs).trim().to_owned());
                let speed = self.tokens as f64 / self.started.elapsed().as_secs_f64().max(1e-9);
                self.bar.set_message(format!("{} words/s", grouped(speed as usize)));
            }
            Event::Epoch { epoch, loss, dev, best, .. } => {
                let seconds = self.started.elapsed().as_secs_f64();
                let (epochs, wrong) = (self.epochs, 100.0 * loss);
                let mut line =
                    format!("epoch {epoch}/{epochs}, {seconds:.0} s: {wrong:.1} % of sentences wrong");
                if let Some(dev) = dev {
                    let mark = if *best { " (best)" } else { "" };
                    line += &format!(", dev {dev}{mark}");
                }
                self.say(&line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts are cut to a width, and so the bar stays on one line of 80 columns.
    #[test]
    fn the_bar_fits_into_80_columns() {
        let mut line = Report::BAR.to_owned();
        for (part, width) in
            [("prefix:28!", 28), ("bar:12", 12), ("percent:>3", 3), ("msg:14!", 14), ("eta_precise", 8)]
        {
            let part = format!("{{{part}}}");
            assert!(line.contains(&part), "{part}");
            line = line.replace(&part, &"x".repeat(width));
        }
        assert!(!line.contains('{') && line.chars().count() < 80, "{line}");
    }
}
