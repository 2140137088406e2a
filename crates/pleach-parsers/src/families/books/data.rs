//! From treebank sentences to what the perceptron learns from: hashed words and the edges of each page.

use super::engine::{Card, Engine};
use super::page::Labelled;
use super::pages::{Regularity, edges, largest_page, page_graph};
use super::recipe::{BookRecipe, Pages};
use crate::family::transition::DataError;
use crate::train::{Corpus, HeldOut, TrainError};
use crate::trees::Supplied;
use pleach_decode::noncrossing::Node;
use pleach_graph::Text;
use pleach_graph::enhanced::Transform;
use pleach_graph::properties::TwoPages;
use pleach_linear::words::Words;
use pleach_transition::action::Edge;
use pleach_transition::labels::{Labels, UNLABELLED};
use pleach_transition::oracle::Gold;
use std::collections::BTreeSet;

/// One sentence to learn from.
#[derive(Debug)]
pub(super) struct Example {
    pub words: Words,
    /// The edges of each page, sorted.
    pub pages: Vec<Vec<Labelled>>,
}

/// A treebank made ready, and the engine that fits it.
#[derive(Debug)]
pub(super) struct Data {
    pub engine: Engine,
    pub examples: Vec<Example>,
    /// The development data as users see it.
    pub dev: HeldOut,
    /// What of it is on each of two pages, as the model learns it.
    pub dev_pages: [HeldOut; 2],
    pub tokens: usize,
    pub arcs: usize,
    /// Arcs that are on no page.
    pub lost: usize,
}

/// The edges of a graph with their places in the list of encoded labels.
fn labelled(gold: &Gold, known: &[Edge]) -> Vec<Labelled> {
    let mut all = Vec::new();
    for left in 0..=gold.len() as Node {
        for &(right, edge) in gold.neighbours(left).iter().filter(|(right, _)| *right > left) {
            all.push((left, right, known.partition_point(|&other| other < edge) as u16));
        }
    }
    all
}

fn on_page(all: &[Labelled], pages: &TwoPages, page: usize) -> Vec<Labelled> {
    let kept = all.iter().zip(pages.pages()).filter(|(_, edge)| edge.is_on(page));
    kept.map(|(&edge, _)| edge).collect()
}

impl Data {
    /// Transforms the sentences, finds their pages and collects the labels.
    pub fn prepare(
        recipe: &BookRecipe,
        transform: Transform,
        corpus: Corpus,
        trees: Option<&Supplied>,
    ) -> Result<Self, TrainError> {
        let Corpus { mut train, dev } = corpus;
        for sentence in &mut train {
            transform.apply(sentence);
        }
        let mut labels = Labels::new(&super::engine::label_settings(), recipe.unlabelled);
        let mut golds = Vec::with_capacity(train.len());
        let mut known = BTreeSet::new();
        for (i, sentence) in train.iter().enumerate() {
            let gold = labels.encode(&sentence.graph, &[]);
            let gold = gold.map_err(|source| DataError::Encode { sentence: i + 1, source })?;
            for node in 0..=gold.len() as Node {
                known.extend(
                    gold.neighbours(node).iter().filter(|(other, _)| *other > node).map(|near| near.1),
                );
            }
            golds.push(gold);
        }
        let known: Vec<Edge> = known.into_iter().collect();
        if known.is_empty() {
            return Err(DataError::NoArcs.into());
        }
        if known.len() > usize::from(u16::MAX) {
            return Err(DataError::Actions(known.len()).into());
        }
        let (regularity, pages) = Regularity::learn(&train, recipe.flips);
        let (mut tokens, mut arcs, mut lost) = (0, 0, 0);
        let mut examples = Vec::with_capacity(train.len());
        for (i, ((sentence, gold), pages)) in train.iter().zip(&golds).zip(&pages).enumerate() {
            let all = labelled(gold, &known);
            let of_pages = match recipe.pages {
                Pages::One => {
                    let places = largest_page(&edges(&sentence.graph));
                    vec![places.into_iter().map(|place| all[place]).collect()]
                }
                Pages::Naive | Pages::Bound => vec![on_page(&all, pages, 0), on_page(&all, pages, 1)],
            };
            tokens += sentence.len();
            arcs += sentence.graph.arcs().len();
            let is_kept = |&(left, right): &(Node, Node)| {
                let has =
                    |page: &Vec<Labelled>| page.binary_search_by_key(&(left, right), |e| (e.0, e.1)).is_ok();
                of_pages.iter().any(has)
            };
            let spans = edges(&sentence.graph);
            let spans = spans.as_slice().iter().map(|edge| (edge.left.0 as Node, edge.right.0 as Node));
            lost += spans.filter(|span| !is_kept(span)).count();
            let mut words = Words::default();
            words.fill(sentence, false);
            if let Some(trees) = trees {
                words.set_tree(&trees.train[i], false);
            }
            examples.push(Example { words, pages: of_pages });
        }
        let mut learnt = dev.clone();
        learnt.iter_mut().for_each(|sentence| transform.apply(sentence));
        let pages: Vec<TwoPages> = learnt.iter().map(|sentence| regularity.pages(sentence)).collect();
        let dev = HeldOut::new(dev, recipe.unlabelled, trees);
        let dev_pages = [0, 1].map(|page| {
            let graphs = learnt.iter().zip(&pages).map(|(sentence, pages)| {
                let graph = page_graph(&sentence.graph, pages, page);
                if recipe.unlabelled { graph.map_labels(|_| Text::from(UNLABELLED)) } else { graph }
            });
            dev.with_gold(graphs.collect())
        });
        let templates = recipe.sources()?.to_vec();
        let card = Card {
            recipe: recipe.clone(),
            templates,
            collapse: transform.collapse,
            delexicalise: transform.delexicalise,
            label_sets: labels.sets(),
            edges: known.iter().map(|edge| (edge.left, edge.right)).collect(),
        };
        let engine = Engine::new(card)?;
        Ok(Data { engine, examples, dev, dev_pages, tokens, arcs, lost })
    }
}
