//! The averaged perceptron in files: its table in models, its state in checkpoints. Linear scorers and the stages of
//! texts share it.

use pleach_linear::learner::{Learner, Weight};
use pleach_linear::lesson::Taught;
use pleach_linear::short::Short;
use pleach_linear::table;
use pleach_model::{Dtype, Tensor, View};
use serde_json::{Value, json};
use std::borrow::Cow;

pub use pleach_linear::table::Table;

/// The table of weights in a section, if it has one.
pub fn linear_table(view: &View) -> Option<Table<'_>> {
    let slots = view.tensor("slots")?.numbers(Dtype::U64)?;
    let entries = view.tensor("entries")?.numbers(Dtype::U32)?;
    let scale = match view.tensor("scale") {
        Some(scale) => *scale.numbers::<f32>(Dtype::F32)?.first()?,
        None => view.old_scale()?,
    };
    let short = view.tensor("short").and_then(|short| {
        let stride = *short.shape.last()?;
        Short::new(short.numbers(Dtype::U32)?, stride)
    });
    Some(Table::new(slots, entries, scale).with_short(short))
}

/// The tensors of a table.
pub(crate) fn table_tensors(frozen: &table::Frozen) -> Vec<Tensor<'_>> {
    let table::Frozen { slots, entries, scale, short, stride, .. } = frozen;
    let mut tensors = vec![
        Tensor::of("slots", Dtype::U64, vec![slots.len()], slots),
        Tensor::of("entries", Dtype::U32, vec![entries.len()], entries),
        Tensor::of("scale", Dtype::F32, vec![1], std::slice::from_ref(scale)),
    ];
    if !short.is_empty() {
        tensors.push(Tensor::of("short", Dtype::U32, vec![short.len() / stride, *stride], short));
    }
    tensors
}

/// Features with weights, and weights.
pub(crate) fn table_counts(frozen: &table::Frozen) -> (usize, usize) {
    let slots = frozen.slots.iter().filter(|&&slot| slot != 0).count();
    let short = frozen.short.chunks_exact(frozen.stride.max(1)).filter(|entry| entry[0] != 0);
    let weights =
        |entry: &[u32]| entry[1..].iter().flat_map(|word| word.to_le_bytes()).filter(|&w| w != 0).count();
    let (rows, weights) = short.fold((0, 0), |(rows, all), entry| (rows + 1, all + weights(entry)));
    (slots + rows, frozen.entries.len() + weights)
}

/// Learns the lessons of a batch in their order; gives how many sentences were wrong.
pub(crate) fn learn_all(learner: &mut Learner, lessons: Vec<(Taught, bool)>) -> usize {
    let mut wrong = 0;
    let mut seen = true;
    for (taught, was_wrong) in lessons {
        taught.teach(learner, seen);
        // From the first change on, the weights are not the ones that the other sentences saw.
        seen &= taught.changes.is_empty();
        wrong += usize::from(was_wrong);
        learner.tick();
    }
    wrong
}

/// Everything that the perceptron needs to go on.
pub(crate) fn save(learner: &Learner) -> (Value, Vec<Tensor<'static>>) {
    // Straight to bytes, of which there are as many as everything that was learnt has.
    let all: usize = learner.rows().map(|(_, row)| row.len()).sum();
    let mut keys = Vec::with_capacity(learner.len() * size_of::<u64>());
    let mut lengths = Vec::with_capacity(learner.len() * size_of::<u32>());
    let mut weights = Vec::with_capacity(all * size_of::<Weight>());
    for (key, row) in learner.rows() {
        keys.extend_from_slice(bytemuck::bytes_of(&key));
        lengths.extend_from_slice(bytemuck::bytes_of(&(row.len() as u32)));
        weights.extend_from_slice(bytemuck::cast_slice(row));
    }
    let tensor = |name: &str, dtype, count, data| Tensor {
        name: name.to_owned(),
        dtype,
        shape: vec![count],
        data: Cow::Owned(data),
    };
    let tensors = vec![
        tensor("keys", Dtype::U64, learner.len(), keys),
        tensor("lengths", Dtype::U32, learner.len(), lengths),
        tensor("weights", Dtype::U64, all * 2, weights),
    ];
    (json!({ "steps": learner.steps() }), tensors)
}

/// The same, taken up; `None` when it doesn't fit together.
pub(crate) fn restore(
    least_updates: u16,
    description: &Value,
    tensors: &[(String, Vec<u8>)],
) -> Option<Learner> {
    let data = |name: &str| tensors.iter().find(|(other, _)| other == name).map(|(_, data)| data);
    let keys: Vec<u64> = bytemuck::pod_collect_to_vec(data("keys")?);
    let lengths: Vec<u32> = bytemuck::pod_collect_to_vec(data("lengths")?);
    let weights: Vec<Weight> = bytemuck::pod_collect_to_vec(data("weights")?);
    Learner::restore(least_updates, description.get("steps")?.as_u64()?, &keys, &lengths, &weights)
}
