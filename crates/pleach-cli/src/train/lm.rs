//! `pleach train lm`: from text to a language model.

use super::Args;
use crate::failure::Failure;
use crate::say::say;
use crate::setting::Setting;
use crate::{limits, output, stop};
use indicatif::{ProgressBar, ProgressStyle};
use pleach::language::{LanguageKeys, LanguageRun, Told};
use pleach::recipe::as_written;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Instant;

/// What stands in the place of a recipe.
pub const NAME: &str = "lm";

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.recipe.as_deref().is_none_or(|name| name.as_os_str() != NAME) {
        return Err(Failure::Usage("--text is for 'pleach train lm'; others learn from --train".into()));
    }
    let keys = keys(args)?;
    if args.show_recipe {
        let table = toml::Table::try_from(keys)?;
        let table: toml::Table = table.into_iter().map(|(key, value)| (key, as_written(value))).collect();
        return output::print(toml::to_string(&table)?);
    }
    if args.text.is_empty() {
        return Err(Failure::Usage("'pleach train lm' learns from text: --text FILES".into()));
    }
    let Some(path) = &args.output else { return Err(Failure::Usage("-o is needed".into())) };
    let run = LanguageRun { keys, files: args.text.clone(), output: path.clone(), fresh: args.fresh };
    let stop = stop::on_ctrl_c()?;
    let mut report = Report::new();
    let mut watch = |told: Told| {
        report.hear(&told);
        if stop.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let done = limits::pool(args.threads)?.install(|| run.run(&mut watch));
    report.bar.finish_and_clear();
    match done {
        Ok(true) => {
            say!("wrote {}", path.display());
            if args.json {
                output::print(format_args!("{}\n", super::json::written(path, None)))?;
            }
            Ok(())
        }
        Ok(false) => Err(Failure::Stopped("stopped; the same command goes on from here".into())),
        Err(error) => Err(Failure::Data(error)),
    }
}

/// The keys of the run: those that are given, of the model or of its training.
fn keys(args: &Args) -> Result<LanguageKeys, Failure> {
    let wrong = |message: String| Failure::Usage(message);
    let mut table = toml::Table::try_from(LanguageKeys::default())?;
    for Setting { key, value } in &args.set {
        let in_model = table.get("model").and_then(|model| model.get(key)).is_some();
        let place = match table.get_mut("model").and_then(toml::Value::as_table_mut) {
            Some(model) if in_model => model,
            _ => &mut table,
        };
        let known = place.get(key).ok_or_else(|| wrong(format!("no key '{key}' of language models")))?;
        let value = match (known, value) {
            (toml::Value::Float(_), toml::Value::Integer(whole)) => toml::Value::Float(*whole as f64),
            (_, value) => value.clone(),
        };
        place.insert(key.clone(), value);
    }
    let mut keys: LanguageKeys =
        table.try_into().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    keys.epochs = args.epochs.unwrap_or(keys.epochs);
    keys.seed = args.seed.map_or(keys.seed, u64::from);
    Ok(keys)
}

/// Shows a run: a bar on a terminal, elsewhere a line every tenth of it.
struct Report {
    bar: ProgressBar,
    started: Instant,
    first: u64,
    words: u64,
    loss: f64,
    tenth: u64,
}

impl Report {
    fn new() -> Self {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = "{bar:30} {pos}/{len} steps  {msg}  {elapsed_precise} (ETA {eta_precise})";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Report { bar, started: Instant::now(), first: 0, words: 0, loss: 0.0, tenth: 0 }
    }

    fn hear(&mut self, told: &Told) {
        match *told {
            Told::Counted { words, classes, steps } => {
                self.bar.set_length(steps);
                say!("{words} words, {classes} classes, {steps} steps");
            }
            Told::Resumed(progress) => {
                self.first = progress.steps;
                self.tenth = u64::MAX;
                say!("going on after step {} of an earlier run", progress.steps);
            }
            Told::Step { progress, steps, loss, words } => {
                self.words += words as u64;
                self.loss = if self.loss == 0.0 { loss } else { 0.99 * self.loss + 0.01 * loss };
                let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
                let speed = self.words as f64 / seconds;
                let message =
                    format!("epoch {}, loss {:.3}, {speed:.0} words/s", progress.epoch + 1, self.loss);
                let tenth = progress.steps * 10 / steps.max(1);
                if self.bar.is_hidden() && tenth != self.tenth {
                    let done = (progress.steps - self.first).max(1);
                    let left = seconds / done as f64 * (steps - progress.steps) as f64;
                    say!("step {} of {steps}: {message}, {left:.0} s left", progress.steps);
                }
                self.tenth = tenth;
                self.bar.set_position(progress.steps);
                self.bar.set_message(message);
            }
            Told::Epoch { epoch, perplexity } => {
                let seconds = self.started.elapsed().as_secs_f64();
                self.bar
                    .suspend(|| say!("epoch {epoch}: held-out perplexity {perplexity:.1}, {seconds:.0} s"));
            }
        }
    }
}
