//! `pleach experiment`: a grid of training runs and the tables they fill.

use crate::failure::Failure;
use crate::output::Output;
use crate::say::say;
use crate::{limits, output, stop};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use pleach::train;
use pleach_graph::visible;
use pleach_lab::experiment::{Alone, Event, Experiment, Options, Origin, Subject};
use serde_json::Value;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: &str = "\
Examples:
  pleach experiment my.toml                                  writes my.md and my.json beside it
  pleach experiment experiments/labels.toml -o docs/results  writes docs/results/labels.md and .json
  pleach experiment experiments/labels.toml --data ~/corpora -o /tmp
  pleach experiment my.toml --plan                           the runs, nothing trained

The file:
  title = \"Two systems\"
  notes = [\"Gold tags.\"]              # paragraphs under the title
  folder = \"../data\"                  # where data files are, from the file's place; --data replaces it
  diversity = [\"st\", \"ss\"]            # agreement of every two models; true for all runs
  [defaults]                          # keys of recipes (see `pleach train --show-recipe`), for all runs
  epochs = 6
  [data.en]
  train = \"en/train.conllu\"
  dev = \"en/dev.conllu\"
  limit = 4000                        # the first sentences only
  [recipes.st]
  preset = \"st-combined\"
  [recipes.ss]
  preset = \"ss-combined\"
  [axes]                              # crossed with every recipe; runs are `st beam=1`, `st beam=16` …
  beam = [1, 16]
  [votes.both]
  runs = [\"st beam=16\", \"ss beam=16\"]
  threshold = 0.5
  [[contrasts]]                       # mean difference of runs that differ in this key only
  title = \"A beam helps\"
  key = \"beam\"
  of = 16
  minus = 1
  [[tables]]
  title = \"Scores\"
  columns = [\"LP\", \"LR\", \"LF\"]        # also UP UR UF exact tokens/s \"train s\" \"train CPU s\" MB epoch
  rows = [\"st beam=1\", \"both\"]        # all when not given; data = […] likewise
  wide = true                         # data sets side by side

Finished runs are kept in the cache and never repeated. Ctrl-C stops after the current batch; the same
command goes on from there and ends with the same models.";

/// Train a grid of recipes over data sets and write its tables
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The experiment
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    /// Folder of the data, in place of the one that the file names
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Folder of finished runs
    #[arg(long, value_name = "DIR", default_value = "target/experiments")]
    cache: PathBuf,

    /// Folder for the report, as Markdown and JSON [default: that of FILE.toml]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Threads; all cores when not given. The models do not depend on it
    #[arg(long, value_name = "N", value_parser = limits::threads)]
    threads: Option<usize>,

    /// Train everything anew, whatever is in the cache
    #[arg(long)]
    fresh: bool,

    /// Print the runs and stop
    #[arg(long)]
    plan: bool,

    /// Print the plan as JSON; reports are written as JSON too
    #[arg(long, requires = "plan")]
    json: bool,
}

/// Benches a model in a process of its own: this one holds data, other models and the threads of training.
fn measure(subject: &Subject) -> Result<Alone, String> {
    // The command of the Python package runs inside of Python and says how it is started.
    let program = match std::env::var_os("PLEACH_PROGRAM") {
        Some(program) => program.into(),
        None => std::env::current_exe().map_err(|error| error.to_string())?,
    };
    let mut command = Command::new(program);
    command.arg("bench").arg("-m").arg(&subject.model).arg(&subject.data).args(["--rounds", "1", "--json"]);
    if let Some(format) = subject.format {
        command.args(["--from", format.name()]);
    }
    for (key, value) in &subject.changes {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let json: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let beam = &json["beams"][0];
    Ok(Alone {
        tokens_per_second: beam["tokens_per_cpu_second"].as_f64().unwrap_or(0.0),
        exponent: beam["exponent"].as_f64(),
        peak_memory_bytes: json["peak_memory_bytes"].as_u64(),
    })
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let experiment = Experiment::read(&args.file)?;
    if args.json {
        let runs = |set: &str| -> Vec<Value> {
            experiment.runs.iter().map(|run| serde_json::json!({"data": set, "run": run.name})).collect()
        };
        let plan: Vec<Value> = experiment.data.iter().flat_map(|set| runs(&set.name)).collect();
        return output::print(format!("{:#}\n", Value::from(plan)));
    }
    if args.plan {
        for set in &experiment.data {
            for run in &experiment.runs {
                output::print(format!("{}\t{}\n", visible(&set.name), visible(&run.name)))?;
            }
        }
        return Ok(());
    }
    // A report that can't be written is told before hours of training.
    let folder = args.output.clone().unwrap_or_else(|| folder_of(&args.file).to_owned());
    std::fs::create_dir_all(&folder).map_err(Output::unwritten(Some(&folder)))?;
    let stop = stop::on_ctrl_c()?;
    let commit = commit(&args.file);
    let options = Options {
        folder: args.data,
        cache: args.cache,
        fresh: args.fresh,
        measure: Some(Box::new(measure)),
        commit: commit.clone(),
    };
    let mut progress = Progress::new(experiment.runs.len() * experiment.data.len());
    let mut watch = |event: Event<'_>| {
        progress.hear(&event);
        if stop.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let pool = limits::pool(args.threads)?;
    let results = pool.install(|| experiment.run(&options, &mut watch))?;
    progress.clear();
    let Some(results) = results else {
        return Err(Failure::Stopped("stopped; the same command goes on from here".into()));
    };
    let origin = Origin { command: command_line(&args.file), commit };
    let json = format!("{:#}\n", experiment.json(&results, &origin));
    let mut files = experiment.plots(&results);
    files.push((format!("{}.md", experiment.name), experiment.markdown(&results, &origin)));
    files.push((format!("{}.json", experiment.name), json));
    for (name, text) in files {
        let path = folder.join(name);
        output::save(&path, text.as_bytes())?;
        say!("wrote {}", path.display());
    }
    Ok(())
}

/// The command that gives the same report. Where data, cache and report lie on this machine is nobody else's business.
fn command_line(file: &Path) -> String {
    let file = file.display().to_string();
    let quote = if file.contains(char::is_whitespace) { "'" } else { "" };
    format!("pleach experiment {quote}{file}{quote}")
}

/// The folder that a file lies in.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The commit of the folder that the experiment lies in, if it is a Git checkout.
fn commit(file: &Path) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder_of(file))
        .args(["rev-parse", "--short", "HEAD"])
        .output()
        .ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}

/// The length of one run in the bar over all of them.
const RUN: u64 = 1000;

/// Two bars on a terminal, all runs and the current one; a line per run everywhere.
struct Progress {
    bars: MultiProgress,
    all: ProgressBar,
    current: ProgressBar,
    runs: usize,
    done: usize,
    training: bool,
    /// Sentences of an epoch.
    sentences: usize,
}

impl Progress {
    fn new(runs: usize) -> Self {
        let bars = MultiProgress::new();
        if !std::io::stderr().is_terminal() {
            bars.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        let bar = |length: u64, template: &str| {
            let bar = bars.add(ProgressBar::new(length));
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        };
        let all = bar(
            runs as u64 * RUN,
            "{prefix:24!} {bar:20} {percent:>3} %  {elapsed_precise} (ETA {eta_precise})",
        );
        let current = bar(0, "{prefix:24!} {bar:20} {percent:>3} %  {msg:26!}");
        all.set_prefix(format!("run 1 of {runs}"));
        Progress { bars, all, current, runs, done: 0, training: false, sentences: 0 }
    }

    fn clear(&self) {
        self.current.finish_and_clear();
        self.all.finish_and_clear();
    }

    fn say(&self, line: &str) {
        self.bars.suspend(|| say!("{line}"));
    }

    fn run_over(&mut self) {
        self.done += 1;
        self.training = false;
        self.all.set_position(self.done as u64 * RUN);
        self.all.set_prefix(format!("run {} of {}", (self.done + 1).min(self.runs), self.runs));
    }

    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Read { .. } => {}
            Event::Cached { run, data } => {
                self.say(&format!("{data}  {run}: in the cache"));
                self.run_over();
                self.all.reset_eta();
            }
            Event::Started { run, data, work } => {
                self.training = true;
                self.current.set_length(*work as u64);
                self.current.set_position(0);
                self.current.set_message("");
                self.current.set_prefix(visible(&format!("{data}  {run}")).into_owned());
            }
            Event::Train(event) => self.hear_trainer(event),
            Event::Finished { run, data, result } => {
                let speed = result.tokens_per_second;
                self.say(&format!("{data}  {run}: {}, {speed:.0} words/s", result.scores));
                if self.training {
                    self.run_over();
                }
            }
        }
    }

    fn hear_trainer(&mut self, event: &train::Event) {
        match event {
            train::Event::Stage { name, .. } => self.current.set_message(name.clone()),
            train::Event::Prepared { sentences, epochs, .. } => {
                self.sentences = *sentences;
                self.current.set_length((sentences * epochs) as u64);
            }
            train::Event::Resumed { epoch } => self.current.set_message(format!("epoch {epoch}, resumed")),
            train::Event::Step { epoch, done, .. } => {
                let position = ((epoch - 1) * self.sentences + done) as u64;
                self.current.set_position(position);
                let share = position * RUN / self.current.length().unwrap_or(0).max(1);
                self.all.set_position(self.done as u64 * RUN + share.min(RUN));
            }
            train::Event::Epoch { epoch, dev, .. } => {
                let dev = dev.as_ref().map_or(String::new(), |dev| format!(", {dev}"));
                self.current.set_message(format!("epoch {epoch}{dev}"));
            }
        }
    }
}
