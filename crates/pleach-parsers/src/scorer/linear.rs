//! Linear scorers: feature templates over a hashed table, trained by the averaged perceptron.

use super::perceptron::{self, Table};
use super::{Bound, BoxError, Frozen, ModelScorer, Saved, ScorerKind, Structure, Teach, Trainable};
use crate::workspace::Workspace;
use pleach_graph::words::Words;
use pleach_linear::bound::{self, Memory};
use pleach_linear::dense::Dense;
use pleach_linear::filter::Filters;
use pleach_linear::learner::Learner;
use pleach_linear::lesson::{Lesson, Taught};
use pleach_linear::model::{LinearModel, Set, Subject};
use pleach_linear::scoring::Rows;
use pleach_linear::table;
use pleach_linear::template::{self, Templates};
use pleach_model::recipe::{Recipe, ScorerKeys};
use pleach_model::{Tensor, View};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::AddAssign;

/// The kind.
pub static LINEAR: Linear = Linear;

/// Linear scorers.
#[derive(Debug)]
pub struct Linear;

/// The keys of linear scorers that all families share; the names of template files are the families' own keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinearKeys {
    /// Sentences that are parsed with the same weights before the updates; they can be parsed in parallel. 0, the default of
    /// transition parsers and merging, is one sentence at first, and more from epoch to epoch, the faster the more sentences
    /// there are.
    pub batch: usize,
    /// A weight counts once it was changed this often (Goldberg & Elhadad 2011). 0, the default of parsers that search charts, is
    /// 3, of merging 2, and 1 where there are fewer than 1,000 sentences.
    pub least_updates: u16,
    /// Averaged weights below this are dropped from the model.
    pub prune: f32,
}

impl Default for LinearKeys {
    fn default() -> Self {
        LinearKeys { batch: 16, least_updates: 1, prune: 0.0 }
    }
}

/// A batch that grows has a sentence more for so many that were learnt from.
const SEEN_A_SENTENCE: usize = 2_000;

/// It does not grow any further than this.
const LARGEST_BATCH: usize = 16;

impl LinearKeys {
    /// The sentences of a batch in an epoch (from 0), when there are so many in all. As long as weights are few and move
    /// fast, the sentences of a large batch all punish the same mistake, and what they ask for together is too much.
    pub fn batch(&self, examples: usize, epoch: usize) -> usize {
        let grown = || (examples.saturating_mul(epoch) / SEEN_A_SENTENCE).clamp(1, LARGEST_BATCH);
        if self.batch == 0 { grown() } else { self.batch }
    }
}

/// From so many sentences on, weights that hardly ever changed cost nothing when they are dropped (`docs/results/speed.md`, measured
/// with 1,500); with few sentences all weights are of that kind.
pub(crate) const MANY_SENTENCES: usize = 1_000;

impl LinearKeys {
    /// How often a weight must have changed when there are so many sentences.
    fn least_updates(&self, examples: usize) -> u16 {
        match self.least_updates {
            0 if examples >= MANY_SENTENCES => 3,
            0 => 1,
            given => given,
        }
    }
}

/// A template file that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {source}; shipped template files are {}", shipped_names())]
struct TemplateFile {
    file: String,
    source: std::io::Error,
}

fn shipped_names() -> String {
    let names: Vec<&str> = template::SHIPPED.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// The text of template files, shipped ones or paths, one after the other; mistakes are told by their names.
fn templates(names: &[String]) -> Result<String, BoxError> {
    let mut all = String::new();
    for name in names {
        match template::shipped(name) {
            Some(text) => all += text,
            None => {
                let text = std::fs::read_to_string(name);
                all += &text.map_err(|source| TemplateFile { file: name.clone(), source })?;
            }
        }
    }
    Ok(Templates::parse(&names.join("+"), &all)?.source().to_owned())
}

/// The template sets of a structure.
fn sets(structure: &Structure) -> Result<Vec<Set>, BoxError> {
    let mut sets = Vec::new();
    if let Some(actions) = &structure.actions {
        sets.push(Set { of: Subject::Actions, templates: templates(&actions.templates)?, once: false });
        if let Some(labels) = &actions.label_templates {
            sets.push(Set { of: Subject::Labels, templates: templates(labels)?, once: false });
        }
    }
    for part in structure.parts.iter().filter(|part| !part.templates.is_empty()) {
        let templates = templates(&part.templates)?;
        let of = Subject::parts(part.kind.0, &Templates::parse("parts", &templates)?);
        sets.push(Set { of, templates, once: part.once });
    }
    Ok(sets)
}

/// What a model file says of a linear scorer.
#[derive(Serialize, Deserialize)]
struct Card {
    name: String,
    sets: Vec<Set>,
}

impl ScorerKeys for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn keys(&self) -> toml::Table {
        toml::Table::try_from(LinearKeys::default()).unwrap_or_default()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        recipe.typed::<LinearKeys>().map(|_| ()).map_err(|error| error.to_string())
    }
}

impl ScorerKind for Linear {
    fn create(&self, recipe: &Recipe, structure: &Structure) -> Result<Box<dyn Trainable>, BoxError> {
        let keys: LinearKeys = recipe.typed()?;
        let model = LinearModel::new(sets(structure)?)?;
        // Only families that take actions apart have this key.
        let short = recipe.flag("short_rows") && model.has_short_rows();
        Ok(Box::new(Perceptron { learner: Learner::new(keys.least_updates), model, keys, short }))
    }

    fn open(&self, view: View, structure: &Structure) -> Result<Box<dyn ModelScorer>, BoxError> {
        let sets = match view.scorer() {
            Value::Null => old_sets(view.card(), structure).ok_or("the model has no templates")?,
            card => Card::deserialize(card)?.sets,
        };
        let table = perceptron::linear_table(&view).ok_or("the model has no table of weights")?;
        // Of all pairs of words most features are not there; of the configurations that a search comes to, most are.
        let filters = structure.actions.is_none().then(|| table.filters());
        // Many actions share the features of frequent tags; parts have few choices.
        let dense = structure.actions.as_ref().and_then(|_| table.dense());
        Ok(Box::new(Mapped { model: LinearModel::new(sets)?, view, filters, dense }))
    }

    fn sources(&self, _: &Recipe, structure: &Structure) -> Result<String, BoxError> {
        // A training that began with keys of the other kind can't go on with these.
        let summed = |set: &Set| if matches!(set.of, Subject::SummedParts(_)) { "# summed\n" } else { "" };
        Ok(sets(structure)?.into_iter().map(|set| summed(&set).to_owned() + &set.templates).collect())
    }
}

/// The templates in a card of version 2, where families kept them: one text, or one for each key of the recipe that
/// names a file.
fn old_sets(card: &Value, structure: &Structure) -> Option<Vec<Set>> {
    let texts: Vec<&str> = match card.get("templates")? {
        Value::String(text) => vec![text],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if structure.actions.is_some() {
        return Some(vec![Set { of: Subject::Actions, templates: texts.concat(), once: false }]);
    }
    let given = structure.parts.iter().filter_map(|part| {
        let text = texts.get(part.text).filter(|text| !text.is_empty())?;
        Some(Set { of: Subject::Parts(part.kind.0), templates: (*text).to_owned(), once: part.once })
    });
    Some(given.collect())
}

impl<R: Rows> Bound for bound::Bound<'_, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    fn turn_to(&mut self, sentence: usize) {
        bound::Bound::turn_to(self, sentence);
    }
}

/// A table in an open model file.
#[derive(Debug)]
struct Mapped {
    model: LinearModel,
    view: View,
    filters: Option<Filters>,
    dense: Option<Dense>,
}

impl ModelScorer for Mapped {
    fn bind<'a>(&'a self, sentences: Vec<&'a Words>, workspace: &'a mut Workspace) -> Box<dyn Bound + 'a> {
        // That there is a table was checked when the model was opened.
        let table = perceptron::linear_table(&self.view).unwrap_or(Table::new(&[], &[], 1.0));
        let table = table.with_filters(self.filters.as_ref()).with_dense(self.dense.as_ref());
        Box::new(bound::Bound::new(&self.model, table, sentences, workspace.part::<Memory<i32>>()))
    }
}

/// Averaged weights.
#[derive(Debug)]
struct Averaged {
    model: LinearModel,
    frozen: table::Frozen,
}

impl ModelScorer for Averaged {
    fn bind<'a>(&'a self, sentences: Vec<&'a Words>, workspace: &'a mut Workspace) -> Box<dyn Bound + 'a> {
        let table = self.frozen.table();
        Box::new(bound::Bound::new(&self.model, table, sentences, workspace.part::<Memory<i32>>()))
    }
}

impl Frozen for Averaged {
    fn scorer(&self) -> &dyn ModelScorer {
        self
    }

    fn card(&self) -> Value {
        json!(Card { name: LINEAR.name().to_owned(), sets: self.model.sets().to_vec() })
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        perceptron::table_tensors(&self.frozen)
    }

    fn counts(&self) -> (usize, usize) {
        perceptron::table_counts(&self.frozen)
    }
}

/// The averaged perceptron. The sentences of a batch see the same weights, and their lessons are learnt in order, so
/// that the result never depends on the number of threads.
#[derive(Debug)]
struct Perceptron {
    learner: Learner,
    model: LinearModel,
    keys: LinearKeys,
    /// Whether the rows of choices are short ones in the model.
    short: bool,
}

impl Trainable for Perceptron {
    fn batch(&self, examples: usize, epoch: usize) -> usize {
        self.keys.batch(examples, epoch)
    }

    fn plan(&mut self, _: usize, words: &mut dyn Iterator<Item = &Words>) -> Result<(), BoxError> {
        self.keys.least_updates = self.keys.least_updates(words.count());
        self.learner = Learner::new(self.keys.least_updates);
        Ok(())
    }

    fn step(&mut self, batch: &[&Words], teach: &Teach<'_>) -> Result<usize, BoxError> {
        let (learner, model) = (&self.learner, &self.model);
        let lessons: Vec<(Taught, bool)> = (0..batch.len())
            .into_par_iter()
            .map_init(<(Workspace, Memory<f32>)>::default, |(workspace, memory), number| {
                let bound = bound::Bound::new(model, learner, vec![batch[number]], memory);
                let mut lesson = Lesson::new(bound);
                let wrong = teach(number, &mut lesson, workspace);
                (lesson.into_taught(), wrong)
            })
            .collect();
        Ok(perceptron::learn_all(&mut self.learner, lessons))
    }

    fn freeze(&self) -> Box<dyn Frozen> {
        let frozen = self.learner.freeze_with(self.keys.prune, self.short);
        Box::new(Averaged { model: self.model.clone(), frozen })
    }

    fn size(&self) -> usize {
        self.learner.len()
    }

    fn inputs(&self) -> usize {
        self.model.len()
    }

    fn save(&self) -> (Value, Vec<Saved<'_>>) {
        perceptron::save(&self.learner)
    }

    fn restore(&mut self, description: &Value, tensors: &[(String, Vec<u8>)]) -> bool {
        let restored = perceptron::restore(self.keys.least_updates, description, tensors);
        restored.map(|learner| self.learner = learner).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Little data is learnt from one by one; large batches come with what was learnt.
    #[test]
    fn batches_grow() {
        let growing = LinearKeys { batch: 0, ..LinearKeys::default() };
        let batches = |examples: usize| [0, 1, 3, 9, 99].map(|epoch| growing.batch(examples, epoch));
        assert_eq!(batches(300), [1, 1, 1, 1, 14]);
        assert_eq!(batches(1_500), [1, 1, 2, 6, 16]);
        assert_eq!(batches(12_544), [1, 6, 16, 16, 16]);
        assert_eq!(batches(usize::MAX), [1, 16, 16, 16, 16]);
        assert_eq!(LinearKeys { batch: 5, ..LinearKeys::default() }.batch(12_544, 3), 5);
    }

    #[test]
    fn few_sentences_need_all_their_weights() {
        let keys = |least_updates| LinearKeys { least_updates, ..LinearKeys::default() };
        let [open, given] =
            [0, 2].map(|least| [10, 999, 1_000].map(|count| keys(least).least_updates(count)));
        assert_eq!((open, given), ([1, 1, 3], [2, 2, 2]));
    }
}
