//! The averaged perceptron (Collins 2002) over hashed features.
//!
//! A weight's average over all steps is `weight - total / steps`, where `total` sums step · change: no lazy
//! clean-up is needed, and `total` is f64 so that millions of updates keep their precision. Scores read the
//! table concurrently; updates are applied one after the other, so the result never depends on threads.

use crate::lesson::Change;
use crate::prefetch::prefetch;
use crate::rows::{Place, Rows};
use crate::table::Frozen;

/// One weight of a feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Weight {
    /// The sum of step · change.
    pub total: f64,
    /// The current value.
    pub weight: f32,
    /// The action it belongs to.
    pub action: u16,
    /// How often it was changed, up to 65,535.
    pub updates: u16,
}

/// Where the row of a feature lies; an empty slot has no capacity.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    start: u32,
    len: u16,
    /// The capacity is two to this power, minus one: 0 means that the slot is empty.
    class: u16,
}

/// A growing feature table with averages.
#[derive(Debug)]
pub struct Learner {
    slots: Vec<Slot>,
    used: usize,
    weights: Vec<Weight>,
    /// The free rows by capacity class.
    free: Vec<Vec<u32>>,
    /// How many examples have passed; the clock of the averages.
    steps: u64,
    /// A weight counts once it was changed this often.
    least_updates: u16,
}

impl Default for Learner {
    fn default() -> Self {
        Learner {
            slots: vec![Slot::default(); 1 << 16],
            used: 0,
            weights: Vec::new(),
            free: Vec::new(),
            steps: 1,
            least_updates: 1,
        }
    }
}

impl Learner {
    /// A learner whose weights count once they were changed `least_updates` times (Goldberg & Elhadad 2011):
    /// features that hardly ever mattered neither overfit nor take room in the model.
    pub fn new(least_updates: u16) -> Self {
        Learner { least_updates, ..Learner::default() }
    }

    #[inline]
    fn row(&self, key: u64) -> (u32, u16) {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.class == 0 {
                return (0, 0);
            }
            if slot.key == key {
                return (slot.start, slot.len);
            }
            at = (at + 1) & mask;
        }
    }

    /// Starts to load the slots of keys.
    #[inline]
    fn load(&self, keys: &[u64]) {
        let mask = self.slots.len() - 1;
        keys.iter().for_each(|&key| prefetch(&self.slots, key as usize & mask));
    }

    /// The sum of changes times weights.
    pub fn reached(&self, changes: &[Change]) -> f32 {
        let weight = |key, action| {
            let (start, len) = self.row(key);
            let row = &self.weights[start as usize..start as usize + usize::from(len)];
            let found = row.iter().find(|weight| weight.action == action);
            found.filter(|weight| weight.updates >= self.least_updates).map_or(0.0, |weight| weight.weight)
        };
        changes.iter().map(|&(key, action, amount)| amount * weight(key, action)).sum()
    }

    /// Adds `change` to the weight of a feature and an action.
    pub fn update(&mut self, key: u64, action: u16, change: f32) {
        if (self.used + 1) * 3 > self.slots.len() * 2 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        while self.slots[at].class != 0 && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        if self.slots[at].class == 0 {
            let start = self.allocate(1);
            self.slots[at] = Slot { key, start, len: 0, class: 1 };
            self.used += 1;
        }
        let Slot { start, len, class, .. } = self.slots[at];
        let row = start as usize..start as usize + len as usize;
        let total = self.steps as f64 * f64::from(change);
        if let Some(weight) = self.weights[row].iter_mut().find(|weight| weight.action == action) {
            weight.weight += change;
            weight.total += total;
            weight.updates = weight.updates.saturating_add(1);
            return;
        }
        let mut start = start;
        if usize::from(len) == capacity(class) {
            let bigger = self.allocate(class + 1);
            self.weights.copy_within(start as usize..start as usize + len as usize, bigger as usize);
            self.free[class as usize].push(start);
            start = bigger;
            self.slots[at].start = bigger;
            self.slots[at].class = class + 1;
        }
        self.weights[start as usize + len as usize] = Weight { total, weight: change, action, updates: 1 };
        self.slots[at].len += 1;
    }

    /// One training example has passed.
    pub fn tick(&mut self) {
        self.steps += 1;
    }

    /// How many examples have passed, plus one.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How many features have a row.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The averaged weights as a compact table; weights below `least` are dropped.
    pub fn freeze(&self, least: f32) -> Frozen {
        self.freeze_with(least, false)
    }

    /// The same; with `short`, marked keys have short rows (see [`short`](crate::short)).
    pub fn freeze_with(&self, least: f32, short: bool) -> Frozen {
        let steps = self.steps as f64;
        let average = |weight: &Weight| (f64::from(weight.weight) - weight.total / steps) as f32;
        let row_of = |slot: u32, row: &mut Vec<(u16, f32)>| {
            let weights = self.weights_of(&self.slots[slot as usize]);
            let counted = weights.iter().filter(|weight| weight.updates >= self.least_updates);
            row.extend(counted.map(|weight| (weight.action, average(weight))));
        };
        let mut keys = Vec::with_capacity(self.used);
        let slots = self.slots.iter().enumerate().filter(|(_, slot)| slot.class != 0);
        keys.extend(slots.map(|(place, slot)| (slot.key, place as u32)));
        Frozen::collect(keys, row_of, least, short)
    }

    fn weights_of(&self, slot: &Slot) -> &[Weight] {
        &self.weights[slot.start as usize..slot.start as usize + slot.len as usize]
    }

    /// The features with their weights: with the number of steps, everything that training needs to go on.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &[Weight])> {
        let slots = self.slots.iter().filter(|slot| slot.class != 0);
        slots.map(|slot| (slot.key, self.weights_of(slot)))
    }

    /// Restores what [`Learner::rows`] gave, all keys, row lengths and weights; `None` when the arrays don't fit together.
    pub fn restore(
        least_updates: u16,
        steps: u64,
        keys: &[u64],
        lengths: &[u32],
        weights: &[Weight],
    ) -> Option<Self> {
        let mut learner = Learner { steps, ..Learner::new(least_updates) };
        let mut rest = weights;
        if keys.len() != lengths.len() {
            return None;
        }
        for (&key, &len) in keys.iter().zip(lengths) {
            let (row, behind) = rest.split_at_checked(len as usize)?;
            rest = behind;
            for weight in row {
                learner.update(key, weight.action, 0.0);
                let mask = learner.slots.len() - 1;
                let mut at = key as usize & mask;
                while learner.slots[at].key != key || learner.slots[at].class == 0 {
                    at = (at + 1) & mask;
                }
                let slot = learner.slots[at];
                learner.weights[slot.start as usize + slot.len as usize - 1] = *weight;
            }
        }
        rest.is_empty().then_some(learner)
    }

    fn allocate(&mut self, class: u16) -> u32 {
        while self.free.len() <= class as usize {
            self.free.push(Vec::new());
        }
        if let Some(start) = self.free[class as usize].pop() {
            return start;
        }
        let start = self.weights.len() as u32;
        self.weights.resize(self.weights.len() + capacity(class), Weight::default());
        start
    }

    fn grow(&mut self) {
        let bigger = vec![Slot::default(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, bigger);
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|slot| slot.class != 0) {
            let mut at = slot.key as usize & mask;
            while self.slots[at].class != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }
}

impl Rows for Learner {
    type Sum = f32;

    fn add(&self, keys: &[u64], found: &mut Vec<Place>, sums: &mut [f32]) {
        self.load(keys);
        found.clear();
        self.find(keys, found);
        self.add_found(found, sums);
    }

    #[inline]
    fn expect(&self, keys: &[u64]) {
        self.load(keys);
    }

    fn sift(&self, keys: &mut [u64], from: usize, end: usize, to: usize) -> usize {
        keys.copy_within(from..end, to);
        to + (end - from)
    }

    fn find(&self, keys: &[u64], found: &mut Vec<Place>) {
        for &key in keys {
            let (start, len) = self.row(key);
            if len > 0 {
                prefetch(&self.weights, start as usize);
                found.push((start, u32::from(len)));
            }
        }
    }

    fn add_found(&self, found: &[Place], sums: &mut [f32]) {
        for &(start, len) in found {
            for weight in &self.weights[start as usize..(start + len) as usize] {
                let counts = weight.updates >= self.least_updates;
                sums[weight.action as usize] += if counts { weight.weight } else { 0.0 };
            }
        }
    }

    fn score(&self, sum: f32) -> f32 {
        sum
    }
}

fn capacity(class: u16) -> usize {
    (1 << class) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The same updates in a plain map, averaged by summing the weights after every step.
    #[test]
    fn averages_equal_the_definition() {
        let mut learner = Learner::default();
        let mut plain: BTreeMap<(u64, u16), (f32, f64)> = BTreeMap::new();
        let mut random = 12345u64;
        let mut next = |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        let steps = 300;
        for _ in 0..steps {
            for _ in 0..next(20) {
                let (key, action) = (pleach_graph::words::hash::finish(next(200)), next(9) as u16);
                let change = if next(2) == 0 { 1.0 } else { -1.0 };
                learner.update(key, action, change);
                plain.entry((key, action)).or_default().0 += change;
            }
            // The average is over the weights as each example leaves them.
            plain.values_mut().for_each(|(weight, sum)| *sum += f64::from(*weight));
            learner.tick();
        }
        let frozen = learner.freeze(0.0);
        let table = frozen.table();
        for (&(key, action), &(weight, sum)) in &plain {
            let (mut frozen_sums, mut sums) = ([0; 9], [0.0; 9]);
            table.add(&[key], &mut Vec::new(), &mut frozen_sums);
            let average = (sum / f64::from(steps + 1)) as f32;
            assert!((table.score(frozen_sums[action as usize]) - average).abs() < 2.0 * frozen.scale + 1e-5);
            learner.add(&[key], &mut Vec::new(), &mut sums);
            assert_eq!(sums[action as usize], weight);
        }
    }

    #[test]
    fn a_restored_learner_goes_on_as_before() {
        let mut one = Learner::default();
        for i in 0..5000u64 {
            one.update(
                pleach_graph::words::hash::finish(i % 700),
                (i % 13) as u16,
                if i % 3 == 0 { -1.0 } else { 1.0 },
            );
            one.tick();
        }
        let keys: Vec<u64> = one.rows().map(|(key, _)| key).collect();
        let lengths: Vec<u32> = one.rows().map(|(_, row)| row.len() as u32).collect();
        let weights: Vec<Weight> = one.rows().flat_map(|(_, row)| row).copied().collect();
        let steps = one.steps();
        let mut two = Learner::restore(1, steps, &keys, &lengths, &weights).unwrap();
        assert!(Learner::restore(1, steps, &keys, &lengths[1..], &weights).is_none());
        assert!(Learner::restore(1, steps, &keys, &lengths, &weights[1..]).is_none());
        for learner in [&mut one, &mut two] {
            learner.update(pleach_graph::words::hash::finish(3), 5, 1.0);
            learner.tick();
        }
        assert_eq!(one.freeze(0.0), two.freeze(0.0));
    }
}
