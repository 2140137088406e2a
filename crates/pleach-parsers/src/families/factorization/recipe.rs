//! The recipe keys of factorization parsers.

use crate::families::sieve;
use crate::scorer::{PartShape, Structure};
use crate::trees::TreeKeys;
use pleach_decode::markov::{CHANNELS, Centre, Order, PAIR, TRIPLE};
use pleach_decode::part::Kind;
use pleach_model::recipe::{Recipe, RecipeError, Schedule, Shelf, When};
use serde::{Deserialize, Serialize};

/// What training makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// How far the best wrong graph, its costs added, is above the gold one: learning searches.
    Margin,
    /// The negative log-likelihood of every pair of words and of the labels of gold arcs: learning doesn't search.
    Local,
}

/// What becomes of words that the search leaves without a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orphans {
    /// They stay so.
    None,
    /// They get the head that scores best.
    BestHead,
}

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactorRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// Who scores the chains.
    pub scorer: String,
    /// The models that must agree: `pc` (predicate-centric), `ac` (argument-centric), `ta` (tree approximation),
    /// joined by `+`.
    pub models: String,
    /// Those of the trained models that take part in parsing, joined by `+`, or `all`.
    pub agree: String,
    /// How many neighbouring arguments or predicates are scored together: 1, 2 or 3.
    pub order: u8,
    /// How many heads a word keeps for the dear part of the search; 0 for all of them, without a filter.
    pub heads: usize,
    /// Arcs that the filter scores below minus this many margins are dropped.
    pub filter: f32,
    /// The share of arcs that a first, cheap pass is to let through, measured on held-out training sentences; 0: there is no such
    /// pass, nor with the local loss. The tree approximation has the same.
    pub sieve: f64,
    /// Pruning by tags (`du-2015` section 4.3): pairs that never link, or never so far apart, and the most arguments and
    /// predicates of a word.
    pub pruning: bool,
    /// Words without a head: `none` (they stay so) or `best-head`.
    pub orphans: Orphans,
    /// For arcs that are decided one by one: the log-odds that an arc needs; more for precision, less for recall.
    pub threshold: f32,
    /// What training makes small: `margin` (over whole graphs) or `local` (every pair of words on its own; `order` 1 and
    /// `heads` 0 only).
    pub loss: Loss,
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
            scorer: "linear".into(),
            models: "pc+ac".into(),
            agree: ALL.into(),
            order: 2,
            heads: 8,
            filter: 2.0,
            sieve: 0.0,
            pruning: true,
            orphans: Orphans::None,
            threshold: 0.0,
            loss: Loss::Margin,
            margin: 60.0,
            missing: 1.0,
            pc_weight: 1.0,
            ac_weight: 1.0,
            ta_weight: 2.0,
            iterations: 200,
            step: 0.5,
            unlabelled: false,
            schedule: Schedule { epochs: 8, ..Schedule::default() },
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

/// The keys that only linear scorers have.
pub(super) const LINEAR_KEYS: &[&str] =
    &["arc_templates", "label_templates", "pair_templates", "triple_templates"];

/// How many sentences linear scorers learn from in a step.
pub(super) const LINEAR_BATCH: i64 = 4;

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

/// The preset of `dozat-2018`: every arc on its own, scored by a network.
const BIAFFINE: &str = "biaffine";

/// The presets whose scorer is `bilstm`.
const OF_NETWORKS: &[&str] = &[BIAFFINE];

/// The names of the presets.
pub(super) fn presets() -> Vec<String> {
    let of_chains = PRESETS.iter().map(|models| format!("fact-{}", models.replace('+', "-")));
    of_chains.chain(OF_NETWORKS.iter().map(|&name| name.to_owned())).collect()
}

impl FactorRecipe {
    /// The recipe of a preset.
    pub(super) fn preset(name: &str) -> Option<Self> {
        if name == BIAFFINE && OF_NETWORKS.contains(&name) {
            return Some(FactorRecipe::biaffine());
        }
        let models = name.strip_prefix("fact-")?.replace('-', "+");
        PRESETS.contains(&models.as_str()).then(|| FactorRecipe {
            preset: name.to_owned(),
            models,
            ..FactorRecipe::default()
        })
    }

    /// One model of first order whose arcs are learnt and decided one by one.
    fn biaffine() -> Self {
        FactorRecipe {
            preset: BIAFFINE.into(),
            scorer: "bilstm".into(),
            models: "pc".into(),
            order: 1,
            heads: 0,
            pruning: false,
            loss: Loss::Local,
            orphans: Orphans::BestHead,
            threshold: 0.4,
            schedule: Schedule::by_size(),
            ..FactorRecipe::default()
        }
    }

    /// What a scorer of chains with so many label sets is asked.
    pub(super) fn structure(&self, labels: usize) -> Structure {
        // Without a filter its channel, the first one, is never asked for.
        let unused = usize::from(self.heads == 0 || self.loss == Loss::Local);
        let mut parts = vec![
            PartShape::new(Kind::ARC, CHANNELS, 0, &self.arc_templates).without_first(unused),
            // Label sets count from 1.
            PartShape::new(Kind::LABEL, labels + 1, 1, &self.label_templates),
        ];
        if self.order() >= Order::Second {
            parts.push(PartShape::new(PAIR, CHANNELS, 2, &self.pair_templates));
        }
        if self.order() >= Order::Third {
            parts.push(PartShape::new(TRIPLE, CHANNELS, 3, &self.triple_templates));
        }
        Structure { actions: None, parts }
    }

    /// The share that the sieve lets through, if there is one.
    pub(super) fn sieve(&self) -> Option<f64> {
        (self.loss == Loss::Margin && self.sieve > 0.0).then_some(self.sieve)
    }

    /// What scores are measured in: the margin, or the unit of log-odds.
    pub(super) fn unit(&self) -> f32 {
        match self.loss {
            Loss::Margin => self.margin,
            Loss::Local => 1.0,
        }
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
    pub(super) fn tree_recipe(&self, shelf: Shelf) -> Result<Recipe, RecipeError> {
        let mut recipe = shelf.preset("eisner2")?;
        recipe.set("single_root", false)?;
        recipe.set("sieve", self.sieve)?;
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
            () if self.loss == Loss::Local && self.order > 2 => Err(
                "likelihoods are those of arcs and of neighbours: 'order' is 1 or 2 with loss = \"local\""
                    .into(),
            ),
            () if !(0.0..=1.0).contains(&self.sieve) => Err(sieve::no_share(self.sieve)),
            () if self.iterations == 0 => Err("'iterations' is at least 1".into()),
            () if self.pc_weight.min(self.ac_weight).min(self.ta_weight) <= 0.0 => {
                Err("the weights of models are above 0".into())
            }
            () => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likelihoods_are_of_second_order_at_most() {
        assert_eq!(FactorRecipe::biaffine().check(), Ok(()));
        let local = |order| FactorRecipe { loss: Loss::Local, order, ..FactorRecipe::default() };
        assert_eq!(local(2).check(), Ok(()));
        assert!(local(3).check().is_err_and(|message| message.contains("'order' is 1 or 2")));
        let kinds = |recipe: FactorRecipe| recipe.structure(5).parts.len();
        assert_eq!((kinds(FactorRecipe::biaffine()), kinds(FactorRecipe::default())), (2, 3));
    }

    /// Models of version 2 have recipes without the newer keys, and with keys that are the scorer's now.
    #[test]
    fn older_recipes_are_read() {
        let old = r#"{"preset": "fact-pc", "models": "pc", "order": 3, "batch": 4, "epochs": 2, "least_updates": 1}"#;
        let recipe: FactorRecipe = serde_json::from_str(old).unwrap();
        let (scorer, order, epochs) = (recipe.scorer.as_str(), recipe.order, recipe.schedule.epochs);
        assert_eq!((scorer, order, epochs), ("linear", 3, 2));
        assert_eq!((recipe.loss, recipe.orphans), (Loss::Margin, Orphans::None));
    }
}
