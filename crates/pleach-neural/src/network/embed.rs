//! The first layer: the inputs of each word, one after the other in a row, in the encoder's order of rows.

use super::Network;
use super::batch::Batch;
use super::dropout::Dropout;
use super::settings::{Given, Source, Table};
use super::vocabulary::{ROOT, UNKNOWN};
use crate::kernel::elementwise::{add, scale};
use crate::kernel::embedding::{gather, scatter};
use crate::kernel::{convolution, mix};
use crate::memory::Memory;
use crate::random::Random;
use crate::tensors::Slot;

/// What the backward pass needs.
#[derive(Debug, Default)]
pub(super) struct Saved {
    /// The factor of each group of columns in each row; empty without dropout.
    factors: Vec<f32>,
    /// Rows and inputs whose ids became unknown, row-major; empty without dropout of words.
    hidden: Vec<bool>,
    characters: Option<SavedCharacters>,
}

#[derive(Debug)]
struct SavedCharacters {
    embeddings: Vec<f32>,
    saved: convolution::Saved,
}

impl Network<'_> {
    /// The widths of the groups of columns that are dropped together.
    fn groups(&self) -> impl Iterator<Item = usize> + '_ {
        let inputs = self.settings.inputs.iter().map(|input| input.width);
        let characters = self.settings.characters.map(|characters| characters.output);
        inputs.chain(characters).chain(self.settings.given.iter().map(|given| given.width))
    }

    pub(super) fn embed(
        &self,
        batch: &Batch,
        training: Option<(Dropout, &mut Random)>,
        memory: &mut Memory,
    ) -> (Vec<f32>, Saved) {
        let (rows, width) = (batch.rows(), self.settings.input_width());
        let mut x = memory.take(rows * width);
        let mut saved = Saved::default();
        if let Some((dropout, random)) = training {
            saved.hidden = self.hide(dropout.words, rows, random);
            saved.factors = self.factors(dropout.inputs, rows, random);
        }
        let inputs = self.settings.inputs.len();
        let mut column = 0;
        for (i, input) in self.settings.inputs.iter().enumerate() {
            let table = self.parts.inputs[i].of(&self.weights);
            for row in 0..rows {
                let hidden = saved.hidden.get(row * inputs + i).is_some_and(|&hidden| hidden);
                let ids = if hidden { &[UNKNOWN] } else { batch.ids[i].get(row) };
                gather(table, ids, &mut x[row * width + column..][..input.width]);
            }
            column += input.width;
        }
        if let (Some(settings), Some(parts)) = (self.settings.characters, self.parts.characters) {
            let table = parts.embedding.of(&self.weights);
            let characters = &batch.spellings.characters;
            let mut embeddings = memory.take(characters.len() * settings.width);
            for (&id, row) in characters.iter().zip(embeddings.chunks_exact_mut(settings.width)) {
                gather(table, &[id], row);
            }
            let mut words = memory.take(batch.spellings.words.len() * settings.output);
            let (filter, bias) = (parts.filter.of(&self.weights), parts.bias.of(&self.weights));
            let size = self.convolution(settings);
            let list = &batch.spellings.words;
            let kept = convolution::forward(size, filter, bias, &embeddings, list, &mut words, memory);
            for (row, &word) in batch.spellings.of_row.iter().enumerate() {
                x[row * width + column..][..settings.output]
                    .copy_from_slice(&words[word as usize * settings.output..][..settings.output]);
            }
            memory.give(words);
            saved.characters = Some(SavedCharacters { embeddings, saved: kept });
            column += settings.output;
        }
        for (place, given, slots, difference) in self.given() {
            let rows = batch.vectors.chunks_exact(self.settings.given_numbers());
            for (row, vectors) in rows.enumerate() {
                let vectors = &vectors[place..][..given.numbers()];
                let x = &mut x[row * width + column..][..given.width];
                match slots {
                    Some(slots) => mix::forward(self.mix(slots), vectors, x),
                    None => x.copy_from_slice(vectors),
                }
            }
            if let Some(slot) = difference {
                let table = slot.of(&self.weights);
                for (row, &own) in batch.rows_of_table.iter().enumerate().filter(|(_, own)| **own > 0) {
                    let own = (own as usize - 1) * given.width;
                    add(&mut x[row * width + column..][..given.width], &table[own..][..given.width]);
                }
            }
            column += given.width;
        }
        self.apply_factors(&saved.factors, &mut x);
        (x, saved)
    }

    /// Adds the gradients of tables and convolution; `dx` is used up.
    pub(super) fn embed_back(
        &self,
        batch: &Batch,
        saved: Saved,
        dx: &mut [f32],
        gradient: &mut [f32],
        memory: &mut Memory,
    ) {
        let (rows, width) = (batch.rows(), self.settings.input_width());
        self.apply_factors(&saved.factors, dx);
        let inputs = self.settings.inputs.len();
        let mut column = 0;
        for (i, input) in self.settings.inputs.iter().enumerate() {
            let table = self.parts.inputs[i].of_mut(gradient);
            for row in 0..rows {
                let hidden = saved.hidden.get(row * inputs + i).is_some_and(|&hidden| hidden);
                let ids = if hidden { &[UNKNOWN] } else { batch.ids[i].get(row) };
                scatter(table, ids, &dx[row * width + column..][..input.width]);
            }
            column += input.width;
        }
        let parts = self.settings.characters.zip(self.parts.characters).zip(saved.characters);
        if let Some(((settings, parts), kept)) = parts {
            let words = &batch.spellings.words;
            let mut dy = memory.zeros(words.len() * settings.output);
            for (row, &word) in batch.spellings.of_row.iter().enumerate() {
                let d = &dx[row * width + column..][..settings.output];
                add(&mut dy[word as usize * settings.output..][..settings.output], d);
            }
            let mut de = memory.zeros(kept.embeddings.len());
            let slots = [parts.embedding, parts.filter, parts.bias];
            let [table, filter, bias] = Slot::split(slots, gradient);
            let size = self.convolution(settings);
            let w = parts.filter.of(&self.weights);
            let (e, saved) = (&kept.embeddings, &kept.saved);
            convolution::backward(size, w, filter, bias, e, &mut de, words, saved, &dy, memory);
            for (&id, row) in batch.spellings.characters.iter().zip(de.chunks_exact(settings.width)) {
                scatter(table, &[id], row);
            }
            for buffer in [dy, de, kept.embeddings] {
                memory.give(buffer);
            }
        }
        memory.give(saved.factors);
        let mut column = width - self.settings.given_width();
        for (place, given, slots, difference) in self.given() {
            if let Some(slots) = slots {
                let [layers, scale] = Slot::split(slots, gradient);
                let rows = batch.vectors.chunks_exact(self.settings.given_numbers());
                for (row, vectors) in rows.enumerate() {
                    let vectors = &vectors[place..][..given.numbers()];
                    let d = &dx[row * width + column..][..given.width];
                    mix::backward(self.mix(slots), layers, scale, vectors, d);
                }
            }
            if let Some(slot) = difference {
                let table = slot.of_mut(gradient);
                for (row, &own) in batch.rows_of_table.iter().enumerate().filter(|(_, own)| **own > 0) {
                    scatter(table, &[own - 1], &dx[row * width + column..][..given.width]);
                }
            }
            column += given.width;
        }
    }

    /// The gradient of the caller's vectors, by sentence, from that of the first layer's input after
    /// [`embed_back`](Self::embed_back).
    pub(super) fn vectors_back(&self, batch: &Batch, dx: &[f32]) -> Vec<f32> {
        let (all, width) = (self.settings.given_numbers(), self.settings.input_width());
        let mut out = vec![0.0; batch.rows() * all];
        for (packed, dx) in dx.chunks_exact(width).enumerate() {
            let mut d = &dx[width - self.settings.given_width()..];
            for (place, given, slots, _) in self.given() {
                let own = &mut out[batch.row_of_packed(packed) * all + place..][..given.numbers()];
                match slots {
                    Some(slots) => mix::backward_to_vectors(self.mix(slots), &d[..given.width], own),
                    None => own.copy_from_slice(&d[..given.width]),
                }
                d = &d[given.width..];
            }
        }
        out
    }

    /// Where the numbers of each origin of given vectors begin in a word's row, its shape, its mix, and what is added.
    fn given(&self) -> impl Iterator<Item = (usize, Given, Option<[Slot; 2]>, Option<Slot>)> + '_ {
        let mut place = 0;
        let parts = self.parts.mixes.iter().zip(&self.parts.differences);
        self.settings.given.iter().zip(parts).map(move |(&given, (&mix, &difference))| {
            place += given.numbers();
            (place - given.numbers(), given, mix, difference)
        })
    }

    fn mix(&self, slots: [Slot; 2]) -> mix::Weights<'_> {
        let [layers, scale] = slots.map(|slot| slot.of(&self.weights));
        mix::Weights { layers, scale }
    }

    fn convolution(&self, settings: super::settings::Characters) -> convolution::Size {
        convolution::Size { embedding: settings.width, radius: settings.radius, output: settings.output }
    }

    /// Which ids become unknown: of words, lemmas and affixes whose tables know only some values.
    fn hide(&self, rate: f32, rows: usize, random: &mut Random) -> Vec<bool> {
        if rate <= 0.0 {
            return Vec::new();
        }
        let lexical = |i: usize| {
            let input = &self.settings.inputs[i];
            matches!(input.table, Table::Known { .. })
                && matches!(
                    input.source,
                    Source::Form | Source::Lower | Source::Lemma | Source::Prefix | Source::Suffix
                )
        };
        let lexical: Vec<bool> = (0..self.settings.inputs.len()).map(lexical).collect();
        let mut hidden = Vec::with_capacity(rows * lexical.len());
        for _ in 0..rows {
            hidden.extend(lexical.iter().map(|&lexical| lexical && random.unit() < rate));
        }
        hidden
    }

    fn factors(&self, rate: f32, rows: usize, random: &mut Random) -> Vec<f32> {
        if rate <= 0.0 {
            return Vec::new();
        }
        let groups = self.groups().count();
        let mut factors = Vec::with_capacity(rows * groups);
        for _ in 0..rows {
            let start = factors.len();
            factors.extend((0..groups).map(|_| f32::from(u8::from(random.unit() >= rate))));
            let kept: f32 = factors[start..].iter().sum();
            let up = groups as f32 / kept.max(1.0);
            factors[start..].iter_mut().for_each(|factor| *factor *= up);
        }
        factors
    }

    fn apply_factors(&self, factors: &[f32], x: &mut [f32]) {
        if factors.is_empty() {
            return;
        }
        let groups: Vec<usize> = self.groups().collect();
        let rows = x.chunks_exact_mut(self.settings.input_width());
        for (row, factors) in rows.zip(factors.chunks_exact(groups.len())) {
            let mut column = 0;
            for (&group, &factor) in groups.iter().zip(factors) {
                scale(&mut row[column..column + group], factor);
                column += group;
            }
        }
    }
}

// The root has its own id in every table, and one character.
const _: () = assert!(ROOT == 0);
