//! Where the named tensors of a network stand in one flat row of numbers.
//!
//! Weights, gradients and the optimiser's moments are flat rows with the same layout, so whatever treats all
//! parameters alike (sums, norms, steps, averages, copies) is one loop. Invariant: tensors stand in the order in
//! which they were added, without gaps.

use crate::random::Random;

/// The place of a tensor in a flat row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    start: usize,
    length: usize,
}

impl Slot {
    /// The number of the tensor's numbers.
    pub fn length(self) -> usize {
        self.length
    }

    /// The tensor's numbers in a flat row.
    #[inline]
    pub fn of(self, flat: &[f32]) -> &[f32] {
        &flat[self.start..self.start + self.length]
    }

    /// The tensor's numbers, to be changed.
    #[inline]
    pub fn of_mut(self, flat: &mut [f32]) -> &mut [f32] {
        &mut flat[self.start..self.start + self.length]
    }

    /// Several tensors at once; they must stand in this order.
    pub fn split<const N: usize>(slots: [Slot; N], flat: &mut [f32]) -> [&mut [f32]; N] {
        let (mut rest, mut at) = (flat, 0);
        slots.map(|slot| {
            let (_, tail) = std::mem::take(&mut rest).split_at_mut(slot.start - at);
            let (own, tail) = tail.split_at_mut(slot.length);
            rest = tail;
            at = slot.start + slot.length;
            own
        })
    }
}

/// How a tensor's numbers begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    /// All the same.
    Constant(f32),
    /// Normal numbers times a factor.
    Normal(f32),
    /// The bias of an LSTM: gates open to the past, that is 1 for f and 0 for i, g and o.
    Forget,
}

/// A named tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name, unique within a network.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its place.
    pub slot: Slot,
    /// Its beginning.
    pub initial: Initial,
}

/// All tensors of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    tensors: Vec<Tensor>,
    length: usize,
}

impl Layout {
    /// Adds a tensor behind the others.
    pub fn add(&mut self, name: impl Into<String>, shape: &[usize], initial: Initial) -> Slot {
        let slot = Slot { start: self.length, length: shape.iter().product() };
        self.length += slot.length;
        self.tensors.push(Tensor { name: name.into(), shape: shape.to_vec(), slot, initial });
        slot
    }

    /// The number of all parameters.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The tensors in order.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Numbers to begin training with. Each tensor has its own stream, so that a new one changes no other.
    pub fn initial(&self, seed: u64) -> Vec<f32> {
        let mut flat = vec![0.0; self.length];
        for tensor in &self.tensors {
            let mut random = Random::new(crate::random::mix(seed ^ crate::network::hash(&tensor.name)));
            let numbers = tensor.slot.of_mut(&mut flat);
            match tensor.initial {
                Initial::Constant(value) => numbers.fill(value),
                Initial::Normal(factor) => numbers.iter_mut().for_each(|x| *x = random.normal() * factor),
                Initial::Forget => {
                    let hidden = numbers.len() / 4;
                    numbers[hidden..2 * hidden].fill(1.0);
                }
            }
        }
        flat
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_disjoint_and_in_order() {
        let mut layout = Layout::default();
        let a = layout.add("a", &[2, 2], Initial::Constant(1.0));
        layout.add("skipped", &[3], Initial::Constant(2.0));
        let b = layout.add("b", &[4], Initial::Forget);
        let mut flat = layout.initial(1);
        assert_eq!(flat, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.0, 1.0, 0.0, 0.0]);
        let [first, second] = Slot::split([a, b], &mut flat);
        assert_eq!((first.len(), &second[..]), (4, &[0.0, 1.0, 0.0, 0.0][..]));
    }
}
