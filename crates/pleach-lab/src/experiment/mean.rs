//! The mean of what one run reached with several seeds.

use super::cache::{Measurement, RunRecord};
use super::finding::mean_and_spread;
use super::report::cell;
use pleach_model::Scores;

impl RunRecord {
    /// The mean of records of one run, at least one; what is no number is the first one's, and a kept epoch has no mean.
    pub(super) fn mean(records: &[RunRecord]) -> RunRecord {
        let Some(first) = records.first() else { return RunRecord::default() };
        if records.len() == 1 {
            return first.clone();
        }
        let n = records.len() as f64;
        let all = || records.iter().map(|record| &record.result);
        let mean = |value: fn(&Measurement) -> f64| all().map(value).sum::<f64>() / n;
        let scores = |of: fn(&Measurement) -> &Scores| {
            let sum =
                all().skip(1).fold(of(&first.result).clone(), |sum, next| sum.zip(of(next), |a, b| a + b));
            sum.zip(&sum, |value, _| value / n)
        };
        let result = Measurement {
            scores: scores(|result| &result.scores),
            recalls: scores(|result| &result.recalls),
            tokens_per_second: mean(|result| result.tokens_per_second),
            train_seconds: mean(|result| result.train_seconds),
            train_cpu_seconds: mean(|result| result.train_cpu_seconds),
            model_bytes: mean(|result| result.model_bytes as f64).round() as u64,
            epoch: None,
            ..first.result.clone()
        };
        RunRecord { result, ..first.clone() }
    }
}

/// The standard deviation of a column over seeds; none for one seed.
pub(super) fn spread(seeds: &[RunRecord], column: &str) -> Option<f64> {
    let values: Vec<f64> =
        seeds.iter().filter_map(|record| cell(record, column)).map(|cell| cell.0).collect();
    mean_and_spread(&values).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_have_a_mean_and_a_spread() {
        let record = |lf: f64, bytes: u64| RunRecord {
            key: lf.to_string(),
            result: Measurement {
                scores: Scores::new([("LF", lf), ("UF", 2.0 * lf)]),
                recalls: Scores::new([("LRNL", lf / 2.0)]),
                model_bytes: bytes,
                epoch: Some(3),
                ..Measurement::default()
            },
            ..RunRecord::default()
        };
        let seeds = [record(70.0, 10), record(72.0, 20), record(74.0, 30)];
        let mean = RunRecord::mean(&seeds);
        assert_eq!((mean.result.scores.get("LF"), mean.result.scores.get("UF")), (Some(72.0), Some(144.0)));
        assert_eq!((mean.result.model_bytes, mean.result.epoch, mean.key.as_str()), (20, None, "70"));
        assert_eq!((mean.result.recalls.get("LRNL"), spread(&seeds, "LRNL")), (Some(36.0), Some(1.0)));
        assert_eq!(spread(&seeds, "LF"), Some(2.0));
        assert_eq!((spread(&seeds[..1], "LF"), spread(&seeds, "CUR")), (None, None));
        assert_eq!(RunRecord::mean(&seeds[..1]), seeds[0]);
    }
}
