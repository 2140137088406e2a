//! From sentences to graphs, whoever scores: the models that a [`Card`](super::card::Card) describes, and the graph that
//! they agree on.

use super::approximation::{Approximation, TreeSpace};
use super::card::GraphCard;
use super::problem::{ChainModel, Problem};
use super::pruning::Pruning;
use super::recipe::{FactorRecipe, Loss, Orphans};
use super::search::Search;
use crate::families::batch;
use crate::families::sieve::Sieve;
use crate::scorer::{Bound, ModelScorer};
use crate::workspace::Workspace;
use pleach_decode::markov::Agreement;
use pleach_decode::part::PartScorer;
use pleach_decode::relax::{Item, Iteration, Outcome, Relaxation, Settings, Subproblem};
use pleach_graph::encoded::LabelSets;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_graph::{Graph, Node, Sentence, Tree};

/// Scores are sums of 32-bit floats; a gap below this share of the margin is none.
const TOLERANCE: f64 = 1e-3;

/// Models without the scorers of their chains.
#[derive(Debug)]
pub(super) struct Parse {
    pub recipe: FactorRecipe,
    pub models: Vec<ChainModel>,
    pub labels: LabelSets,
    pub transform: Transform,
    pub pruning: Option<Pruning>,
    pub sieve: Option<Sieve>,
    /// The tree approximation, if it takes part.
    pub approximation: Option<Approximation>,
    /// The margin in the units of the scores: chain models are scaled to the tree approximation.
    unit: f32,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    words: Vec<Words>,
    scoring: Scoring,
    work: Work,
}

/// The memory of the scorers, one of each.
#[derive(Debug, Default)]
struct Scoring {
    chains: Vec<Workspace>,
    tree: Workspace,
}

/// The memory of the search for one sentence's graph.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub search: Search,
    tree: TreeSpace,
    relaxation: Relaxation,
    chosen: Vec<Item>,
}

/// All scorers, bound to the same sentences.
pub(super) struct Scorers<'a> {
    words: Vec<&'a Words>,
    chains: Vec<Box<dyn Bound + 'a>>,
    tree: Option<Box<dyn Bound + 'a>>,
    sentence: usize,
}

impl<'a> Scorers<'a> {
    /// Goes on to another sentence.
    fn turn_to(&mut self, sentence: usize) {
        self.sentence = sentence;
        self.chains.iter_mut().chain(&mut self.tree).for_each(|bound| bound.turn_to(sentence));
    }

    /// The words of the sentence that was turned to.
    pub fn words(&self) -> &'a Words {
        self.words[self.sentence]
    }

    /// The scorers of the chain models.
    pub fn chains(&mut self) -> Vec<&mut dyn PartScorer> {
        part_scorers(&mut self.chains)
    }
}

fn part_scorers<'s>(bounds: &'s mut [Box<dyn Bound + '_>]) -> Vec<&'s mut dyn PartScorer> {
    bounds.iter_mut().map(|bound| &mut **bound as &mut dyn PartScorer).collect()
}

impl Parse {
    /// Some models that were trained on the same data.
    pub fn new(recipe: FactorRecipe, models: Vec<ChainModel>, graphs: GraphCard) -> Self {
        Parse {
            labels: LabelSets::from_values(recipe.unlabelled, graphs.label_sets),
            transform: Transform { collapse: graphs.collapse, delexicalise: graphs.delexicalise },
            pruning: graphs.pruning,
            sieve: graphs.sieve,
            approximation: None,
            unit: recipe.unit(),
            recipe,
            models,
        }
    }

    /// Measures the scores of the chains in the units of the tree approximation.
    pub fn scale_to(&mut self, approximation: Approximation) {
        self.unit = approximation.model.margin();
        let scale = self.unit / (self.recipe.unit() * self.recipe.ta_weight);
        self.models.iter_mut().for_each(|model| model.weight *= scale);
        self.approximation = Some(approximation);
    }

    /// The problem of a sentence.
    pub fn problem<'a>(&'a self, words: &'a Words) -> Problem<'a> {
        let FactorRecipe { heads, filter, margin, .. } = self.recipe;
        let local = self.recipe.loss == Loss::Local;
        let filtered = heads > 0 && !local;
        let most = if heads > 0 { heads } else { usize::MAX };
        let (heads, least) = match () {
            () if filtered => (heads, -(filter * margin * self.models.len() as f32)),
            // Neighbours may bring arcs in that are not likely enough by themselves.
            () if local && self.recipe.order > 1 => {
                (most, (self.recipe.threshold - filter) * self.models.len() as f32)
            }
            // Arcs that are decided alone are in the graph when they score above the threshold.
            () if local => (usize::MAX, self.recipe.threshold),
            () => (usize::MAX, f32::NEG_INFINITY),
        };
        Problem {
            models: &self.models,
            pruning: self.pruning.as_ref(),
            sieve: self.sieve.as_ref(),
            labels: self.labels.len(),
            filtered,
            heads,
            least,
            local,
            threshold: if local { self.recipe.threshold } else { 0.0 },
            adopt: self.recipe.orphans == Orphans::BestHead,
            words,
            missing: self.recipe.missing,
            also: &[],
            gold: None,
        }
    }

    /// Binds all scorers to sentences without empty nodes, turned to the first one, and gives the memory for the rest.
    /// `chains` are the scorers of the models.
    pub fn bind<'a>(
        &'a self,
        chains: impl ExactSizeIterator<Item = &'a dyn ModelScorer>,
        sentences: &[Sentence],
        trees: &[Tree],
        space: &'a mut Space,
    ) -> (Scorers<'a>, &'a mut Work) {
        let Space { words, scoring, work } = space;
        let words = batch::fill(words, sentences.iter(), trees);
        let Scoring { chains: memory, tree } = scoring;
        if memory.len() < chains.len() {
            memory.resize_with(chains.len(), Workspace::default);
        }
        let scorers = Scorers {
            chains: chains.zip(memory).map(|(scorer, memory)| scorer.bind(words.clone(), memory)).collect(),
            tree: self.approximation.as_ref().map(|tree_model| tree_model.scorer.bind(words.clone(), tree)),
            words,
            sentence: 0,
        };
        (scorers, work)
    }

    /// The graphs of sentences without empty nodes.
    pub fn graphs<'a>(
        &'a self,
        chains: impl ExactSizeIterator<Item = &'a dyn ModelScorer>,
        sentences: &[Sentence],
        trees: &[Tree],
        space: &'a mut Space,
    ) -> Vec<Graph> {
        let (mut scorers, work) = self.bind(chains, sentences, trees, space);
        let graph = |(number, sentence): (usize, &Sentence)| {
            if sentence.is_empty() {
                return Graph::new(0);
            }
            scorers.turn_to(number);
            self.decode(&mut scorers, work, None);
            let Work { search, chosen, .. } = &*work;
            let arcs = chosen.iter().flat_map(|&id| {
                let arc = search.arcs[id as usize];
                self.labels.decode((arc.head as Node, arc.dependent as Node, search.labels[id as usize]))
            });
            Graph::from_arcs(sentence.len(), arcs.collect())
        };
        sentences.iter().enumerate().map(graph).collect()
    }

    /// Scores the sentence that was turned to and makes the models agree: the candidates of `work.search` that
    /// `work.chosen` names.
    pub fn decode(
        &self,
        scorers: &mut Scorers<'_>,
        work: &mut Work,
        trace: Option<&mut Vec<Iteration>>,
    ) -> Outcome {
        let words = scorers.words();
        let Scorers { chains, tree, .. } = scorers;
        let Work { search, tree: tree_space, relaxation, chosen } = work;
        let mut tree = self.approximation.as_ref().zip(tree.as_mut());
        let mut problem = self.problem(words);
        if let Some((approximation, scorer)) = &mut tree {
            approximation.prepare(&mut ***scorer, words, tree_space);
            problem.also = &tree_space.wanted;
        }
        search.prepare(&mut part_scorers(chains), &problem);
        if tree.is_some() {
            tree_space.offer(&search.arcs);
        }
        let (count, graphs) = (search.arcs.len(), search.spaces.len());
        let mut agreement = Agreement { arcs: count, graphs, tree: tree.is_some() };
        let unit = f64::from(self.unit);
        let settings = Settings {
            iterations: self.recipe.iterations,
            step: self.recipe.step * unit,
            tolerance: TOLERANCE * unit,
            ..Settings::default()
        };
        let mut subproblems: Vec<&mut dyn Subproblem> =
            search.spaces.iter_mut().map(|space| &mut space.markov as &mut dyn Subproblem).collect();
        if tree.is_some() {
            subproblems.push(&mut tree_space.offers.tree);
        }
        let outcome = relaxation.solve(&mut subproblems, &mut agreement, &settings, trace);
        if let Some((approximation, scorer)) = &mut tree {
            let said = relaxation.solution(graphs);
            approximation.label(&mut ***scorer, words.len(), said, tree_space, search);
        }
        chosen.clear();
        chosen.extend_from_slice(relaxation.solution(0));
        if self.recipe.orphans == Orphans::BestHead {
            search.adopt(chosen);
        }
        outcome
    }
}
