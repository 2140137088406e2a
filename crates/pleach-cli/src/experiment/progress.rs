//! What is seen of experiments while they run.

use crate::say::say;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use pleach::train;
use pleach_graph::visible;
use pleach_lab::experiment::Event;
use std::io::IsTerminal;

/// The length of one run in the bar over all of them.
const RUN: u64 = 1000;

/// Two bars on a terminal, all runs and the current one; a line per run everywhere.
pub(super) struct Progress {
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
    pub fn new(runs: usize) -> Self {
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

    /// Takes the bars away.
    pub fn clear(&self) {
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

    /// What an experiment tells.
    pub fn hear(&mut self, event: &Event<'_>) {
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
