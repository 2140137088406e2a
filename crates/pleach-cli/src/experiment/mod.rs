//! `pleach experiment`: grids of training runs, the tables they fill and the findings that show in them.

mod budget;
mod progress;

use crate::failure::Failure;
use crate::output::Output;
use crate::say::say;
use crate::{limits, output, stop};
use pleach_graph::visible;
use pleach_lab::experiment::{
    Alone, Costs, Ended, Event, Experiment, ExperimentError, LeftOut, Member, Options, Page, Subject, run_all,
};
use progress::Progress;
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  pleach experiment my.toml                                  writes my.md and my.json beside it
  pleach experiment experiments/labels.toml -o docs/results  writes docs/results/labels.md and .json
  pleach experiment experiments/labels.toml --data ~/corpora -o /tmp
  pleach experiment my.toml --plan                           the runs, nothing trained
  pleach experiment experiments/*.toml --budget 60m -o docs/results
                                  the cheapest first, as far as the time goes; the same command goes on
  pleach experiment experiments/*.toml -o docs/results --findings docs/results/findings.toml
                                  the page of all findings (README.md in -o), from the reports there; nothing is run

The file:
  title = \"Two systems\"
  notes = [\"Gold tags.\"]              # paragraphs under the title
  folder = \"../data\"                  # where data files are, from the file's place; --data replaces it
  seeds = 3                           # every run with seeds 1, 2 and 3 (or a list): means and spreads
  diversity = [\"st\", \"ss\"]            # agreement of every two models; true for all runs
  [defaults]                          # keys of recipes (see `pleach train --show-recipe`), for all runs
  epochs = 6
  [data.en]
  train = \"en/train.conllu\"
  dev = \"en/dev.conllu\"
  limit = 4000                        # the first sentences only
                                      # held_out = 12 in place of dev: every 12th training sentence is dev
                                      # crossing = 0.3: leave out projective trees until 30 % are not;
                                      # crossing_graphs likewise
                                      # guarantees = true: measure what `pleach parse` gives by default, not what
                                      # parsers find by themselves (the same models)
  [recipes.st]
  preset = \"st-combined\"
  [recipes.ss]
  preset = \"ss-combined\"
  [axes]                              # crossed with every recipe; runs are `st beam=1`, `st beam=16` …
  beam = [1, 16]
  [votes.both]
  runs = [\"st beam=16\", \"ss beam=16\"]
  threshold = 0.5
  [votes.weighed]
  runs = [\"st beam=16\", \"ss beam=16\"]
  weighted = true                     # weights and scores count; learnt for each half of dev from the other
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
    /// The experiments
    #[arg(value_name = "FILE.toml", num_args = 1.., required = true)]
    files: Vec<PathBuf>,

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

    /// Stop in time (90s, 60m, 2h) and say what was left out
    #[arg(long, value_name = "TIME", value_parser = budget::budget)]
    budget: Option<Duration>,

    /// Write the page of findings that this file describes, from the reports that are there; nothing is run
    #[arg(long, value_name = "PAGE.toml", conflicts_with_all = ["plan", "budget", "fresh"])]
    findings: Option<PathBuf>,

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
    let experiments: Vec<Experiment> =
        args.files.iter().map(|file| Experiment::read(file)).collect::<Result<_, _>>()?;
    if args.plan {
        return print_plan(&experiments, args.json);
    }
    if let Some(page) = &args.findings {
        return write_findings(page, &args, experiments);
    }
    // A report that can't be written is told before hours of training.
    for file in &args.files {
        let folder = args.folder(file);
        std::fs::create_dir_all(&folder).map_err(Output::unwritten(Some(&folder)))?;
    }
    let stop = stop::on_ctrl_c()?;
    let options = Options {
        folder: args.data.clone(),
        cache: args.cache.clone(),
        fresh: args.fresh,
        measure: Some(Box::new(measure)),
        commit: option_env!("PLEACH_COMMIT").map(str::to_owned),
    };
    let members: Vec<Member<'_>> = experiments
        .iter()
        .zip(&args.files)
        .map(|(experiment, file)| {
            let costs =
                args.report(file, &experiment.name).map_or_else(Costs::default, |report| Costs::of(&report));
            Member { experiment, costs }
        })
        .collect();
    let runs = experiments
        .iter()
        .map(|experiment| experiment.runs.len() * experiment.data.len() * experiment.times());
    let mut progress = Progress::new(runs.sum());
    let mut watch = |event: Event<'_>| {
        progress.hear(&event);
        if stop.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut report = |place: usize, experiment: &Experiment, results: &_| {
        let command = command_line(&args.files[place]);
        let json = format!("{:#}\n", experiment.json(results, &command));
        let mut files = experiment.plots(results, &|name| {
            let other = args.report(&args.files[place], name);
            if other.is_none() {
                say!("{}: no report {name} beside it, so its picture lacks these points", experiment.name);
            }
            other
        });
        files.push((format!("{}.md", experiment.name), experiment.markdown(results, &command)));
        files.push((format!("{}.json", experiment.name), json));
        for (name, text) in files {
            let path = args.folder(&args.files[place]).join(name);
            output::save(&path, text.as_bytes()).map_err(|failure| ExperimentError::Unwritten {
                file: path.display().to_string(),
                message: failure.to_string(),
            })?;
            say!("wrote {}", path.display());
        }
        Ok(())
    };
    let pool = limits::pool(args.threads)?;
    let Ended { left_out, failed, stopped } =
        pool.install(|| run_all(&members, &options, args.budget, &mut watch, &mut report))?;
    progress.clear();
    if stopped {
        return Err(Failure::Stopped("stopped; the same command goes on from here".into()));
    }
    say_left_out(&left_out);
    if failed.is_empty() {
        return Ok(());
    }
    for (name, message) in &failed {
        say!("not run: {name}: {message}");
    }
    Err(ExperimentError::NotAll { names: failed.into_iter().map(|(name, _)| name).collect() }.into())
}

impl Args {
    /// Where the report of an experiment goes.
    fn folder(&self, file: &Path) -> PathBuf {
        self.output.clone().unwrap_or_else(|| folder_of(file).to_owned())
    }

    /// The report that is there of an experiment with this name, beside that of a file.
    fn report(&self, file: &Path, name: &str) -> Option<Value> {
        let path = self.folder(file).join(format!("{name}.json"));
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

fn print_plan(experiments: &[Experiment], json: bool) -> Result<(), Failure> {
    let mut plan: Vec<Value> = Vec::new();
    for experiment in experiments {
        for set in &experiment.data {
            for run in &experiment.runs {
                match json {
                    true => plan.push(serde_json::json!({"data": set.name, "run": run.name})),
                    false => output::print(format!("{}\t{}\n", visible(&set.name), visible(&run.name)))?,
                }
            }
        }
    }
    if json { output::print(format!("{:#}\n", Value::from(plan))) } else { Ok(()) }
}

/// Says which runs there was no time for, by experiment and data set.
fn say_left_out(left_out: &[LeftOut]) {
    let same = |a: &LeftOut, b: &LeftOut| (&a.experiment, &a.data) == (&b.experiment, &b.data);
    for runs in left_out.chunk_by(same) {
        let minutes = runs.iter().map(|run| run.seconds).sum::<f64>() / 60.0;
        let names: Vec<&str> = runs.iter().map(|run| run.run.as_str()).collect();
        let (experiment, data) = (&runs[0].experiment, &runs[0].data);
        say!("left out: {experiment}, {data}, about {minutes:.1} CPU minutes: {}", names.join("; "));
    }
}

fn write_findings(page: &Path, args: &Args, experiments: Vec<Experiment>) -> Result<(), Failure> {
    let name = page.display().to_string();
    let text =
        std::fs::read_to_string(page).map_err(|source| ExperimentError::Io { file: name.clone(), source })?;
    let page = Page::parse(&name, &text)?;
    let reports: Vec<Option<Value>> = args
        .files
        .iter()
        .zip(&experiments)
        .map(|(file, experiment)| args.report(file, &experiment.name))
        .collect();
    let mut together: Vec<(Experiment, Option<Value>)> = experiments.into_iter().zip(reports).collect();
    // In whatever order a shell names the files, the page is the same.
    together.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    let path = args.folder(&args.files[0]).join("README.md");
    output::save(&path, page.markdown(&together)?.as_bytes())?;
    say!("wrote {}", path.display());
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
