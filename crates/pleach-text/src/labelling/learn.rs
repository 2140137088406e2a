//! What one example teaches: violation-fixing updates that go through the whole sequence.
//!
//! When the gold labels fall out of the beam, the weights change for the stretch since the last such place, and the
//! search goes on from the gold labels (Daumé & Marcu 2005, LaSO). Early update would throw the rest of the
//! sequence away, which for a paragraph of characters is nearly all of it. With a margin, wrong labels get a bonus in
//! training, so that the gold ones have to win clearly.

use super::search::{Search, Wanted};
use super::{Keys, Labelling};
use pleach_linear::scoring::Rows;

/// A change of a weight: feature, label, amount.
pub type Change = (u64, u16, f32);

/// Searches one example with the current weights and writes what should change; says how many stretches went wrong.
pub fn learn<L: Labelling, R: Rows>(
    labelling: &L,
    gold: &[u16],
    rows: &R,
    width: usize,
    margin: f32,
    search: &mut Search<L::History, R::Sum>,
    changes: &mut Vec<Change>,
) -> usize {
    let (mut start, mut history) = (0, L::History::default());
    let mut after = history;
    let mut labels = Vec::new();
    let mut wrong = 0;
    search.begin(history);
    for (position, &label) in gold.iter().enumerate() {
        search.advance(labelling, rows, position, width, Some(Wanted { label, margin }));
        after = labelling.next(position, after, label);
        let last = position + 1 == gold.len();
        let lost = match last {
            true => !search.beam[0].gold,
            false => search.beam.iter().all(|hypothesis| !hypothesis.gold),
        };
        if lost {
            wrong += 1;
            labels.clear();
            search.read_off(0, &mut labels);
            let stretch = Stretch { labelling, start, history };
            stretch.compare(&gold[start..=position], &labels, &mut search.keys, changes);
        }
        if lost && !last {
            (start, history) = (position + 1, after);
            search.begin(history);
        }
    }
    wrong
}

/// Some positions of a sequence, and the history before them.
struct Stretch<'a, L: Labelling> {
    labelling: &'a L,
    start: usize,
    history: L::History,
}

impl<L: Labelling> Stretch<'_, L> {
    /// The features of the gold labels minus those of the found ones.
    fn compare(&self, gold: &[u16], found: &[u16], keys: &mut Keys, changes: &mut Vec<Change>) {
        let (mut right, mut wrong) = (self.history, self.history);
        for (offset, (&good, &bad)) in gold.iter().zip(found).enumerate() {
            let position = self.start + offset;
            if good != bad {
                let both = |&key: &u64| [(key, good, 1.0), (key, bad, -1.0)];
                changes.extend(keys.local(self.labelling, position).iter().flat_map(both));
            }
            if good != bad || right != wrong {
                let of = |label: u16, sign: f32| move |&key: &u64| (key, label, sign);
                changes.extend(keys.historic(self.labelling, position, &right).iter().map(of(good, 1.0)));
                changes.extend(keys.historic(self.labelling, position, &wrong).iter().map(of(bad, -1.0)));
            }
            right = self.labelling.next(position, right, good);
            wrong = self.labelling.next(position, wrong, bad);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelling::toy::Beads;
    use pleach_linear::learner::Learner;

    /// Labels that depend on the label before are learnt without a mistake, whatever the width.
    #[test]
    fn a_regular_sequence_is_learnt() {
        for width in [1, 2, 3] {
            let beads = Beads((0..200).map(|i| (i * i + i / 3) % 5).collect());
            let mut gold = Vec::new();
            for (i, &bead) in beads.0.iter().enumerate() {
                let before = if i == 0 { 0 } else { gold[i - 1] };
                gold.push((bead as u16 + 2 * before) % 3);
            }
            let mut learner = Learner::default();
            let mut search = Search::default();
            let mut wrong = 1;
            for _ in 0..400 {
                let mut changes = Vec::new();
                wrong = learn(&beads, &gold, &learner, width, 1.0, &mut search, &mut changes);
                assert_eq!(wrong == 0, changes.is_empty());
                for (key, label, amount) in changes {
                    learner.update(key, label, amount);
                }
                learner.tick();
            }
            assert_eq!(wrong, 0, "width {width}");
            let mut labels = Vec::new();
            search.run(&beads, &learner, width, &mut labels);
            assert_eq!(labels, gold);
        }
    }
}
