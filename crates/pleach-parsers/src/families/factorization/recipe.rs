//! The recipe keys of factorization parsers.

use crate::recipe::{Recipe, RecipeError, Schedule, When};
use crate::trees::TreeKeys;
use pleach_decode::markov::{Centre, Order};
use serde::{Deserialize, Serialize};

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactorRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// The models that must agree: `pc` (predicate-centric), `ac` (argument-centric), `ta` (tree approximation),
    /// joined by `+`.
    pub models: String,
    /// Those of the trained models that take part in parsing, joined by `+`, or `all`.
    pub agree: String,
    /// How many neighbouring arguments or predicates are scored together: 1, 2 or 3.
    pub order: u8,
    /// How many heads a word keeps for the dear part of the search.
    pub heads: usize,
    /// Arcs that the filter scores below minus this many margins are dropped.
    pub filter: f32,
    /// Pruning by tags (`du-2015` section 4.3): pairs that never link, or never so far apart, and the most arguments and
    /// predicates of a word.
    pub pruning: bool,
    /// By how much a wrong arc has to be worse than a gold one in training; a wrong label by half of it.
    pub margin: f32,
    /// How many wrong arcs a missing one is as bad as in training: more for recall, less for precision.
    pub missing: f32,
    /// What the predicate-centric model counts where models agree.
    pub pc_weight: f32,
    /// What the argument-centric model counts.
    pub ac_weight: f32,
    /// What the tree approximation counts.
    pub ta_weight: f32,
    /// The most iterations of the dual decomposition.
    pub iterations: usize,
    /// Its first step, in margins.
    pub step: f64,
    /// Put labels aside.
    pub unlabelled: bool,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// The trees that path features look at.
    #[serde(flatten)]
    pub trees: TreeKeys,
    /// How often the tree approximation sees the training data.
    pub ta_epochs: usize,
    /// Fold empty nodes into path labels.
    pub collapse: When,
    /// Write placeholders for words in labels.
    pub delexicalise: When,
    /// The template files, shipped names or paths: for arcs …
    pub arc_templates: String,
    /// … for labels …
    pub label_templates: String,
    /// … for neighbours …
    pub pair_templates: String,
    /// … and for three neighbours.
    pub triple_templates: String,
}

impl Default for FactorRecipe {
    fn default() -> Self {
        FactorRecipe {
            preset: "fact-pc-ac".into(),
            models: "pc+ac".into(),
            agree: ALL.into(),
            order: 2,
            heads: 8,
            filter: 2.0,
            pruning: true,
            margin: 60.0,
            missing: 1.0,
            pc_weight: 1.0,
            ac_weight: 1.0,
            ta_weight: 2.0,
            iterations: 200,
            step: 0.5,
            unlabelled: false,
            schedule: Schedule { epochs: 8, batch: 4, ..Schedule::default() },
            trees: TreeKeys::default(),
            ta_epochs: 8,
            collapse: When::Auto,
            delexicalise: When::Auto,
            arc_templates: "graph-arc".into(),
            label_templates: "graph-label".into(),
            pair_templates: "graph-pair".into(),
            triple_templates: "graph-triple".into(),
        }
    }
}

/// All models that were trained.
pub(super) const ALL: &str = "all";

/// A model that can take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// Predicate-centric or argument-centric.
    Chains(Centre),
    /// The tree approximation.
    Tree,
}

impl Member {
    /// All members in the order in which they take part.
    pub const ALL: [Member; 3] =
        [Member::Chains(Centre::Predicate), Member::Chains(Centre::Argument), Member::Tree];

    /// The members of a list of names that are joined by `+`.
    fn named(names: &str) -> Vec<Member> {
        let named = |member: &Member| names.split('+').any(|name| name == member.name());
        Member::ALL.into_iter().filter(named).collect()
    }

    /// The name in recipes and model files.
    pub fn name(self) -> &'static str {
        match self {
            Member::Chains(Centre::Predicate) => "pc",
            Member::Chains(Centre::Argument) => "ac",
            Member::Tree => "ta",
        }
    }
}

/// The sets of models that have a preset.
const PRESETS: [&str; 7] = ["pc", "ac", "ta", "pc+ac", "pc+ta", "ac+ta", "pc+ac+ta"];

/// The names of the presets.
pub(super) fn presets() -> Vec<String> {
    PRESETS.iter().map(|models| format!("fact-{}", models.replace('+', "-"))).collect()
}

impl FactorRecipe {
    /// The recipe of a preset.
    pub(super) fn preset(name: &str) -> Option<Self> {
        let models = name.strip_prefix("fact-")?.replace('-', "+");
        PRESETS.contains(&models.as_str()).then(|| FactorRecipe {
            preset: name.to_owned(),
            models,
            ..FactorRecipe::default()
        })
    }

    /// The models that are trained.
    pub(super) fn members(&self) -> Vec<Member> {
        Member::named(&self.models)
    }

    /// The models that take part in parsing.
    pub(super) fn agreeing(&self) -> Vec<Member> {
        Member::named(self.taking_part())
    }

    /// The names of the models that take part in parsing.
    pub(super) fn taking_part(&self) -> &str {
        if self.agree == ALL { &self.models } else { &self.agree }
    }

    /// What a model counts.
    pub(super) fn weight(&self, member: Member) -> f32 {
        match member {
            Member::Chains(Centre::Predicate) => self.pc_weight,
            Member::Chains(Centre::Argument) => self.ac_weight,
            Member::Tree => self.ta_weight,
        }
    }

    /// The recipe of the tree approximation.
    pub(super) fn tree_recipe(&self) -> Result<Recipe, RecipeError> {
        let mut recipe = Recipe::preset("eisner2")?;
        recipe.set("single_root", false)?;
        recipe.set("epochs", self.ta_epochs as i64)?;
        recipe.set("seed", self.schedule.seed as i64)?;
        Ok(recipe)
    }

    /// The order of the chains.
    pub(super) fn order(&self) -> Order {
        match self.order {
            1 => Order::First,
            2 => Order::Second,
            _ => Order::Third,
        }
    }

    /// Says what makes no sense.
    pub(super) fn check(&self) -> Result<(), String> {
        let known = |name: &str| Member::ALL.iter().any(|member| member.name() == name);
        if let Some(name) = self.models.split('+').find(|name| !known(name)) {
            return Err(format!("'models' joins pc, ac and ta by '+'; there is no '{name}'"));
        }
        let trained = |name: &str| self.models.split('+').any(|model| model == name);
        if self.agree != ALL
            && let Some(name) = self.agree.split('+').find(|name| !trained(name))
        {
            return Err(format!(
                "'agree' names the models of '{}' or all of them; '{name}' is none",
                self.models
            ));
        }
        match () {
            () if !(1..=3).contains(&self.order) => Err(format!("'order' is 1, 2 or 3, not {}", self.order)),
            () if self.heads == 0 => Err("'heads' is at least 1".into()),
            () if self.iterations == 0 => Err("'iterations' is at least 1".into()),
            () if self.pc_weight.min(self.ac_weight).min(self.ta_weight) <= 0.0 => {
                Err("the weights of models are above 0".into())
            }
            () => self.trees.check(),
        }
    }
}
