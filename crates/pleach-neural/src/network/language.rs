//! A language model's loss (Peters et al. 2018; sun-2019, section 6.5): the forward half of a node's encoding predicts the
//! word behind it, the backward half the word before it, with one table of words for both.
//!
//! The softmax over all words is replaced by one over the true word and a sample S of words, the same for all rows of a
//! batch (Jean et al. 2015):
//!
//! ```text
//! forward    s_w = h·W_w + b_w − log E_w      L = −log( e^s_gold / (e^s_gold + Σ_{w∈S, w≠gold} e^s_w) )
//! backward   ds = p − [gold]     dh = Σ ds_w W_w     dW_w += Σ ds_w h     db_w += Σ ds_w
//! ```
//!
//! E_w is how often w is expected in the sample; a sample of all words has E = 1, and L is exact. O(rows · |S| · hidden).

use super::batch::Batch;
use super::pass::Pass;
use crate::NeuralError;
use crate::kernel::elementwise::{add_scaled, dot};
use crate::kernel::loss::softmax;
use crate::kernel::product::{Matrix, Target, add_product, product};
use crate::random::Random;
use crate::tensors::Slot;

/// Words to compare the true ones with.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Distinct classes.
    classes: Vec<u32>,
    /// How many were drawn; 0 if these are all classes.
    drawn: usize,
    all: usize,
}

impl Samples {
    /// All classes: the exact loss.
    pub fn all(classes: usize) -> Self {
        Samples { classes: (0..classes as u32).collect(), drawn: 0, all: classes }
    }

    /// Draws so many times from classes that are sorted by frequency, by Zipf's law: class w with probability
    /// log((w+2)/(w+1)) / log(classes+1).
    pub fn draw(count: usize, classes: usize, random: &mut Random) -> Self {
        let log = (classes as f64 + 1.0).ln();
        let draw = |_| {
            let uniform = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
            (((uniform * log).exp() - 1.0) as usize).min(classes - 1) as u32
        };
        let mut drawn: Vec<u32> = (0..count).map(draw).collect();
        drawn.sort_unstable();
        drawn.dedup();
        Samples { classes: drawn, drawn: count, all: classes }
    }

    /// log E.
    fn expected(&self, class: u32) -> f32 {
        if self.drawn == 0 {
            return 0.0;
        }
        let class = f64::from(class);
        let share = ((class + 2.0) / (class + 1.0)).ln() / (self.all as f64 + 1.0).ln();
        // The chance to be drawn at least once.
        (-f64::exp_m1(self.drawn as f64 * f64::ln_1p(-share))).ln() as f32
    }
}

/// The rows of a batch that predict, each with its direction and its true class. Class 0 is the end of a sentence.
fn predictions(batch: &Batch, words: &[Vec<u32>]) -> Vec<(usize, usize, u32)> {
    let mut rows = Vec::new();
    for (sentence, words) in words.iter().enumerate() {
        let class = |word: usize| words.get(word).copied().unwrap_or(0);
        // Node 0 is the root, before the first word.
        for node in 0..=words.len() {
            rows.push((batch.row(sentence, node), 0, class(node)));
            if node > 0 {
                let before = if node == 1 { 0 } else { class(node - 2) };
                rows.push((batch.row(sentence, node), 1, before));
            }
        }
    }
    rows
}

impl Pass<'_> {
    /// The loss of predicting the classes of all words, for each sentence its words' classes: the sum, and the number of
    /// predictions. In training, gradients times `weight` are added.
    pub fn language(
        &mut self,
        words: &[Vec<u32>],
        samples: &Samples,
        weight: f32,
    ) -> Result<(f64, usize), NeuralError> {
        let network = self.network;
        let (Some(parts), Some(settings)) = (network.parts.language, network.settings.language) else {
            return Err(NeuralError::NoHead("language model".into()));
        };
        let fits = words.len() == self.batch.len()
            && words.iter().zip(self.batch.lengths()).all(|(words, &nodes)| words.len() + 1 == nodes)
            && words.iter().flatten().all(|&class| (class as usize) < settings.classes)
            && samples.all == settings.classes;
        if !fits {
            return Err(NeuralError::NoHead("class for some word of the text".into()));
        }
        let (hidden, width) = (network.settings.encoder.hidden, network.settings.encoding_width());
        let (table, bias) = (parts.weight.of(&network.weights), parts.bias.of(&network.weights));
        let rows = predictions(self.batch, words);
        let (count, sampled) = (rows.len(), samples.classes.len());
        let memory = &mut *self.memory;
        let mut h = memory.take(count * hidden);
        for (h, &(row, direction, _)) in h.chunks_exact_mut(hidden).zip(&rows) {
            h.copy_from_slice(&self.encodings[row * width + direction * hidden..][..hidden]);
        }
        let mut chosen = memory.take(sampled * hidden);
        for (own, &class) in chosen.chunks_exact_mut(hidden).zip(&samples.classes) {
            own.copy_from_slice(&table[class as usize * hidden..][..hidden]);
        }
        let mut scores = memory.take(count * sampled);
        let columns = Matrix::new(&chosen, sampled, hidden);
        product(Matrix::new(&h, count, hidden), columns.transposed(), Target::new(&mut scores, sampled));
        let offsets: Vec<f32> =
            samples.classes.iter().map(|&class| bias[class as usize] - samples.expected(class)).collect();
        let mut loss = 0.0;
        let (mut row_scores, mut d) = (vec![0.0; sampled + 1], vec![0.0; sampled + 1]);
        let mut d_gold = vec![0.0; count];
        for (i, &(_, _, gold)) in rows.iter().enumerate() {
            let own = &h[i * hidden..][..hidden];
            let all = &mut scores[i * sampled..][..sampled];
            row_scores[0] = dot(own, &table[gold as usize * hidden..][..hidden]) + bias[gold as usize]
                - samples.expected(gold);
            for ((to, score), offset) in row_scores[1..].iter_mut().zip(&*all).zip(&offsets) {
                *to = score + offset;
            }
            // The true word is there already.
            if let Ok(place) = samples.classes.binary_search(&gold) {
                row_scores[place + 1] = f32::NEG_INFINITY;
            }
            loss += softmax(&row_scores, 0, weight, &mut d);
            d_gold[i] = d[0];
            all.copy_from_slice(&d[1..]);
        }
        if let Some(training) = &mut self.training {
            let mut dh = memory.take(count * hidden);
            let d_scores = Matrix::new(&scores, count, sampled);
            product(d_scores, columns, Target::new(&mut dh, hidden));
            let mut d_chosen = memory.zeros(sampled * hidden);
            let transposed = d_scores.transposed();
            add_product(transposed, Matrix::new(&h, count, hidden), Target::new(&mut d_chosen, hidden));
            let [d_table, d_bias] = Slot::split([parts.weight, parts.bias], training.gradient);
            for (i, &(row, direction, gold)) in rows.iter().enumerate() {
                let place = gold as usize * hidden;
                add_scaled(&mut dh[i * hidden..][..hidden], d_gold[i], &table[place..][..hidden]);
                add_scaled(&mut d_table[place..][..hidden], d_gold[i], &h[i * hidden..][..hidden]);
                d_bias[gold as usize] += d_gold[i];
                let to = &mut training.d_encodings[row * width + direction * hidden..][..hidden];
                add_scaled(to, 1.0, &dh[i * hidden..][..hidden]);
            }
            for (own, &class) in d_chosen.chunks_exact(hidden).zip(&samples.classes) {
                add_scaled(&mut d_table[class as usize * hidden..][..hidden], 1.0, own);
            }
            for row in scores.chunks_exact(sampled) {
                samples.classes.iter().zip(row).for_each(|(&class, d)| d_bias[class as usize] += d);
            }
            [dh, d_chosen].into_iter().for_each(|buffer| memory.give(buffer));
        }
        [h, chosen, scores].into_iter().for_each(|buffer| memory.give(buffer));
        Ok((loss, count))
    }
}
