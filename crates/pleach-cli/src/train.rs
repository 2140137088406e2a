//! `pleach train`: from a treebank to a model.

mod lm;

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use crate::say::say;
use crate::setting::Setting;
use crate::{limits, output, stop};
use indicatif::{ProgressBar, ProgressStyle};
use pleach::recipe::{self, Recipe, RecipeError};
use pleach::train::{self, Annotation, Corpus, Ended, Event, Training};
use pleach_graph::Sentence;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  pleach train --train train.conllu --dev dev.conllu -o my.pleach      the default: a BiLSTM, `biaffine`
  pleach train --preset sl-combined-rev --train t.sdp --dev d.sdp -o m.pleach --epochs 10 --seed 7
  pleach train --trees syntactic --train t.conllu --dev d.conllu -o m.pleach     with path features of a tree
                                                                       parser that is trained on the way
  pleach train my-recipe.toml --train t.conllu --dev d.conllu -o m.pleach
  pleach train pipeline --train t.conllu --dev d.conllu -o my.pleach   from raw text to graphs, all stages
  pleach train lm --text *.txt -o lm.pleach                            a language model, for --lm of others
  pleach train tagger --train t.conllu --dev d.conllu -o tagger.pleach one stage: tokenizer, tagger, morphology, lemmatizer

A recipe is a TOML file; every key has a default:
  preset = \"s2s-combined\"   # `pleach presets` lists them; other keys change it
  beam = 16                 # 1 trains a greedy parser
  epochs = 15
  update = \"max-violation\"  # or \"early\"
  root = \"last\"             # where the virtual root stands: first, last, none
  delexicalise = \"auto\"     # obl:[case] for obl:because_of: auto, always, never
  templates = \"two-stack\"   # a shipped template file or a path
  supertags = false         # predict frames on SHIFT
`--show-recipe` prints all keys with their values and stops.

Ctrl-C stops after the current batch and keeps a checkpoint; the same command goes on from there and
ends with the same model as a run that was never stopped.";

/// The preset when none is named: of all single parsers the most accurate on all of en_ewt (docs/results/neural.md).
const BEST: &str = "biaffine";

/// Train a parser on a graph bank
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Recipe file, or a preset's name; the default preset when not given; lm for a language model
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

    /// How often to go through the training data
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,

    /// What the random numbers start from
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

    /// File of word vectors (word2vec in text or binary, fastText's .vec, GloVe); for neural scorers
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,

    /// Language model that `pleach train lm` made; for neural scorers
    #[arg(long, value_name = "FILE")]
    lm: Option<PathBuf>,

    /// For `pleach train lm`: files of text, or CoNLL-U
    #[arg(long, value_name = "FILES", num_args = 1.., conflicts_with_all = ["train", "dev", "show_recipe"])]
    text: Vec<PathBuf>,

    /// Any key of the recipe, e.g. margin=30; may be given several times
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

    /// Print the recipe with all its keys and stop
    #[arg(long)]
    show_recipe: bool,

    #[command(flatten)]
    reading: InputArgs,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    if !args.text.is_empty() {
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
    let epochs = recipe.number("epochs").unwrap_or(1);
    let corpus = Corpus { train: sentences, dev };
    let training = Training { recipe, corpus, names, fresh: args.fresh };
    let mut report = Report::new(epochs);
    let mut watch = |event: Event| {
        report.hear(&event);
        if stop.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let pool = limits::pool(args.threads)?;
    let Ended { best, stopped } = pool.install(|| match args.tags.as_str() {
        "predicted" => {
            let annotation = Annotation::new(pleach::CATALOGUE.shelf)?;
            train::run_on_predicted_tags(training, &annotation, output, &mut watch)
        }
        _ => train::run(training, output, &mut watch),
    })?;
    report.bar.finish_and_clear();
    if stopped {
        return Err(Failure::Stopped("stopped; the same command goes on from here".into()));
    }
    if let Some((dev, epoch)) = best {
        say!("best: epoch {epoch}, dev {dev}");
    }
    say!("wrote {}", output.display());
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
        (None, None) => recipe::preset(BEST)?,
    };
    let usage = |error: RecipeError| Failure::Usage(error.to_string());
    let numbers = [("epochs", args.epochs), ("beam", args.beam), ("patience", args.patience)];
    for (key, value) in numbers {
        if let Some(value) = value {
            recipe.set(key, value as i64).map_err(usage)?;
        }
    }
    if let Some(seed) = args.seed {
        recipe.set("seed", seed).map_err(usage)?;
    }
    for (key, value) in [("update", &args.update), ("trees", &args.trees)] {
        if let Some(value) = value {
            recipe.set(key, value.as_str()).map_err(usage)?;
        }
    }
    for (key, path) in [("encoder", &args.encoder), ("vectors", &args.vectors), ("lm", &args.lm)] {
        if let Some(path) = path {
            recipe.set(key, path.to_string_lossy().into_owned()).map_err(usage)?;
        }
    }
    for Setting { key, value } in &args.set {
        recipe.set(key, value.clone()).map_err(usage)?;
    }
    Ok(recipe)
}

fn read(path: &Path, reading: &InputArgs) -> Result<Vec<Sentence>, Failure> {
    let mut input = Input::open(path, reading)?;
    let sentences: Result<Vec<Sentence>, Failure> = input.by_ref().collect();
    input.report_skipped();
    sentences
}

/// Shows a run to a person: a bar on a terminal, a line per epoch everywhere.
struct Report {
    bar: ProgressBar,
    epochs: usize,
    sentences: usize,
    tokens: u64,
    started: Instant,
}

impl Report {
    fn new(epochs: usize) -> Self {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = "{prefix} {bar:30} {pos}/{len} sentences  {msg}  {elapsed_precise} (ETA {eta_precise})";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Report { bar, epochs, sentences: 0, tokens: 0, started: Instant::now() }
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Stage { name } => self.bar.suspend(|| say!("stage {name}")),
            Event::Prepared { sentences, tokens, choices, templates, lost } => {
                self.sentences = *sentences;
                self.bar.set_length((sentences * self.epochs) as u64);
                say!("{sentences} sentences, {tokens} words, {choices} actions, {templates} templates");
                if lost.0 > 0 {
                    let share = 100.0 * lost.0 as f64 / lost.1.max(1) as f64;
                    say!("{} of {} arcs ({share:.2} %) are out of the model's reach", lost.0, lost.1);
                }
            }
            Event::Resumed { epoch } => say!("going on with epoch {epoch} of an earlier run"),
            Event::Step { epoch, done, tokens, wrong } => {
                self.tokens += *tokens as u64;
                self.bar.set_position(((epoch - 1) * self.sentences + done) as u64);
                self.bar.set_prefix(format!("epoch {epoch}/{}", self.epochs));
                let speed = self.tokens as f64 / self.started.elapsed().as_secs_f64().max(1e-9);
                let loss = 100.0 * *wrong as f64 / (*done).max(1) as f64;
                self.bar.set_message(format!("{speed:.0} words/s, {loss:.1} % wrong"));
            }
            Event::Epoch { epoch, loss, dev, best, features } => {
                let mut line = format!(
                    "epoch {epoch}: {:.1} % of the sentences wrong, {features} features",
                    100.0 * loss
                );
                if let Some(dev) = dev {
                    let mark = if *best { " (best)" } else { "" };
                    line += &format!(", dev {dev}{mark}");
                }
                line += &format!(", {:.0} s", self.started.elapsed().as_secs_f64());
                self.bar.suspend(|| say!("{line}"));
            }
        }
    }
}
