//! From treebank sentences to what is learnt from: words and the edges of each page.

use super::book::Book;
use super::page::Labelled;
use super::pages::{Regularity, largest_page, page_graph};
use super::recipe::{BookRecipe, Pages};
use crate::families::data::{DataError, Opening};
use crate::families::sieve::Sieve;
use crate::held_out::HeldOut;
use crate::train::{Corpus, TrainError};
use crate::trees::Supplied;
use pleach_graph::encoded::{Edge, Gold, LabelSets, UNLABELLED};
use pleach_graph::enhanced::Transform;
use pleach_graph::properties::{Edges, Root, TwoPages};
use pleach_graph::words::Words;
use pleach_graph::{Graph, Node, Sentence, Text};
use std::collections::BTreeSet;

/// One sentence to learn from.
#[derive(Debug)]
pub(super) struct Example {
    pub words: Words,
    /// The edges of each page, sorted; the arcs of a root that is apart are with the first one.
    pub pages: Vec<Vec<Labelled>>,
}

/// A treebank made ready, and the parser that fits it.
#[derive(Debug)]
pub(super) struct Data {
    pub book: Book,
    pub examples: Vec<Example>,
    /// The development data as users see it.
    pub dev: HeldOut,
    /// What of it is on each of two pages, as the model learns it; none when there is only one.
    pub dev_pages: Vec<HeldOut>,
    pub tokens: usize,
    pub arcs: usize,
    /// Arcs that are on no page.
    pub lost: usize,
}

/// The edges of a graph as they are encoded, each seen from its left end.
fn encoded(gold: &Gold) -> impl Iterator<Item = (Node, Node, Edge)> {
    (0..=gold.len() as Node).flat_map(|left| {
        let rightward = gold.neighbours(left).iter().filter(move |(right, _)| *right > left);
        rightward.map(move |&(right, edge)| (left, right, edge))
    })
}

/// The edges of a graph with their places in the list of encoded labels.
fn labelled(gold: &Gold, known: &[Edge]) -> Vec<Labelled> {
    let place = |edge: Edge| known.partition_point(|&other| other < edge) as u16;
    encoded(gold).map(|(left, right, edge)| (left, right, place(edge))).collect()
}

fn on_page(all: &[Labelled], pages: &TwoPages, page: usize) -> Vec<Labelled> {
    let kept = all.iter().zip(pages.pages()).filter(|(_, edge)| edge.is_on(page));
    kept.map(|(&edge, _)| edge).collect()
}

/// How many of all edges are on no page.
fn count_lost(all: &[Labelled], pages: &[Vec<Labelled>]) -> usize {
    all.iter().filter(|edge| pages.iter().all(|page| page.binary_search(edge).is_err())).count()
}

impl Data {
    /// Transforms the sentences, finds their pages and collects the labels.
    pub fn prepare(
        recipe: &BookRecipe,
        transform: Transform,
        corpus: Corpus,
        trees: Option<&Supplied>,
    ) -> Result<Self, TrainError> {
        let mut learnt = if recipe.pages == Pages::One { Vec::new() } else { corpus.dev.clone() };
        learnt.iter_mut().for_each(|sentence| transform.apply(sentence));
        let Opening { train, dev } = Opening::new(corpus, transform, recipe.unlabelled, trees);
        let mut labels = LabelSets::new(recipe.unlabelled);
        let mut golds = Vec::with_capacity(train.len());
        let mut known = BTreeSet::new();
        for (i, sentence) in train.iter().enumerate() {
            let arcs = labels.encode(&sentence.graph).map_err(|source| DataError::encode(i, source))?;
            let gold = Gold::new(sentence.graph.len(), &arcs);
            known.extend(encoded(&gold).map(|(_, _, edge)| edge));
            golds.push(gold);
        }
        let known: Vec<Edge> = known.into_iter().collect();
        if known.is_empty() {
            return Err(DataError::NoArcs.into());
        }
        DataError::check_actions(known.len())?;
        let all: Vec<Vec<Labelled>> = golds.iter().map(|gold| labelled(gold, &known)).collect();
        let (pages, dev_pages) = put_on_pages(recipe, &train, &all, &learnt);
        let lost = all.iter().zip(&pages).map(|(all, pages)| count_lost(all, pages)).sum();
        let example = |((i, sentence), pages): ((usize, &Sentence), Vec<Vec<Labelled>>)| Example {
            words: Words::of(sentence, trees.map(|trees| &trees.train[i]), false),
            pages,
        };
        let sieve = recipe.sieve().and_then(|recall| sieve(recall, &train));
        let book = Book::new(recipe, labels, known, transform).map_err(TrainError::family)?;
        Ok(Data {
            examples: train.iter().enumerate().zip(pages).map(example).collect(),
            book: Book { sieve, ..book },
            dev_pages: dev_pages.into_iter().map(|graphs| dev.with_gold(graphs)).collect(),
            dev,
            tokens: train.iter().map(Sentence::len).sum(),
            arcs: train.iter().map(|sentence| sentence.graph.arcs().len()).sum(),
            lost,
        })
    }
}

/// The sieve that sentences teach.
fn sieve(recall: f64, train: &[Sentence]) -> Option<Sieve> {
    let words: Vec<Words> = train.iter().map(|sentence| Words::of(sentence, None, false)).collect();
    Sieve::learn(recall, || {
        words.iter().zip(train).map(|(words, sentence)| {
            (words, sentence.graph.arcs().iter().map(|arc| (arc.head.0, arc.dependent.0)))
        })
    })
}

/// The edges of every page of every training sentence, and what of the development graphs is on each of two pages.
fn put_on_pages(
    recipe: &BookRecipe,
    train: &[Sentence],
    all: &[Vec<Labelled>],
    dev: &[Sentence],
) -> (Vec<Vec<Vec<Labelled>>>, Vec<Vec<Graph>>) {
    let root = recipe.on_pages();
    // Edges are sorted, so those of the root come first.
    let split = |all: &[Labelled]| match root {
        Root::Included => 0,
        Root::Excluded => all.partition_point(|edge| edge.0 == 0),
    };
    if recipe.pages == Pages::One {
        let largest = |(sentence, all): (&Sentence, &Vec<Labelled>)| {
            let (of_root, rest) = all.split_at(split(all));
            let places = largest_page(&Edges::new(&sentence.graph, root));
            vec![of_root.iter().copied().chain(places.into_iter().map(|place| rest[place])).collect()]
        };
        return (train.iter().zip(all).map(largest).collect(), Vec::new());
    }
    let (regularity, pages) = Regularity::learn(train, recipe.flips, root);
    let both = all.iter().zip(&pages).map(|(all, pages)| {
        let (of_root, rest) = all.split_at(split(all));
        let first = of_root.iter().copied().chain(on_page(rest, pages, 0)).collect();
        vec![first, on_page(rest, pages, 1)]
    });
    let dev_pages: Vec<TwoPages> = dev.iter().map(|sentence| regularity.pages(sentence)).collect();
    let graphs = [0, 1].map(|page| {
        let graphs = dev.iter().zip(&dev_pages).map(|(sentence, pages)| {
            let graph = page_graph(&sentence.graph, root, pages, page);
            if recipe.unlabelled { graph.map_labels(|_| Text::from(UNLABELLED)) } else { graph }
        });
        graphs.collect()
    });
    (both.collect(), graphs.into())
}
