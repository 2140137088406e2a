//! How far `pleach parse` is, on standard error if that is a terminal.

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A slice of work should take about this long, so that the line moves at least once a second.
const SLICE: f64 = 0.3;

/// The line, and what it tells.
pub struct Progress {
    bar: ProgressBar,
    /// Bytes of input that were read.
    pub read: Arc<AtomicU64>,
    /// Bytes of all inputs, if they are known.
    total: Option<u64>,
    /// Bytes whose sentences are all parsed.
    parsed: u64,
    words: usize,
    /// Bytes that another run did.
    skipped: u64,
    started: Instant,
    /// Words a second, of the slices so far.
    speed: f64,
}

impl Progress {
    /// Begins; nothing is shown when standard error is no terminal or pictures are drawn on it.
    pub fn new(total: Option<u64>, shown: bool) -> Self {
        let bar = match shown && std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        let (read, started) = (Arc::default(), Instant::now());
        Progress { bar, read, total, parsed: 0, words: 0, skipped: 0, started, speed: 0.0 }
    }

    /// How many of these sentences to parse before the line moves on; all of them when nobody looks.
    pub fn slice(&self, sentences: usize, words: usize, least: usize) -> usize {
        match self.bar.is_hidden() {
            true => sentences.max(1),
            false => portion(self.speed, sentences, words, least),
        }
    }

    /// What another run did is not counted in the speed.
    pub fn skip(&mut self) {
        self.parsed = self.read.load(Ordering::Relaxed);
        (self.skipped, self.words) = (self.parsed, 0);
        self.started = Instant::now();
    }

    /// A slice is parsed: so many words in so much time, and this share of what was read.
    pub fn slice_done(&mut self, words: usize, took: Duration, share: f64) {
        let speed = words as f64 / took.as_secs_f64().max(1e-6);
        self.speed = if self.speed == 0.0 { speed } else { 0.7 * self.speed + 0.3 * speed };
        self.words += words;
        let read = self.read.load(Ordering::Relaxed);
        let bytes = self.parsed + ((read - self.parsed) as f64 * share) as u64;
        if share >= 1.0 {
            self.parsed = read;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        self.bar.set_message(line(bytes, self.total, self.skipped, self.words, seconds));
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// How many of these sentences are parsed in one slice at so many words a second, at least as many as threads can share.
fn portion(speed: f64, sentences: usize, words: usize, least: usize) -> usize {
    let wanted = speed * SLICE * sentences as f64 / words.max(1) as f64;
    (wanted as usize).max(least).min(sentences).max(1)
}

/// The line: `12.3 MiB of 50 MiB, 24 %, 12,345 words/s, 0:03:12 left`.
fn line(bytes: u64, total: Option<u64>, skipped: u64, words: usize, seconds: f64) -> String {
    let speed = (words as f64 / seconds.max(1e-3)) as u64;
    let speed = format!("{} words/s", indicatif::HumanCount(speed));
    let Some(total) = total.filter(|&total| total > 0) else {
        return format!("{}, {} words, {speed}", HumanBytes(bytes), indicatif::HumanCount(words as u64));
    };
    let bytes = bytes.min(total);
    let percent = 100 * bytes / total;
    let mut line = format!("{} of {}, {percent} %, {speed}", HumanBytes(bytes), HumanBytes(total));
    let own = bytes.saturating_sub(skipped);
    if own > 0 && seconds > 1.0 {
        let left = seconds * (total - bytes) as f64 / own as f64;
        let left = left as u64;
        line += &format!(", {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_80_columns_and_tells_the_time_left() {
        let told = line(5 << 20, Some(20 << 20), 0, 100_000, 10.0);
        assert_eq!(told, "5.00 MiB of 20.00 MiB, 25 %, 10,000 words/s, 0:00:30 left");
        let large = line((1 << 50) - 1, Some(1 << 52), 1 << 49, 123_456_789_012, 1e5);
        assert!(large.len() < 78, "{large}");
        assert_eq!(line(1 << 20, None, 0, 50, 1.0), "1.00 MiB, 50 words, 50 words/s");
    }

    #[test]
    fn what_another_run_did_says_nothing_of_the_time_left() {
        let told = line(15 << 20, Some(20 << 20), 10 << 20, 1000, 10.0);
        assert!(told.ends_with("0:00:10 left"), "{told}");
    }

    #[test]
    fn slices_are_small_only_when_somebody_looks() {
        assert_eq!(Progress::new(None, false).slice(1000, 20_000, 8), 1000);
        assert_eq!(portion(10_000.0, 1000, 20_000, 8), 150);
        // The last slice can be smaller than what threads could share; and before the first nothing is known.
        assert_eq!(
            (portion(10_000.0, 1, 20, 8), portion(0.0, 1000, 20_000, 8), portion(1.0, 0, 0, 2)),
            (1, 8, 1)
        );
    }
}
