//! Candidates for the dear part of a search: the best heads of every word by cheap scores (`du-2015` section 4.3).
//!
//! O(n² log n); a word that has any head in question keeps one in any case.

use crate::tree::Arcs;

/// The scores of the arcs of a sentence before filtering: summed over the models that take part.
#[derive(Clone, Debug, Default)]
pub struct FilterScores {
    /// Minus infinity for arcs that are out of the question.
    pub scores: Arcs,
    kept: Vec<(f32, u32)>,
}

impl FilterScores {
    /// Starts a sentence of so many nodes, the root counted: no arc is in question yet.
    pub fn reset(&mut self, nodes: usize) {
        self.scores.reset(nodes, f32::NEG_INFINITY);
    }

    /// Adds a model's score of an arc.
    pub fn add(&mut self, head: usize, dependent: usize, score: f32) {
        let known = self.scores.get(head, dependent);
        self.scores.set(head, dependent, if known == f32::NEG_INFINITY { score } else { known + score });
    }

    /// The candidates: for each word its `most` best heads among those that score more than `least`, and in any case
    /// the best one. By dependents, then by heads.
    pub fn candidates(&mut self, most: usize, least: f32, mut keep: impl FnMut(u32, u32)) {
        for dependent in 1..self.scores.nodes() {
            self.kept.clear();
            let heads = self.scores.heads_of(dependent).iter().enumerate();
            let heads = heads.filter(|&(head, &score)| head != dependent && score > f32::NEG_INFINITY);
            self.kept.extend(heads.map(|(head, &score)| (score, head as u32)));
            self.kept.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.kept.truncate(most);
            let good = self.kept.partition_point(|&(score, _)| score > least).max(1);
            self.kept.truncate(good);
            self.kept.sort_by_key(|&(_, head)| head);
            self.kept.iter().for_each(|&(_, head)| keep(head, dependent as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_the_best_heads() {
        let mut scores = FilterScores::default();
        scores.reset(4);
        for (head, dependent, score) in [(0, 1, 1.0), (2, 1, -5.0), (3, 1, 2.0), (0, 2, -9.0), (1, 2, -8.0)] {
            scores.add(head, dependent, score);
        }
        scores.add(2, 1, 4.5);
        let mut found = |most, least| {
            let mut kept = Vec::new();
            scores.candidates(most, least, |head, dependent| kept.push((head, dependent)));
            kept
        };
        assert_eq!(found(2, 0.0), [(0, 1), (3, 1), (1, 2)]);
        assert_eq!(found(usize::MAX, f32::NEG_INFINITY), [(0, 1), (2, 1), (3, 1), (0, 2), (1, 2)]);
    }
}
