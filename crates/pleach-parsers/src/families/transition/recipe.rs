//! The recipe keys of transition-based graph parsers.

use crate::trees::{Source, TreeKeys};
use pleach_model::recipe::{Schedule, When};
use pleach_transition::action::Inventory;
use pleach_transition::costs::DynamicOracle;
use pleach_transition::graph::{Kind, System};
use pleach_transition::search::Machine;
use pleach_transition::settings::{Preset, Settings, UnknownName};
use serde::{Deserialize, Serialize};

/// Where a beam learns when the gold sequence is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Update {
    /// Where the gold sequence falls out of the beam (Collins & Roark 2004).
    Early,
    /// Where the best hypothesis is furthest ahead of it (Huang et al. 2012).
    MaxViolation,
}

/// What greedy training makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// How far the best wrong action is above the right one, at every step that goes wrong (a perceptron's).
    Margin,
    /// The negative log-likelihood of the right action among all legal ones, at every step.
    Local,
}

/// How actions and the labels of their arcs are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labelling {
    /// What is done and the labels are one action.
    Joint,
    /// What is done first, then the labels of the arcs that are made, by templates of their own.
    Factored,
}

impl Labelling {
    /// That of models which don't say.
    fn old() -> Self {
        Labelling::Joint
    }
}

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransitionRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// Who scores the actions.
    pub scorer: String,
    /// The transition system.
    pub system: String,
    /// Arcs are combined with the move that follows (`zhang-2016` section 3.2).
    pub combined: bool,
    /// Parse from right to left.
    pub reversed: bool,
    /// Where the virtual root stands: `first`, `last`, or `none` (tops are predicted by SHIFT).
    pub root: String,
    /// Two-cycles: `encoded` (strategy B) or `transitions` (strategy A).
    pub two_cycles: String,
    /// Arcs from a word to itself.
    pub self_arcs: When,
    /// Predict frames or supertags on SHIFT; the system's own templates are joined by `frames`, which look at them.
    pub supertags: bool,
    /// Arcs from the root are actions of their own, with labels of their own. Models that don't say so have them not.
    #[serde(default)]
    pub root_actions: bool,
    /// When the oracle of S_S swaps: `eager` (as soon as the order is known) or `lazy` (at the last chance).
    #[serde(default = "eager")]
    pub oracle: String,
    /// Put labels aside.
    pub unlabelled: bool,
    /// The beam's width in training and, if not told otherwise, in parsing; 1 is greedy.
    pub beam: usize,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// The update rule.
    pub update: Update,
    /// A greedy parser whose system has a dynamic oracle leaves the gold path with this probability, led by it.
    pub explore: f64,
    /// What greedy training makes small: `margin` or `local`.
    pub loss: Loss,
    /// A shipped template file's name (`two-stack` …) or the path of one; empty for the system's own.
    pub templates: String,
    /// Whether labels are scored with actions (`joint`), or only for the arcs that are made (`factored`).
    #[serde(default = "Labelling::old")]
    pub labelling: Labelling,
    /// With `labelling = "factored"`, the templates of labels: a shipped file's name or a path; empty for `arc-label`, or
    /// `arc-label-tree` with trees.
    pub label_templates: String,
    /// With `labelling = "factored"`, weights of choices have 8 bits and lie inside of the hash table.
    pub short_rows: bool,
    /// Fold empty nodes into path labels.
    pub collapse: When,
    /// Write placeholders for words in labels.
    pub delexicalise: When,
    /// By how much the gold sequence has to be better than the others in training.
    pub margin: f32,
    /// The trees that path features look at.
    #[serde(flatten)]
    pub trees: TreeKeys,
    /// The templates that look at them: a shipped file's name or a path; empty for the system's own.
    pub tree_templates: String,
}

impl Default for TransitionRecipe {
    fn default() -> Self {
        TransitionRecipe {
            preset: "s2s-combined".into(),
            scorer: "linear".into(),
            system: "s2s".into(),
            combined: true,
            reversed: false,
            root: "last".into(),
            two_cycles: "encoded".into(),
            self_arcs: When::Auto,
            supertags: false,
            root_actions: true,
            oracle: "lazy".into(),
            unlabelled: false,
            beam: 8,
            schedule: Schedule::default(),
            update: Update::MaxViolation,
            explore: 0.0,
            loss: Loss::Margin,
            templates: String::new(),
            labelling: Labelling::Joint,
            label_templates: String::new(),
            short_rows: false,
            collapse: When::Auto,
            delexicalise: When::Auto,
            margin: 50.0,
            trees: TreeKeys::default(),
            tree_templates: String::new(),
        }
    }
}

/// What models were made with that don't say when their oracle swaps.
fn eager() -> String {
    "eager".into()
}

/// The keys that only linear scorers have.
pub(super) const LINEAR_KEYS: &[&str] =
    &["templates", "tree_templates", "labelling", "label_templates", "short_rows"];

/// The names of the presets.
pub(super) fn presets() -> Vec<String> {
    let linear = Preset::all().map(|preset| preset.to_string());
    linear.chain([FAST.to_owned()]).chain(Kind::ALL.map(|kind| format!("{}{NEURAL}", kind.name()))).collect()
}

/// The preset that is made for speed: greedy S_L, which has fewest choices, with few templates, labels for the arcs that are
/// made only, and led back by the dynamic oracle in training.
pub(super) const FAST: &str = "sl-fast";

/// How often a weight of [`FAST`] must have been changed to count: its table is small enough for a cache.
pub(super) const FAST_LEAST_UPDATES: i64 = 3;

/// Averaged weights of [`FAST`] below this are dropped, for the same reason; it costs a tenth of a point.
pub(super) const FAST_PRUNE: f64 = 2.0;

/// What the names of presets end in whose scorer is a network (`sun-2019` section 5.3).
const NEURAL: &str = "-bilstm";

impl TransitionRecipe {
    /// The recipe of a preset.
    pub(super) fn preset(name: &str) -> Option<Self> {
        if let Some(kind) = name.strip_suffix(NEURAL) {
            let kind: Kind = kind.parse().ok()?;
            let settings = Settings::new(kind, true);
            // Greedy parsers learn from their own mistakes where an oracle can lead them back.
            let led = DynamicOracle::new(&System::new(&settings)).is_some();
            return Some(TransitionRecipe {
                preset: name.to_owned(),
                scorer: "bilstm".into(),
                system: kind.name().to_owned(),
                root: settings.root.name().to_owned(),
                beam: 1,
                loss: Loss::Local,
                // Networks add up an action's score from its arc and its label, which tells roots apart already.
                root_actions: false,
                oracle: eager(),
                explore: if led { 0.1 } else { 0.0 },
                schedule: Schedule::by_size(),
                ..TransitionRecipe::default()
            });
        }
        if name == FAST {
            return Some(TransitionRecipe {
                preset: name.to_owned(),
                beam: 1,
                explore: 0.5,
                labelling: Labelling::Factored,
                short_rows: true,
                schedule: Schedule { epochs: 6, ..Schedule::default() },
                templates: "list-fast".into(),
                label_templates: "arc-label-fast".into(),
                ..TransitionRecipe::preset("sl-combined")?
            });
        }
        let Preset { settings, reversed } = name.parse().ok()?;
        Some(TransitionRecipe {
            preset: name.to_owned(),
            system: settings.kind.name().to_owned(),
            combined: settings.combined,
            reversed,
            root: settings.root.name().to_owned(),
            ..TransitionRecipe::default()
        })
    }

    /// The transition system.
    pub(super) fn settings(&self, self_arcs: bool) -> Result<Settings, UnknownName> {
        Ok(Settings {
            root: self.root.parse()?,
            two_cycles: self.two_cycles.parse()?,
            self_arcs,
            supertags: self.supertags,
            root_actions: self.root_actions,
            oracle: self.oracle.parse()?,
            ..Settings::new(self.system.parse()?, self.combined)
        })
    }

    /// The template files of labels, if these are scored by themselves.
    pub(super) fn label_template_files(&self) -> Option<Vec<String>> {
        let file = match self.label_templates.as_str() {
            "" if self.trees.trees == Source::None => "arc-label",
            "" => "arc-label-tree",
            name => name,
        };
        (self.labelling == Labelling::Factored).then(|| vec![file.to_owned()])
    }

    /// The machine that asks for labels as this recipe wants it.
    pub(super) fn machine(&self, settings: &Settings, inventory: Inventory) -> Machine {
        let machine = Machine::new(settings, inventory);
        match self.labelling {
            Labelling::Joint => machine,
            Labelling::Factored => machine.taken_apart(),
        }
    }

    /// The template files: those that the recipe names, else those that are made for the system, with frames those that look at
    /// them; and with trees those that look at these.
    pub(super) fn template_files(&self) -> Vec<String> {
        let about = self.system.parse::<Kind>().ok().map(Kind::about);
        let chosen = |named: &str, own: Option<&'static str>| match named {
            "" => own.unwrap_or_default().to_owned(),
            name => name.to_owned(),
        };
        let mut files = vec![chosen(&self.templates, about.map(|about| about.templates))];
        // Who names templates says what is seen; `frames` is a shipped file like all others.
        if self.supertags && self.templates.is_empty() {
            files.push("frames".into());
        }
        if self.trees.trees != Source::None {
            files.push(chosen(&self.tree_templates, about.map(|about| about.tree_templates)));
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_seen_where_they_are_predicted() {
        let plain = TransitionRecipe::preset("s2s-combined").unwrap();
        let tagged = TransitionRecipe { supertags: true, ..plain.clone() };
        let blind = TransitionRecipe { templates: "two-stack".into(), ..tagged.clone() };
        assert_eq!(plain.template_files(), ["two-stack"]);
        assert_eq!(tagged.template_files(), ["two-stack", "frames"]);
        assert_eq!(blind.template_files(), ["two-stack"]);
    }

    /// The keys that came later mean for an old model what it was made with.
    #[test]
    fn old_cards_keep_their_meaning() {
        let old = r#"{"preset": "s2s-combined", "system": "s2s", "root": "last", "beam": 16}"#;
        let old: TransitionRecipe = serde_json::from_str(old).unwrap();
        assert!(!old.root_actions && old.oracle == "eager");
        let new = TransitionRecipe::preset("ss-combined").unwrap();
        assert!(new.root_actions && new.oracle == "lazy");
        assert!(!TransitionRecipe::preset("s2s-bilstm").unwrap().root_actions);
    }
}
