//! What a linear model looks at: a set of templates for every kind of question that it is asked.

use crate::short::MARK;
use crate::template::{Summed, TemplateError, Templates};
use serde::{Deserialize, Serialize};

/// What a set of templates scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// The actions at configurations of a transition system.
    Actions,
    /// The labels of the arcs that actions make, where actions are taken apart: `h` and `d` are the arc's nodes.
    Labels,
    /// The parts of a kind.
    Parts(u8),
    /// The same, and the keys of their features are sums of what each word adds; models of before have none.
    SummedParts(u8),
}

/// The number of the templates of labels among the sets that share a table: kinds of parts have those below.
const LABEL_SET: u16 = 1 << 8;

/// A set of templates as model files keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    /// What it scores.
    pub of: Subject,
    /// The templates' text.
    pub templates: String,
    /// Parts of this kind are hardly asked for twice in a sentence, so nothing is kept of them.
    #[serde(default)]
    pub once: bool,
}

/// All template sets of a model, compiled. Their features share one table: kinds of parts have keys of their own.
#[derive(Clone, Debug, Default)]
pub struct LinearModel {
    sets: Vec<Set>,
    pub(crate) actions: Option<Templates>,
    pub(crate) labels: Option<Templates>,
    /// By kind.
    pub(crate) parts: Vec<Option<PartSet>>,
}

/// The templates of a kind of parts.
#[derive(Clone, Debug)]
pub(crate) struct PartSet {
    pub templates: Templates,
    /// How their keys are summed up, if they are.
    pub summed: Option<Summed>,
    pub once: bool,
}

impl Subject {
    /// What templates of parts score in a new model: their keys are sums if they can be.
    pub fn parts(kind: u8, templates: &Templates) -> Self {
        match Summed::new(templates) {
            Some(_) => Subject::SummedParts(kind),
            None => Subject::Parts(kind),
        }
    }
}

impl LinearModel {
    /// Compiles sets of templates.
    pub fn new(sets: Vec<Set>) -> Result<Self, TemplateError> {
        let mut model = LinearModel::default();
        for set in &sets {
            match set.of {
                Subject::Actions => model.actions = Some(Templates::parse("actions", &set.templates)?),
                Subject::Labels => {
                    let templates = Templates::parse("labels", &set.templates)?;
                    model.labels = Some(templates.as_set(LABEL_SET));
                }
                Subject::Parts(kind) | Subject::SummedParts(kind) => {
                    let templates = Templates::parse("parts", &set.templates)?.as_set(u16::from(kind));
                    let summed = match set.of {
                        Subject::SummedParts(_) => Summed::new(&templates),
                        _ => None,
                    };
                    let place = usize::from(kind);
                    if model.parts.len() <= place {
                        model.parts.resize_with(place + 1, || None);
                    }
                    model.parts[place] = Some(PartSet { templates, summed, once: set.once });
                }
            }
        }
        // Choices without labels are few: their rows are short.
        if model.labels.is_some() {
            model.actions = model.actions.map(|templates| templates.marked(MARK, true));
            model.labels = model.labels.map(|templates| templates.marked(MARK, false));
        }
        model.sets = sets;
        Ok(model)
    }

    /// Whether the rows of choices can be short ones: labels are scored by themselves.
    pub fn has_short_rows(&self) -> bool {
        self.labels.is_some()
    }

    /// The sets, for the model file.
    pub fn sets(&self) -> &[Set] {
        &self.sets
    }

    /// How many templates there are; those that score several kinds of parts count once.
    pub fn len(&self) -> usize {
        let parts = || self.parts.iter().flatten().map(|set| &set.templates);
        let fresh = parts().enumerate().filter(|&(number, set)| {
            let mut before = parts().take(number);
            before.all(|other| other.source() != set.source())
        });
        self.actions.iter().chain(&self.labels).chain(fresh.map(|(_, set)| set)).map(Templates::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
