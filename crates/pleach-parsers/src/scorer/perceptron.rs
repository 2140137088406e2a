//! The averaged perceptron in files: its table in models, its state in checkpoints. Linear scorers and the stages of
//! texts share it.

use super::Saved;
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

/// Some bytes of an array.
type Piece<'a> = Cow<'a, [u8]>;

/// Everything that the perceptron needs to go on.
pub(crate) fn save(learner: &Learner) -> (Value, Vec<Saved<'_>>) {
    let all: usize = learner.rows().map(|(_, row)| row.len()).sum();
    let saved =
        |name: &str, dtype, count, pieces| Saved { name: name.to_owned(), dtype, shape: vec![count], pieces };
    let keys = learner.rows().map(|(key, _)| Piece::from(key.to_le_bytes().to_vec()));
    let lengths = learner.rows().map(|(_, row)| Piece::from((row.len() as u32).to_le_bytes().to_vec()));
    let weights = learner.rows().map(|(_, row)| Piece::from(bytemuck::cast_slice(row)));
    let arrays = vec![
        saved("keys", Dtype::U64, learner.len(), Box::new(keys) as Box<dyn Iterator<Item = Piece<'_>>>),
        saved("lengths", Dtype::U32, learner.len(), Box::new(lengths)),
        saved("weights", Dtype::U64, all * 2, Box::new(weights)),
    ];
    (json!({ "steps": learner.steps() }), arrays)
}

/// The same, taken up; `None` when it doesn't fit together.
pub(crate) fn restore(
    least_updates: u16,
    description: &Value,
    tensors: &[(String, Vec<u8>)],
) -> Option<Learner> {
    let data = |name: &str| tensors.iter().find(|(other, _)| other == name).map(|(_, data)| data);
    let keys: Cow<'_, [u64]> = numbers(data("keys")?);
    let lengths: Cow<'_, [u32]> = numbers(data("lengths")?);
    let weights: Cow<'_, [Weight]> = numbers(data("weights")?);
    Learner::restore(least_updates, description.get("steps")?.as_u64()?, &keys, &lengths, &weights)
}

/// Bytes as numbers, where they lie if such numbers can lie there.
fn numbers<T: bytemuck::Pod>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(numbers) => Cow::Borrowed(numbers),
        Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(bytes)),
    }
}
