//! Which gold word is which system word, when the tokens differ: the rules of the CoNLL 2017 and 2018
//! shared tasks (Zeman et al. 2018, §6).
//!
//! Words that are tokens are the same when their spans are. Words of multiword tokens are aligned inside
//! the smallest span that no multiword token sticks out of, by a longest common subsequence of their
//! lower-cased forms. Linear, but for the spans with multiword tokens, which are quadratic in their words.

use super::side::{Side, Word};

/// The most cells of a table of common subsequences: 64 MB.
const MAX_CELLS: usize = 16 << 20;

/// The words of a span with multiword tokens are too many to compare.
#[derive(Debug)]
pub(super) struct SpanTooLong {
    /// Where the span starts.
    pub offset: u64,
}

/// How far two files are aligned.
///
/// Alignment can stop where both files have a sentence's end at the same offset, and go on when more text
/// is there: nothing that it looks at lies beyond such a place.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    /// Places of gold and system words that are the same, in order.
    pub pairs: Vec<(usize, usize)>,
    gold: usize,
    system: usize,
}

impl Alignment {
    /// Aligns until one of the files has no more words.
    pub fn advance(&mut self, gold: &Side, system: &Side) -> Result<(), SpanTooLong> {
        let (gold, system) = (&gold.words, &system.words);
        while self.gold < gold.len() && self.system < system.len() {
            let (g, s) = (&gold[self.gold], &system[self.system]);
            if g.multiword || s.multiword {
                self.align_span(gold, system)?;
            } else if (g.start, g.end) == (s.start, s.end) {
                self.pairs.push((self.gold, self.system));
                self.gold += 1;
                self.system += 1;
            } else if g.start <= s.start {
                self.gold += 1;
            } else {
                self.system += 1;
            }
        }
        Ok(())
    }

    /// Whether gold words, and system words, are still to come.
    pub fn rest(&self, gold: &Side, system: &Side) -> (bool, bool) {
        (self.gold < gold.words.len(), self.system < system.words.len())
    }

    pub fn clear(&mut self) {
        *self = Alignment::default();
    }

    fn align_span(&mut self, gold: &[Word], system: &[Word]) -> Result<(), SpanTooLong> {
        let (g, s) = (&gold[self.gold], &system[self.system]);
        let mut end = if g.multiword { g.end } else { s.end };
        // A word of the other side may lie before the span; only one is stepped over, as in the official
        // scorer: others before it count as part of the span.
        if g.multiword {
            self.system += usize::from(!s.multiword && s.start < g.start);
        } else {
            self.gold += usize::from(!g.multiword && g.start < s.start);
        }
        let (first_gold, first_system) = (self.gold, self.system);
        let beyond = |words: &[Word], place: usize, end: u64| match words.get(place) {
            None => true,
            Some(word) if word.multiword => word.start >= end,
            Some(word) => word.end > end,
        };
        while !beyond(gold, self.gold, end) || !beyond(system, self.system, end) {
            let take_gold = match (gold.get(self.gold), system.get(self.system)) {
                (Some(g), Some(s)) => g.start <= s.start,
                (g, _) => g.is_some(),
            };
            let word = match take_gold {
                true => &gold[self.gold],
                false => &system[self.system],
            };
            if word.multiword {
                end = end.max(word.end);
            }
            *(if take_gold { &mut self.gold } else { &mut self.system }) += 1;
        }
        self.align_by_form(
            &gold[first_gold..self.gold],
            &system[first_system..self.system],
            first_gold,
            first_system,
        )
    }

    fn align_by_form(
        &mut self,
        gold: &[Word],
        system: &[Word],
        first_gold: usize,
        first_system: usize,
    ) -> Result<(), SpanTooLong> {
        if gold.is_empty() || system.is_empty() {
            return Ok(());
        }
        let width = system.len() + 1;
        let cells = width.saturating_mul(gold.len() + 1);
        if cells > MAX_CELLS {
            return Err(SpanTooLong { offset: gold[0].start });
        }
        let lower = |words: &[Word]| words.iter().map(|word| word.form.to_lowercase()).collect::<Vec<_>>();
        let (gold, system) = (lower(gold), lower(system));
        // longest[g][s]: the longest common subsequence of what follows g and s.
        let mut longest = vec![0u32; cells];
        for g in (0..gold.len()).rev() {
            for s in (0..system.len()).rev() {
                let both = u32::from(gold[g] == system[s]) * (1 + longest[(g + 1) * width + s + 1]);
                let best = both.max(longest[(g + 1) * width + s]).max(longest[g * width + s + 1]);
                longest[g * width + s] = best;
            }
        }
        let (mut g, mut s) = (0, 0);
        while g < gold.len() && s < system.len() {
            if gold[g] == system[s] {
                self.pairs.push((first_gold + g, first_system + s));
                g += 1;
                s += 1;
            } else if longest[g * width + s] == longest[(g + 1) * width + s] {
                g += 1;
            } else {
                s += 1;
            }
        }
        Ok(())
    }
}
