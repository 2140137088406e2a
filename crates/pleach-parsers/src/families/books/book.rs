//! From scores to graphs: the pages that page models find, and how they are put together (`sun-2017` section 4).

use super::card::{Card, CardError};
use super::page::Model;
use super::recipe::{BookRecipe, Excuses, Pages};
use super::roots;
use super::space::{Choice, PageSpace};
use crate::families::sieve::Sieve;
use crate::scorer::{Bound, ModelScorer};
use crate::workspace::Workspace;
use pleach_decode::noncrossing::binding::{Binding, Page, item, link};
use pleach_decode::noncrossing::{Candidates, Link};
use pleach_decode::relax::{Iteration, Outcome, Relaxation, Settings};
use pleach_graph::encoded::{Edge, LabelSets};
use pleach_graph::enhanced::Transform;
use pleach_graph::properties::Edges;
use pleach_graph::words::Words;
use pleach_graph::{Arc, Graph, Node, Sentence, Tree};

/// A parser without its scorers.
#[derive(Debug)]
pub(super) struct Book {
    pub recipe: BookRecipe,
    pub model: Model,
    pub labels: LabelSets,
    pub transform: Transform,
    pub sieve: Option<Sieve>,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    pub words: Vec<Words>,
    /// What each page's scorer keeps.
    pub scoring: [Workspace; 2],
    pub found: Found,
}

/// What was found in the sentence that was looked at last.
#[derive(Debug, Default)]
pub(super) struct Found {
    pages: [PageSpace; 2],
    choice: Choice,
    pub candidates: Candidates,
    relaxation: Relaxation,
    /// The edges of each page.
    pub links: [Vec<Link>; 2],
    /// The children of a root that is on no page.
    pub roots: Vec<Node>,
    root_labels: Vec<f32>,
}

impl Found {
    /// How many of these edges were candidates.
    pub fn passed(&self, edges: &Edges) -> usize {
        let passes = |left: u32, right: u32| self.candidates.find(left as Node, right as Node).is_some();
        edges.as_slice().iter().filter(|edge| passes(edge.left.0, edge.right.0)).count()
    }
}

/// The scorers of all pages, bound to some sentences.
pub(super) type BoundPages<'a> = Vec<Box<dyn Bound + 'a>>;

/// Binds the scorers of all pages to sentences; gives their words too.
pub(super) fn bind<'a>(
    scorers: &[&'a dyn ModelScorer],
    sentences: &[Sentence],
    trees: &[Tree],
    words: &'a mut Vec<Words>,
    scoring: &'a mut [Workspace; 2],
) -> (BoundPages<'a>, &'a [Words]) {
    if words.len() < sentences.len() {
        words.resize_with(sentences.len(), Words::default);
    }
    for (number, sentence) in sentences.iter().enumerate() {
        words[number].refill(sentence, trees.get(number), false);
    }
    let words = &words[..sentences.len()];
    let pages = scorers.iter().zip(scoring);
    (pages.map(|(scorer, memory)| scorer.bind(words.iter().collect(), memory)).collect(), words)
}

impl Book {
    /// The parser that a recipe and the labels of a treebank make.
    pub fn new(
        recipe: &BookRecipe,
        labels: LabelSets,
        edges: Vec<Edge>,
        transform: Transform,
    ) -> Result<Self, CardError> {
        recipe.check().map_err(CardError::Setting)?;
        let order = recipe.order().map_err(CardError::Setting)?;
        let model = Model::new(recipe, order, edges);
        Ok(Book { recipe: recipe.clone(), model, labels, transform, sieve: None })
    }

    /// The parser that a card describes.
    pub fn open(card: &Card) -> Result<Self, CardError> {
        let edges: Vec<Edge> = card.edges.iter().map(|&(left, right)| Edge { left, right }).collect();
        let in_range = |edge: &Edge| usize::from(edge.left.max(edge.right)) <= card.label_sets.len();
        if !edges.iter().all(in_range) || edges.len() > usize::from(u16::MAX) {
            return Err(CardError::Range);
        }
        let labels = LabelSets::from_values(card.recipe.unlabelled, card.label_sets.clone());
        let transform = Transform { collapse: card.collapse, delexicalise: card.delexicalise };
        Ok(Book { sieve: card.sieve.clone(), ..Book::new(&card.recipe, labels, edges, transform)? })
    }

    /// The parser as a card.
    pub fn card(&self) -> Card {
        Card {
            recipe: self.recipe.clone(),
            collapse: self.transform.collapse,
            delexicalise: self.transform.delexicalise,
            label_sets: self.labels.values(),
            edges: self.model.edges.iter().map(|edge| (edge.left, edge.right)).collect(),
            sieve: self.sieve.clone(),
        }
    }

    /// The graphs of sentences without empty nodes, as the parser learnt them: transforms not undone. `scorers` are those
    /// of the pages; the trees are none or one for each sentence.
    pub fn graphs(
        &self,
        scorers: &[&dyn ModelScorer],
        sentences: &[Sentence],
        trees: &[Tree],
        beam: usize,
        space: &mut Space,
    ) -> Vec<Graph> {
        let Space { words, scoring, found } = space;
        let (mut pages, words) = bind(scorers, sentences, trees, words, scoring);
        let mut graph = |(number, words): (usize, &Words)| {
            pages.iter_mut().for_each(|page| page.turn_to(number));
            self.analyse(&mut pages, words, beam, found, None);
            Graph::from_arcs(words.len(), self.read_off(&mut pages, found))
        };
        words.iter().enumerate().map(&mut graph).collect()
    }

    /// Finds the edges of all pages of a sentence; gives the outcome of the relaxation if there was one.
    pub fn analyse(
        &self,
        scorers: &mut BoundPages<'_>,
        words: &Words,
        beam: usize,
        found: &mut Found,
        trace: Option<&mut Vec<Iteration>>,
    ) -> Option<Outcome> {
        let Found { pages, choice, candidates, links, roots, .. } = &mut *found;
        let model = &self.model;
        choice.start(words.len() + 1);
        if let Some(sieve) = &self.sieve {
            choice.sift(sieve, words, &[], model.apart);
        }
        for (scorer, page) in scorers.iter_mut().zip(&mut *pages) {
            model.score_pairs(&mut **scorer, choice, page);
            model.filter(page, choice);
        }
        choice.candidates(candidates);
        roots.clear();
        if model.apart {
            roots::children(&pages[0], words.len() + 1, roots);
        }
        for (scorer, page) in scorers.iter_mut().zip(&mut *pages) {
            model.score_candidates(&mut **scorer, candidates, None, page);
        }
        if let ([one, two], Pages::Bound) = (scorers.as_mut_slice(), self.recipe.pages) {
            return Some(self.bind_pages([&mut **one, &mut **two], beam, found, trace));
        }
        for ((scorer, page), links) in scorers.iter_mut().zip(pages).zip(links) {
            model.decode(&mut **scorer, candidates, beam, page, links);
        }
        None
    }

    /// Finds two pages that agree.
    fn bind_pages(
        &self,
        [scorer_1, scorer_2]: [&mut dyn Bound; 2],
        beam: usize,
        found: &mut Found,
        trace: Option<&mut Vec<Iteration>>,
    ) -> Outcome {
        let Found { pages, candidates, relaxation, links, .. } = found;
        let (model, recipe) = (&self.model, &self.recipe);
        let step = recipe.step * mean_score(pages);
        let [one, two] = pages;
        let exact = [&*scorer_1, &*scorer_2].map(|scorer| model.is_exact(model.order(scorer)));
        let decode_1 = model.decoder(scorer_1, candidates, beam, (&mut one.decoders, &mut one.memo));
        let decode_2 = model.decoder(scorer_2, candidates, beam, (&mut two.decoders, &mut two.memo));
        let mut page_1 = Page::new(&one.scores, exact[0], decode_1);
        let mut page_2 = Page::new(&two.scores, exact[1], decode_2);
        let settings = Settings { iterations: recipe.iterations, step, ..Settings::default() };
        let mut binding = match recipe.excuses {
            Excuses::Any => Binding::new(candidates),
            Excuses::Liked => Binding::among_liked(candidates, [&one.scores, &two.scores]),
        };
        let outcome = relaxation.solve(&mut [&mut page_1, &mut page_2], &mut binding, &settings, trace);
        for (page, links) in links.iter_mut().enumerate() {
            links.clear();
            links.extend(relaxation.solution(page).iter().map(|&item| link(item)));
        }
        outcome
    }

    /// The score of a page alone, found with a beam, of the sentence that was analysed last.
    pub fn page_score(
        &self,
        scorers: &mut BoundPages<'_>,
        page: usize,
        beam: usize,
        found: &mut Found,
    ) -> f32 {
        let Found { pages, candidates, .. } = found;
        self.model.decode(&mut *scorers[page], candidates, beam, &mut pages[page], &mut Vec::new())
    }

    /// The arcs of all pages. What is on both pages gets the label that both together like best; pages that disagree on
    /// the direction of an edge each have their own.
    fn read_off(&self, scorers: &mut BoundPages<'_>, found: &mut Found) -> Vec<Arc> {
        let Found { pages, candidates, links, roots, root_labels, .. } = found;
        let links = &links[..scorers.len()];
        for ((scorer, page), links) in scorers.iter_mut().zip(&mut *pages).zip(links) {
            self.model.score_labels(&mut **scorer, candidates, links, page);
        }
        let mut all: Vec<Link> = links.iter().flatten().copied().collect();
        all.sort_unstable_by_key(|&link| item(link));
        all.dedup();
        let mut arcs = Vec::new();
        for link in all {
            let of_link = pages.iter().zip(links).filter(|(_, links)| links.binary_search(&link).is_ok());
            let (of_link, count) = of_link.fold(([&pages[0]; 2], 0), |(mut list, count), (page, _)| {
                list[count] = page;
                (list, count + 1)
            });
            let label = self.model.best_label(link, None, &of_link[..count]);
            let Edge { left: to_left, right: to_right } = self.model.edges[usize::from(label)];
            let (left, right) = candidates.ends(link.edge);
            for arc in [(left, right, to_right), (right, left, to_left)] {
                arcs.extend(self.labels.decode(arc));
            }
        }
        if let Some(first) = scorers.first_mut() {
            for &child in &*roots {
                let label = roots::label(&self.model, &mut **first, child, None, root_labels);
                let set = label.map_or(0, |label| self.model.edges[usize::from(label)].right);
                arcs.extend(self.labels.decode((0, child, set)));
            }
        }
        arcs
    }
}

/// The mean score of the edges that score above 0, the unit of the relaxation's steps.
fn mean_score(pages: &[PageSpace; 2]) -> f64 {
    let best =
        pages.iter().flat_map(|page| &page.scores).map(|scores| scores.iter().copied().fold(0.0, f32::max));
    let (sum, count) = best
        .filter(|&score| score > 0.0)
        .fold((0.0, 0), |(sum, count), score| (sum + f64::from(score), count + 1));
    if count == 0 { 1.0 } else { sum / f64::from(count) }
}
