//! How fast a parser is: words per second for several beams side by side, and time against length.
//!
//! The rounds of the beams alternate, so that a machine that slows down for a while slows them all. Models that like to
//! parse sentences together get batches of about the same length, as `pleach parse` gives them; a sentence's time is
//! then its share of the batch's. Of its rounds the best counts. The exponent is the slope of a least-squares line through the logarithms of
//! mean length and mean time of buckets whose bounds grow by half (Figure 8 of `zhang-2016` shows the same
//! as a picture); 1 is linear.

use pleach_graph::Sentence;
use pleach_model::Scores;
use pleach_parsers::Workspace;
use pleach_parsers::{Parser, ParserError};
use rayon::prelude::*;
use serde::Serialize;
use std::error::Error;
use std::time::Instant;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The widths of the beam; empty for the model's own.
    pub beams: Vec<usize>,
    /// How often each beam parses everything.
    pub rounds: usize,
    /// On how many threads.
    pub threads: usize,
    /// Other values of recipe keys that only parsing depends on.
    pub changes: Vec<(String, toml::Value)>,
}

/// Sentences of about the same length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bucket {
    /// The shortest length, in words.
    pub from: usize,
    /// The longest.
    pub to: usize,
    /// How many sentences there are.
    pub sentences: usize,
    /// Their mean length.
    pub words: f64,
    /// The mean time of one, in microseconds.
    pub microseconds: f64,
}

/// What one beam reaches.
#[derive(Clone, Debug, Serialize)]
pub struct BeamResult {
    /// The width; `None` for the model's own.
    pub beam: Option<usize>,
    /// Words per second in the best round.
    pub tokens_per_second: f64,
    /// Words per second in the median round.
    pub tokens_per_second_median: f64,
    /// Sentences per second in the best round.
    pub sentences_per_second: f64,
    /// Sentences per second in the median round.
    pub sentences_per_second_median: f64,
    /// Words per second of processor time, in the best round: what another job on the machine doesn't change.
    pub tokens_per_cpu_second: f64,
    /// Time per sentence grows with its length to this power.
    pub exponent: Option<f64>,
    /// Time by length.
    pub by_length: Vec<Bucket>,
    /// Scores against the input's graphs, if it has any.
    pub scores: Option<Scores>,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Sentences in the input.
    pub sentences: usize,
    /// Words in it.
    pub tokens: usize,
    /// Threads.
    pub threads: usize,
    /// Rounds.
    pub rounds: usize,
    /// The model's size in bytes.
    pub model_bytes: usize,
    /// Seconds from nothing to the first parsed sentence: open the model, parse.
    pub first_parse_seconds: f64,
    /// The most memory the process had, in bytes, the input included; Linux only.
    pub peak_memory_bytes: Option<u64>,
    /// By beam.
    pub beams: Vec<BeamResult>,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The model can't be opened.
    #[error(transparent)]
    Open(Box<dyn Error + Send + Sync>),
    /// The model can't be used.
    #[error(transparent)]
    Parser(#[from] ParserError),
    /// The input is empty.
    #[error("there are no words to parse")]
    NoWords,
    /// The threads can't be started.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// One beam's times so far.
struct Times {
    /// Wall and processor seconds of every round.
    rounds: Vec<(f64, f64)>,
    /// The best time of each sentence, in seconds.
    best: Vec<f64>,
    scores: Option<Scores>,
}

impl Bench {
    /// Measures a model on sentences; opening it is measured too. `watch` hears how many of all rounds are done.
    pub fn run<E: Error + Send + Sync + 'static>(
        &self,
        open: impl FnOnce() -> Result<Parser, E>,
        sentences: &[Sentence],
        watch: &mut dyn FnMut(usize, usize),
    ) -> Result<Measured, BenchError> {
        let first = sentences.iter().find(|sentence| !sentence.is_empty()).ok_or(BenchError::NoWords)?;
        let mut first = first.clone();
        let start = Instant::now();
        let parser = open().map_err(|error| BenchError::Open(Box::new(error)))?;
        let mut parser = parser.with(self.changes.iter().map(|(key, value)| (key, value)))?;
        parser.parse(&mut first, &mut Workspace::default());
        let first_parse_seconds = start.elapsed().as_secs_f64();

        let annotated = sentences.iter().any(|sentence| match parser.gives_graphs() {
            true => !sentence.graph.is_empty(),
            false => sentence.tokens.iter().any(|token| token.head.is_some()),
        });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.max(1)).build()?;
        let beams: Vec<Option<usize>> = match self.beams.as_slice() {
            [] => vec![None],
            beams => beams.iter().map(|&beam| Some(beam)).collect(),
        };
        let rounds = self.rounds.max(1);
        let mut times: Vec<Times> = Vec::new();
        times.resize_with(beams.len(), || Times {
            rounds: Vec::new(),
            best: vec![f64::INFINITY; sentences.len()],
            scores: None,
        });
        for round in 0..rounds {
            for (i, &beam) in beams.iter().enumerate() {
                parser.options.search.beam = beam;
                let parsed = times[i].round(&pool, &parser, sentences);
                if times[i].scores.is_none() && annotated {
                    times[i].scores = Some(parser.scores(sentences, &parsed));
                }
                watch(round * beams.len() + i + 1, rounds * beams.len());
            }
        }
        let lengths: Vec<usize> = sentences.iter().map(words).collect();
        let tokens: usize = lengths.iter().sum();
        Ok(Measured {
            sentences: sentences.len(),
            tokens,
            threads: self.threads.max(1),
            rounds,
            model_bytes: parser.model().size(),
            first_parse_seconds,
            peak_memory_bytes: peak_memory(),
            beams: beams
                .iter()
                .zip(&times)
                .map(|(&beam, times)| times.result(beam, &lengths, tokens))
                .collect(),
        })
    }
}

impl Times {
    fn round(&mut self, pool: &rayon::ThreadPool, parser: &Parser, sentences: &[Sentence]) -> Vec<Sentence> {
        let mut parsed = sentences.to_vec();
        let cpu = std::sync::Mutex::new(0.0);
        let batch = parser.batch().max(1);
        let start = Instant::now();
        let mut order: Vec<(&mut Sentence, &mut f64)> = parsed.iter_mut().zip(&mut self.best).collect();
        if batch > 1 {
            order.sort_by_key(|(sentence, _)| sentence.len());
        }
        pool.install(|| {
            order.par_chunks_mut(batch.max(64)).for_each_init(Workspace::default, |workspace, places| {
                let clock = cpu_time::ThreadTime::now();
                let mut last = Instant::now();
                for places in places.chunks_mut(batch) {
                    let mut together: Vec<Sentence> =
                        places.iter_mut().map(|(sentence, _)| std::mem::take(*sentence)).collect();
                    parser.parse_batch(&mut together, &parser.options, workspace);
                    let now = Instant::now();
                    let share = (now - last).as_secs_f64() / together.len() as f64;
                    for ((sentence, best), parsed) in places.iter_mut().zip(together) {
                        **sentence = parsed;
                        **best = best.min(share);
                    }
                    last = now;
                }
                let seconds = clock.elapsed().as_secs_f64();
                if let Ok(mut total) = cpu.lock() {
                    *total += seconds;
                }
            });
        });
        let wall = start.elapsed().as_secs_f64();
        self.rounds.push((wall, cpu.into_inner().unwrap_or(0.0)));
        parsed
    }

    fn result(&self, beam: Option<usize>, lengths: &[usize], tokens: usize) -> BeamResult {
        let mut wall: Vec<f64> = self.rounds.iter().map(|round| round.0).collect();
        wall.sort_by(f64::total_cmp);
        let cpu = self.rounds.iter().map(|round| round.1).fold(f64::INFINITY, f64::min);
        // The median of an even number of rounds is the slower one of the middle, to promise less.
        let (best, median) = (wall[0].max(1e-9), wall[wall.len() / 2].max(1e-9));
        let by_length = buckets(lengths, &self.best);
        BeamResult {
            beam,
            tokens_per_second: tokens as f64 / best,
            tokens_per_second_median: tokens as f64 / median,
            sentences_per_second: lengths.len() as f64 / best,
            sentences_per_second_median: lengths.len() as f64 / median,
            tokens_per_cpu_second: tokens as f64 / cpu.max(1e-9),
            exponent: exponent(&by_length),
            by_length,
            scores: self.scores.clone(),
        }
    }
}

/// The words of a sentence, empty nodes not counted: the parser makes those anew.
fn words(sentence: &Sentence) -> usize {
    sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).count()
}

/// Sorts sentences into buckets; those with no sentence are left out.
fn buckets(lengths: &[usize], seconds: &[f64]) -> Vec<Bucket> {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut buckets = Vec::new();
    let mut from = 1;
    while from <= longest {
        let to = (from + from / 2).max(from);
        let here: Vec<(usize, f64)> = lengths
            .iter()
            .copied()
            .zip(seconds.iter().copied())
            .filter(|&(length, time)| (from..=to).contains(&length) && time.is_finite())
            .collect();
        if !here.is_empty() {
            let n = here.len() as f64;
            buckets.push(Bucket {
                from,
                to,
                sentences: here.len(),
                words: here.iter().map(|&(length, _)| length as f64).sum::<f64>() / n,
                microseconds: 1e6 * here.iter().map(|&(_, time)| time).sum::<f64>() / n,
            });
        }
        from = to + 1;
    }
    buckets
}

/// Buckets of fewer sentences say little.
const ENOUGH: usize = 5;

/// The slope of log time against log length; `None` with fewer than three buckets of enough sentences.
fn exponent(buckets: &[Bucket]) -> Option<f64> {
    let points: Vec<(f64, f64)> = buckets
        .iter()
        .filter(|bucket| bucket.sentences >= ENOUGH && bucket.microseconds > 0.0)
        .map(|bucket| (bucket.words.ln(), bucket.microseconds.ln()))
        .collect();
    if points.len() < 3 {
        return None;
    }
    let n = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / n, sum.1 + point.1 / n));
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (x, y) in points {
        covariance += (x - mean.0) * (y - mean.1);
        variance += (x - mean.0) * (x - mean.0);
    }
    Some(covariance / variance)
}

/// The most memory this process has had, in bytes; known on Linux only.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let lengths: Vec<usize> = (1..=60).flat_map(|length| [length; 5]).collect();
        for (power, least) in [(1.0, 0.999), (2.0, 1.98)] {
            let seconds: Vec<f64> =
                lengths.iter().map(|&length| 3e-6 * (length as f64).powf(power)).collect();
            let buckets = buckets(&lengths, &seconds);
            assert_eq!(buckets.iter().map(|bucket| bucket.sentences).sum::<usize>(), lengths.len());
            let found = exponent(&buckets).unwrap();
            assert!(found >= least && found <= power + 0.02, "{found}");
        }
    }

    #[test]
    fn too_little_data_has_no_exponent() {
        assert_eq!(exponent(&buckets(&[3, 3, 3, 3, 3, 9, 9], &[1.0; 7])), None);
        assert_eq!(exponent(&[]), None);
    }

    #[test]
    fn bounds_grow_by_half_and_leave_no_gap() {
        let lengths: Vec<usize> = (1..=40).collect();
        let buckets = buckets(&lengths, &[1.0; 40]);
        let bounds: Vec<(usize, usize)> = buckets.iter().map(|bucket| (bucket.from, bucket.to)).collect();
        assert_eq!(bounds[..5], [(1, 1), (2, 3), (4, 6), (7, 10), (11, 16)]);
        assert!(bounds.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
    }
}
