//! What numbers on the command line may be: beyond these a run would only exhaust the machine.

use crate::failure::Failure;

/// The most threads.
pub const MOST_THREADS: usize = 1024;

/// The widest beam; memory grows with it, accuracy has stopped growing long before.
pub use pleach::model::recipe::WIDEST_BEAM;

/// The longest sentence that is parsed in one piece when nothing else is said.
pub const LONGEST_SENTENCE: usize = 1000;

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    number(text, MOST_THREADS)
}

/// The width of a beam.
pub fn beam(text: &str) -> Result<usize, String> {
    number(text, WIDEST_BEAM)
}

/// The words of a sentence.
pub fn words(text: &str) -> Result<usize, String> {
    number(text, pleach_transition::MAX_WORDS)
}

fn number(text: &str, most: usize) -> Result<usize, String> {
    let found = text.trim().parse().ok().filter(|number| (1..=most).contains(number));
    found.ok_or_else(|| format!("expected a number from 1 to {most}"))
}

/// Threads to work with; all cores when no number is given.
pub fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_exhaust_the_machine_are_refused() {
        assert_eq!((beam("1"), threads(" 8 ")), (Ok(1), Ok(8)));
        for bad in ["0", "-1", "100000", "1000000000", "4294967296", "99999999999999999999", "x", ""] {
            assert!(beam(bad).is_err() && threads(bad).is_err(), "{bad}");
        }
    }
}
