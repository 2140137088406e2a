//! The recipe keys of book-embedding parsers.

use crate::families::sieve;
use crate::scorer::{PartShape, Structure};
use crate::trees::TreeKeys;
use pleach_decode::noncrossing::Order;
use pleach_decode::noncrossing::company::CONTEXTS;
use pleach_decode::noncrossing::factors::{CHANNELS, PAIR_CHOICES, PAIRS, TRIPLE_CHOICES, TRIPLES};
use pleach_decode::part::Kind;
use pleach_graph::properties::Root;
use pleach_model::recipe::{Schedule, When};
use serde::{Deserialize, Serialize};

/// How a graph is put on pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pages {
    /// One page: a maximum noncrossing subgraph (MS in the paper's Table 2).
    One,
    /// Two pages, found one without the other and laid upon each other (NC).
    Naive,
    /// Two pages, bound by relaxation (LR).
    Bound,
}

/// Which colour of a component of crossing edges goes to the first page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flips {
    /// That of its first edge.
    First,
    /// That which makes the pages most regular across the treebank.
    Regular,
}

/// Which edges excuse that a page lacks an edge of the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Excuses {
    /// All that cross it, as in the paper.
    Any,
    /// Those that cross it and score above 0 alone.
    Liked,
}

/// Where the root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootArcs {
    /// On the spine before the first word: its arcs lie on pages as others do.
    Spine,
    /// On no page, as in the paper: its arcs are chosen each on its own.
    Apart,
}

/// What training makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// How far the best wrong page, its costs added, is above the gold one: learning searches.
    Margin,
    /// The negative log-likelihood of every pair of words and of the labels of gold edges: learning doesn't search, and
    /// only single edges are learnt.
    Local,
}

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BookRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// Who scores the edges.
    pub scorer: String,
    /// The decoder of a page, `m1` to `m5` (`sun-2017` section 5.3).
    pub model: String,
    /// How many pages, and how they are put together: `one`, `naive` or `bound`.
    pub pages: Pages,
    /// Where the root is: a word on the `spine`, or `apart`, where no arc can cross its arcs.
    pub root: RootArcs,
    /// The beam of `m3`, `m4` and `m5`.
    pub beam: usize,
    /// The share of arcs that a first, cheap pass is to let through, measured on held-out training sentences; 0: there is no such
    /// pass, nor with the local loss.
    pub sieve: f64,
    /// How many edges of a word pass the filter.
    pub candidates: usize,
    /// By how much the filter's score of an edge may be below that of the best one of a word, in units of the margin
    /// (for the local loss, in log-odds, and below 0 at least).
    pub gap: f32,
    /// An edge is given up by `m3`, `m4` and `m5` when it makes the best structure below it worse by more than this many margins; 0: none
    /// is.
    pub give_up: f32,
    /// Which colour of crossing edges goes to the first page: `first` or `regular`.
    pub flips: Flips,
    /// At most so many iterations bind two pages.
    pub iterations: usize,
    /// The first step of the relaxation, in units of the mean score of the edges that score above 0.
    pub step: f64,
    /// Which edges of a page excuse that it lacks an edge of the other page: all that cross it (`any`, as in the paper), or
    /// those among them that score above 0 (`liked`).
    pub excuses: Excuses,
    /// Put labels aside.
    pub unlabelled: bool,
    /// What training makes small: `margin` (over whole pages) or `local` (every pair of words on its own; `m1` only).
    pub loss: Loss,
    /// What an edge that is not gold costs in training; a wrong label costs half of it.
    pub margin: f32,
    /// What a missing gold edge costs, in units of the margin: more than 1 for recall.
    pub recall: f32,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// The template files, shipped names or paths: pairs of words, labels, two and three edges.
    pub arc_templates: String,
    /// For labels.
    pub label_templates: String,
    /// For two edges of a word.
    pub pair_templates: String,
    /// For three edges.
    pub triple_templates: String,
    /// For labels in the company of other edges; none when empty.
    pub context_templates: String,
    /// Fold empty nodes into path labels.
    pub collapse: When,
    /// Write placeholders for words in labels.
    pub delexicalise: When,
    /// The trees that path features look at.
    #[serde(flatten)]
    pub trees: TreeKeys,
}

impl Default for BookRecipe {
    fn default() -> Self {
        BookRecipe {
            preset: "book-m4-lr".into(),
            scorer: "linear".into(),
            model: "m4".into(),
            pages: Pages::Bound,
            root: RootArcs::Spine,
            beam: 4,
            sieve: 0.0,
            candidates: 8,
            gap: 10.0,
            give_up: 0.0,
            flips: Flips::Regular,
            iterations: 50,
            step: 0.5,
            excuses: Excuses::Liked,
            unlabelled: false,
            loss: Loss::Margin,
            margin: 50.0,
            recall: 2.0,
            schedule: Schedule { epochs: 10, ..Schedule::default() },
            arc_templates: "graph-arc".into(),
            label_templates: "graph-label".into(),
            pair_templates: "graph-pair".into(),
            triple_templates: "graph-triple".into(),
            context_templates: "graph-context".into(),
            collapse: When::Auto,
            delexicalise: When::Auto,
            trees: TreeKeys::default(),
        }
    }
}

/// The keys that only linear scorers have.
pub(super) const LINEAR_KEYS: &[&str] =
    &["arc_templates", "label_templates", "pair_templates", "triple_templates", "context_templates"];

const MODELS: [(&str, Order); 5] = [
    ("m1", Order::First),
    ("m2", Order::Neighbours),
    ("m3", Order::Neighbours),
    ("m4", Order::BothSides),
    ("m5", Order::Third),
];

const PAGES: [(&str, Pages); 3] = [("", Pages::One), ("-nc", Pages::Naive), ("-lr", Pages::Bound)];

/// The names of the presets.
pub(super) fn presets() -> Vec<String> {
    let of = |model: &str| PAGES.map(|(pages, _)| format!("book-{model}{pages}"));
    MODELS.iter().flat_map(|(model, _)| of(model)).collect()
}

impl BookRecipe {
    /// The recipe of a preset.
    pub(super) fn preset(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix("book-")?.splitn(2, '-');
        let model = parts.next().filter(|model| MODELS.iter().any(|(known, _)| known == model))?;
        let suffix = name.strip_prefix("book-")?.strip_prefix(model)?;
        let &(_, pages) = PAGES.iter().find(|(known, _)| *known == suffix)?;
        Some(BookRecipe { preset: name.to_owned(), model: model.to_owned(), pages, ..BookRecipe::default() })
    }

    /// The order of its factors.
    pub(super) fn order(&self) -> Result<Order, String> {
        let known = MODELS.iter().find(|(model, _)| *model == self.model);
        known.map(|&(_, order)| order).ok_or_else(|| format!("'model' is m1 to m5, not '{}'", self.model))
    }

    /// Says what makes no sense.
    pub(super) fn check(&self) -> Result<(), String> {
        let order = self.order()?;
        match () {
            () if self.loss == Loss::Local && order != Order::First => Err(format!(
                "'loss' is margin for {}: what is learnt locally are single edges, m1",
                self.model
            )),
            () if !(0.0..=1.0).contains(&self.sieve) => Err(sieve::no_share(self.sieve)),
            () if self.candidates == 0 => Err("'candidates' is at least 1".into()),
            () if self.give_up < 0.0 || self.give_up.is_nan() => Err("'give_up' is at least 0".into()),
            () if self.iterations == 0 => Err("'iterations' is at least 1".into()),
            () if self.step <= 0.0 || !self.step.is_finite() => Err("'step' is above 0".into()),
            () => Ok(()),
        }
    }

    /// The share that the sieve lets through, if there is one.
    pub(super) fn sieve(&self) -> Option<f64> {
        (self.loss == Loss::Margin && self.sieve > 0.0).then_some(self.sieve)
    }

    /// The number of page models.
    pub(super) fn page_count(&self) -> usize {
        if self.pages == Pages::One { 1 } else { 2 }
    }

    /// Which edges of a graph lie on pages.
    pub(super) fn on_pages(&self) -> Root {
        match self.root {
            RootArcs::Spine => Root::Included,
            RootArcs::Apart => Root::Excluded,
        }
    }

    /// What a scorer of a page with so many labels is asked.
    pub(super) fn structure(&self, labels: usize) -> Structure {
        let order = self.order().unwrap_or(Order::First);
        let mut parts = vec![PartShape::new(Kind::ARC, CHANNELS, 0, &self.arc_templates)];
        if !self.unlabelled {
            parts.push(PartShape::new(Kind::LABEL, labels, 1, &self.label_templates));
        }
        if order >= Order::Neighbours {
            parts.extend(PAIRS.map(|kind| PartShape::new(kind, PAIR_CHOICES, 2, &self.pair_templates)));
        }
        if order >= Order::Third {
            parts.extend(TRIPLES.map(|kind| PartShape::new(kind, TRIPLE_CHOICES, 3, &self.triple_templates)));
        }
        if order >= Order::Neighbours && !self.unlabelled && !self.context_templates.is_empty() {
            let shape = |kind| PartShape::new(kind, labels, 4, &self.context_templates).once();
            parts.extend(CONTEXTS.map(shape));
        }
        Structure { actions: None, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_one() {
        for name in presets() {
            let recipe = BookRecipe::preset(&name).unwrap();
            assert_eq!(recipe.preset, name);
            recipe.check().unwrap();
        }
        assert_eq!(presets().len(), 15);
        let local = BookRecipe { loss: Loss::Local, ..BookRecipe::default() };
        assert!(local.check().is_err_and(|message| message.contains("'loss' is margin for m4")));
        let eager = BookRecipe { give_up: -1.0, ..BookRecipe::default() };
        assert!(eager.check().is_err_and(|message| message.contains("'give_up' is at least 0")));
        for name in ["book-m6", "book-m1-xx", "book", "m4-lr"] {
            assert_eq!(BookRecipe::preset(name), None, "{name}");
        }
    }
}
