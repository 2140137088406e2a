//! The recipe keys of tree parsers by control parameters.

use pleach_model::recipe::{Schedule, When};
use pleach_transition::tree::check::check;
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::settings::Settings;
use serde::{Deserialize, Serialize};

/// Which transitions are correct in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correct {
    /// Those of one sequence: the static oracle's.
    Static,
    /// All that keep the gold tree in reach (Ma et al. 2013).
    Reachable,
    /// The same, but no SHIFT that pushes a token out of the active ones whose arc could be made now.
    Window,
    /// The same, nor one of a token that can get an arc once others are made.
    Settled,
}

/// When a sentence is learnt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Update {
    /// `every-step` for a greedy parser, `max-violation` for a beam.
    Auto,
    /// At every wrong step on the way along correct ones; for greedy parsers.
    EveryStep,
    /// Where the last correct sequence falls out of the beam (Collins & Roark 2004).
    Early,
    /// Where the best sequence is furthest ahead of the best correct one (Huang et al. 2012).
    MaxViolation,
}

/// What greedy training makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// How far the best wrong transition is above the best correct one, at every step that goes wrong (a perceptron's).
    Margin,
    /// The negative log-likelihood of the correct transitions among all legal ones, at every step.
    Local,
}

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// Who scores the transitions.
    pub scorer: String,
    /// The control parameters: `capacity` (K), `distance` (D), `fill`, `root`, `heads`, `transitions`.
    #[serde(flatten)]
    pub settings: Settings,
    /// The beam's width in training and, if not told otherwise, in parsing; 1 is greedy.
    pub beam: usize,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Which transitions are correct: `static`, `reachable`, `window` or `settled`.
    pub correct: Correct,
    /// The update rule: `auto`, `every-step`, `early` (needs three to five times as many epochs) or `max-violation`.
    pub update: Update,
    /// What greedy training makes small: `margin` or `local`.
    pub loss: Loss,
    /// By how much the correct sequence has to be better than the others in training.
    pub margin: f32,
    /// Make trees that the system can't build projective by hanging words higher; else they are left out of training.
    pub lift: bool,
    /// The root of a parsed tree has one dependent.
    pub single_root: bool,
    /// A shipped template file's name (`zhang-nivre-rich`, `control-fast` …) or the path of one.
    pub templates: String,
    /// For graphs: fold empty nodes into path labels.
    pub collapse: When,
    /// For graphs: write placeholders for words in labels.
    pub delexicalise: When,
}

/// The keys that only linear scorers have.
pub(super) const LINEAR_KEYS: &[&str] = &["templates"];

/// The fast greedy parser's preset.
pub(super) const GREEDY: &str = "arc-eager-greedy";

/// What the names of presets end in whose scorer is a network.
const NEURAL: &str = "-bilstm";

/// The names of all presets.
pub(super) fn presets() -> Vec<String> {
    let linear = Preset::ALL.iter().map(Preset::to_string).chain([GREEDY.to_owned()]);
    linear.chain(Preset::ALL.iter().map(|preset| format!("{preset}{NEURAL}"))).collect()
}

impl Default for TreeRecipe {
    fn default() -> Self {
        TreeRecipe {
            preset: Preset::ArcEager.to_string(),
            scorer: "linear".into(),
            settings: Preset::ArcEager.settings(),
            beam: 8,
            schedule: Schedule { epochs: 10, ..Schedule::default() },
            correct: Correct::Static,
            update: Update::Auto,
            loss: Loss::Margin,
            margin: 20.0,
            lift: true,
            single_root: true,
            templates: "zhang-nivre-rich".into(),
            collapse: When::Auto,
            delexicalise: When::Auto,
        }
    }
}

impl TreeRecipe {
    /// The recipe of a preset.
    pub(super) fn preset(name: &str) -> Option<Self> {
        if name == GREEDY {
            return Some(TreeRecipe {
                preset: name.to_owned(),
                beam: 1,
                templates: "control-fast".into(),
                ..TreeRecipe::default()
            });
        }
        if let Some(system) = name.strip_suffix(NEURAL) {
            return TreeRecipe::preset(system).filter(|_| system != GREEDY).map(|recipe| TreeRecipe {
                preset: name.to_owned(),
                scorer: "bilstm".into(),
                beam: 1,
                loss: Loss::Local,
                schedule: Schedule::by_size(),
                ..recipe
            });
        }
        let preset: Preset = name.parse().ok()?;
        let correct = match preset {
            Preset::ArcStandard | Preset::ArcEager | Preset::Hybrid => Correct::Static,
            Preset::BoundedEasyFirst | Preset::BoundedNonProjectiveEasyFirst | Preset::Attardi => {
                Correct::Window
            }
            Preset::EasyFirst | Preset::NonProjectiveEasyFirst | Preset::Dag => Correct::Reachable,
        };
        Some(TreeRecipe {
            preset: name.to_owned(),
            settings: preset.settings(),
            correct,
            ..TreeRecipe::default()
        })
    }

    /// Says what makes no sense.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.update == Update::EveryStep && self.beam > 1 {
            return Err("update = 'every-step' is for greedy parsers, beam = 1".into());
        }
        if self.loss == Loss::Local && self.update() != Update::EveryStep {
            return Err("loss = 'local' is for greedy parsers, beam = 1".into());
        }
        check(&self.settings).map_err(|error| error.to_string())
    }

    /// The update rule, decided.
    pub(super) fn update(&self) -> Update {
        match self.update {
            Update::Auto if self.beam <= 1 => Update::EveryStep,
            Update::Auto => Update::MaxViolation,
            update => update,
        }
    }
}
