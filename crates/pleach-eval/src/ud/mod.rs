//! The scores of the CoNLL 2018 shared task on raw text (Zeman et al. 2018) and of the IWPT 2020 and 2021
//! shared tasks on enhanced dependencies (Bouma et al. 2020, 2021), as `conll18_ud_eval.py` and
//! `iwpt20_xud_eval.py` compute them.
//!
//! The two files must have the same characters, spaces put aside; sentences, tokens and words may differ.
//! Empty nodes are collapsed first (`collapse.rs`). Rules that are easy to miss:
//! - UFeats keeps universal features only; UAS to BLEX ignore subtypes of relations.
//! - ELAS compares heads and full labels, EULAS labels without subtypes (`nmod:of>obl:in` as `nmod>obl`).
//!   The totals of EULAS are those of ELAS, and where two labels of a pair differ in their subtypes only,
//!   the official scorer counts every gold arc with every system arc that fits, so that EULAS can be more
//!   than 1.
//! - Trees are not checked: a cycle or a second root, which the official scorers refuse, is scored as it is.
//!
//! Linear in words and arcs, see `align.rs` and `collapse.rs`. Files are scored as they come: as soon as both
//! have a sentence's end at the same place, what lies before is counted and forgotten.

mod align;
mod collapse;
mod count;
mod side;

use crate::ArcCounts;
use crate::counts::ratio;
use crate::mismatch::{Mismatch, Place};
use align::Alignment;
use pleach_graph::Sentence;
use side::Side;
use std::collections::VecDeque;
use thiserror::Error;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Surface tokens.
    Tokens,
    /// Sentences.
    Sentences,
    /// Words.
    Words,
    /// Universal tags.
    Upos,
    /// Language-specific tags.
    Xpos,
    /// Universal features.
    Ufeats,
    /// Both tags and features.
    AllTags,
    /// Lemmas.
    Lemmas,
    /// Heads.
    Uas,
    /// Heads and relations.
    Las,
    /// Heads and relations in the enhanced graph.
    Elas,
    /// The same without subtypes.
    Eulas,
    /// LAS of content words.
    Clas,
    /// CLAS with tags, features and function words.
    Mlas,
    /// CLAS with lemmas.
    Blex,
}

impl Measure {
    /// All measures in the official order.
    pub const ALL: [Measure; 15] = [
        Measure::Tokens,
        Measure::Sentences,
        Measure::Words,
        Measure::Upos,
        Measure::Xpos,
        Measure::Ufeats,
        Measure::AllTags,
        Measure::Lemmas,
        Measure::Uas,
        Measure::Las,
        Measure::Elas,
        Measure::Eulas,
        Measure::Clas,
        Measure::Mlas,
        Measure::Blex,
    ];

    /// The official name.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Tokens => "Tokens",
            Measure::Sentences => "Sentences",
            Measure::Words => "Words",
            Measure::Upos => "UPOS",
            Measure::Xpos => "XPOS",
            Measure::Ufeats => "UFeats",
            Measure::AllTags => "AllTags",
            Measure::Lemmas => "Lemmas",
            Measure::Uas => "UAS",
            Measure::Las => "LAS",
            Measure::Elas => "ELAS",
            Measure::Eulas => "EULAS",
            Measure::Clas => "CLAS",
            Measure::Mlas => "MLAS",
            Measure::Blex => "BLEX",
        }
    }

    /// Whether it is about the basic tree.
    pub fn needs_tree(self) -> bool {
        use Measure::{Blex, Clas, Las, Mlas, Uas};
        matches!(self, Uas | Las | Clas | Mlas | Blex)
    }
}

/// The measures that are kept for each gold sentence, for the bootstrap.
pub const COMPARED: [Measure; 4] = [Measure::Uas, Measure::Las, Measure::Elas, Measure::Eulas];

/// The counts of one measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Gold, system and right ones.
    pub counts: ArcCounts,
    /// Words that are aligned, where only those can be right.
    pub aligned: Option<u64>,
}

impl Score {
    /// The share of aligned words that are right.
    pub fn aligned_accuracy(&self) -> Option<f64> {
        self.aligned.and_then(|aligned| ratio(self.counts.correct, aligned))
    }
}

/// The scores of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UdScores {
    scores: [Score; Measure::ALL.len()],
    without_tree: bool,
    /// For each gold sentence the counts of [`COMPARED`]; empty unless asked for.
    pub units: Vec<[ArcCounts; COMPARED.len()]>,
}

impl UdScores {
    /// The score of a measure; `None` for those about trees when a word of either file has no HEAD.
    pub fn get(&self, measure: Measure) -> Option<Score> {
        (!measure.needs_tree() || !self.without_tree).then(|| self.scores[measure as usize])
    }

    fn at(&mut self, measure: Measure) -> &mut Score {
        &mut self.scores[measure as usize]
    }
}

/// Why two files cannot be compared.
#[derive(Debug, Error)]
pub enum UdError {
    /// The texts differ.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A token without characters.
    #[error("{0} has a form without characters")]
    EmptyForm(Box<Place>),
    /// Too many paths through empty nodes.
    #[error("{0}: more than {max} paths through its empty nodes", max = collapse::MAX_PATHS)]
    TooManyPaths(Box<Place>),
    /// Too many words under overlapping multiword tokens.
    #[error("{0}: the multiword tokens from here on have too many words to be aligned")]
    SpanTooLong(Box<Place>),
}

/// Which file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// The gold standard.
    Gold,
    /// The system's output.
    System,
}

/// Scores two files of CoNLL-U sentence by sentence.
///
/// ```
/// use pleach_eval::ud::{File, Measure, UdScorer};
/// use pleach_graph::Sentence;
///
/// let mut scorer = UdScorer::new(false);
/// scorer.push(File::Gold, &Sentence::from_forms(["can", "not", "go"]))?;
/// scorer.push(File::System, &Sentence::from_forms(["cannot"]))?;
/// scorer.push(File::System, &Sentence::from_forms(["go"]))?;
/// let scores = scorer.finish()?;
/// assert_eq!(scores.get(Measure::Words).unwrap().counts.f(), 2.0 * 1.0 / (3.0 + 2.0));
/// # Ok::<(), pleach_eval::ud::UdError>(())
/// ```
#[derive(Debug, Default)]
pub struct UdScorer {
    scores: UdScores,
    keep_units: bool,
    gold: Stream,
    system: Stream,
    alignment: Alignment,
}

/// A file: what is being aligned and what waits for its turn.
#[derive(Debug, Default)]
struct Stream {
    current: Side,
    waiting: VecDeque<Side>,
    /// Sentences seen.
    sentences: u64,
    /// Characters seen.
    characters: u64,
    /// Characters of this file that the other does not have yet, from `ahead_from` on.
    ahead: String,
    ahead_from: usize,
}

impl UdScorer {
    /// No sentences yet. With `keep_units` the counts of each gold sentence are kept.
    pub fn new(keep_units: bool) -> Self {
        UdScorer { keep_units, ..Self::default() }
    }

    /// The file that has less text so far; feeding this one keeps memory small.
    pub fn behind(&self) -> File {
        if self.gold.characters <= self.system.characters { File::Gold } else { File::System }
    }

    /// Takes the next sentence of a file.
    pub fn push(&mut self, file: File, sentence: &Sentence) -> Result<(), UdError> {
        if sentence.is_empty() {
            return Ok(());
        }
        let stream = self.stream(file);
        stream.sentences += 1;
        let side = Side::of(stream.sentences, sentence)?;
        stream.characters += side.end;
        stream.waiting.push_back(side);
        self.advance()
    }

    fn stream(&mut self, file: File) -> &mut Stream {
        match file {
            File::Gold => &mut self.gold,
            File::System => &mut self.system,
        }
    }

    /// Takes over sentences that wait as long as there are some on the side that needs them.
    fn advance(&mut self) -> Result<(), UdError> {
        loop {
            let (gold, system) = (self.gold.current.end, self.system.current.end);
            let next = if gold == system {
                if !self.close_stretch()? {
                    return Ok(());
                }
                File::Gold
            } else if gold < system {
                File::Gold
            } else {
                File::System
            };
            let Some(side) = self.stream(next).waiting.pop_front() else { return Ok(()) };
            self.check_characters(next, &side)?;
            self.stream(next).current.append(side);
        }
    }

    /// At a common end of sentences: counts what lies before and forgets it. False when that has to wait.
    ///
    /// Words that are left over on one side can still be aligned when the other goes on with a multiword
    /// token (see `Alignment::align_span`), so its next sentence has to be seen first.
    fn close_stretch(&mut self) -> Result<bool, UdError> {
        let aligned = self.alignment.advance(&self.gold.current, &self.system.current);
        aligned.map_err(|error| {
            UdError::SpanTooLong(Box::new(self.gold.current.place(error.offset).unwrap_or_default()))
        })?;
        let next = match self.alignment.rest(&self.gold.current, &self.system.current) {
            (false, false) => None,
            (true, _) => Some(&self.system.waiting),
            (_, true) => Some(&self.gold.waiting),
        };
        let keep = match next.map(|waiting| waiting.front()) {
            None => false,
            Some(None) => return Ok(false),
            Some(Some(side)) => side.words.first().is_some_and(|word| word.multiword),
        };
        if !keep {
            self.count();
        }
        Ok(true)
    }

    fn count(&mut self) {
        let (gold, system) = (&mut self.gold.current, &mut self.system.current);
        count::count(&mut self.scores, gold, system, &self.alignment.pairs, self.keep_units);
        gold.clear();
        system.clear();
        self.alignment.clear();
    }

    /// Compares the characters of a sentence with those of the other file.
    fn check_characters(&mut self, file: File, side: &Side) -> Result<(), UdError> {
        let (this, other) = match file {
            File::Gold => (&mut self.gold, &mut self.system),
            File::System => (&mut self.system, &mut self.gold),
        };
        let text = side.text();
        let ahead = &other.ahead[other.ahead_from..];
        let common = text.len().min(ahead.len());
        if text.as_bytes()[..common] != ahead.as_bytes()[..common] {
            let same = text.chars().zip(ahead.chars()).take_while(|(a, b)| a == b).count() as u64;
            let here = side.place(same).unwrap_or_default();
            let there = other.current.place(this.current.end + same).unwrap_or_default();
            let (gold, system) = match file {
                File::Gold => (here, there),
                File::System => (there, here),
            };
            return Err(Mismatch::Tokens { gold: Box::new(gold), system: Box::new(system) }.into());
        }
        other.ahead_from += common;
        if other.ahead_from == other.ahead.len() {
            other.ahead.clear();
            other.ahead_from = 0;
        }
        this.ahead.push_str(&text[common..]);
        Ok(())
    }

    /// Ends both files.
    pub fn finish(mut self) -> Result<UdScores, UdError> {
        // A side that waits has more text than the other.
        let place = |stream: &Stream, end: u64| {
            let waiting = stream.waiting.front().and_then(|side| side.place(0));
            Box::new(stream.current.place(end).or(waiting).unwrap_or_default())
        };
        if self.gold.characters > self.system.characters {
            let gold = place(&self.gold, self.system.current.end);
            return Err(Mismatch::SystemEnds { have: self.system.sentences, gold }.into());
        }
        if self.gold.characters < self.system.characters {
            let system = place(&self.system, self.gold.current.end);
            return Err(Mismatch::GoldEnds { have: self.gold.sentences, system }.into());
        }
        self.count();
        Ok(self.scores)
    }
}

#[cfg(test)]
mod tests;
