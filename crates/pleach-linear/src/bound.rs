//! A linear model bound to sentences: what searches and decoders ask.
//!
//! Complexity: O(templates) look-ups a question, less what is kept within a sentence (see [`Scoring`]).

use crate::model::LinearModel;
use crate::scoring::{Rows, Scoring};
use pleach_decode::part::{Kind, Part, PartScorer};
use pleach_graph::words::Words;
use pleach_graph::{NONE, Node};
use pleach_transition::configuration::{Configuration, List, SiteView};
use pleach_transition::scorer::{Place, Question, Questions, Scorer};
use pleach_transition::state::Links;
use std::ops::AddAssign;

/// The nodes of a part, as templates see them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartNodes {
    pub nodes: [Node; 4],
    pub once: bool,
}

impl Configuration for PartNodes {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        match list {
            List::Part => self.nodes.get(index).copied().unwrap_or(NONE),
            _ => NONE,
        }
    }

    #[inline]
    fn links(&self, _: Node) -> Option<&Links> {
        None
    }

    #[inline]
    fn arc(&self, _: Node, _: Node) -> u32 {
        0
    }

    /// All nodes together make the part.
    #[inline]
    fn is_unique(&self, nodes: usize) -> bool {
        self.once || nodes >= self.nodes.iter().filter(|&&node| node != NONE).count()
    }
}

/// What is kept of the current sentences, one entry a set of templates or a sentence; used again and again.
#[derive(Clone, Debug)]
pub struct Memory<S> {
    /// By sentence.
    actions: Vec<Scoring<S>>,
    /// By kind, and whether it was begun for the current sentence.
    parts: Vec<(bool, Scoring<S>)>,
}

impl<S> Default for Memory<S> {
    fn default() -> Self {
        Memory { actions: Vec::new(), parts: Vec::new() }
    }
}

/// A linear model bound to one or several sentences.
#[derive(Debug)]
pub struct Bound<'a, R: Rows> {
    pub(crate) model: &'a LinearModel,
    rows: R,
    pub(crate) sentences: Vec<&'a Words>,
    pub(crate) memory: &'a mut Memory<R::Sum>,
    /// The sentence whose parts are scored.
    pub(crate) sentence: usize,
    fleeting: bool,
}

impl<'a, R: Rows> Bound<'a, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    /// The weights.
    pub(crate) fn rows(&self) -> &R {
        &self.rows
    }

    /// Binds a model with its weights to sentences.
    pub fn new(
        model: &'a LinearModel,
        rows: R,
        sentences: Vec<&'a Words>,
        memory: &'a mut Memory<R::Sum>,
    ) -> Self {
        if model.actions.is_some() {
            if memory.actions.len() < sentences.len() {
                memory.actions.resize_with(sentences.len(), Scoring::default);
            }
            memory.actions[..sentences.len()].iter_mut().for_each(Scoring::begin);
        }
        if memory.parts.len() < model.parts.len() {
            memory.parts.resize_with(model.parts.len(), Default::default);
        }
        memory.parts.iter_mut().for_each(|(begun, _)| *begun = false);
        Bound { model, rows, sentences, memory, sentence: 0, fleeting: false }
    }

    /// Goes on to the parts of another sentence.
    pub fn turn_to(&mut self, sentence: usize) {
        if self.sentence != sentence {
            self.sentence = sentence;
            self.memory.parts.iter_mut().for_each(|(begun, _)| *begun = false);
        }
    }

    /// The features of a place.
    pub(crate) fn place_keys(&mut self, question: Question<'_>) -> &[u64] {
        let Some(templates) = &self.model.actions else { return &[] };
        let (words, scoring) =
            (self.sentences[question.sentence], &mut self.memory.actions[question.sentence]);
        match question.place {
            Place::Graph(state) => scoring.keys(templates, words, state),
            Place::Tree(state, site) => {
                let view = SiteView { state, site, fleeting: self.fleeting };
                scoring.keys(templates, words, &view)
            }
        }
    }

    /// The features of a part.
    pub(crate) fn part_keys(&mut self, part: Part) -> &[u64] {
        let kind = usize::from(part.kind.0);
        let Some(Some(set)) = self.model.parts.get(kind) else { return &[] };
        let nodes = PartNodes { nodes: part.nodes, once: set.once };
        self.memory.parts[kind].1.keys(&set.templates, self.sentences[self.sentence], &nodes)
    }
}

impl<R: Rows> Scorer for Bound<'_, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        let Some(templates) = &self.model.actions else { return rows.fill(0.0) };
        let width = (rows.len() / questions.len().max(1)).max(1);
        for (number, row) in rows.chunks_exact_mut(width).enumerate() {
            let Question { sentence, place } = questions.get(number);
            let (words, scoring) = (self.sentences[sentence], &mut self.memory.actions[sentence]);
            match place {
                Place::Graph(state) => scoring.score(&self.rows, templates, words, state, row),
                Place::Tree(state, site) => {
                    let view = SiteView { state, site, fleeting: self.fleeting };
                    scoring.score(&self.rows, templates, words, &view, row);
                }
            }
        }
    }

    fn reach(&self) -> usize {
        self.model.actions.as_ref().map_or(0, |templates| templates.deepest())
    }

    fn expect_few_repeats(&mut self) {
        self.fleeting = true;
    }
}

impl<R: Rows> PartScorer for Bound<'_, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    fn scores(&self, kind: Kind) -> bool {
        self.model.parts.get(usize::from(kind.0)).is_some_and(Option::is_some)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        let kind = usize::from(part.kind.0);
        let Some(Some(set)) = self.model.parts.get(kind) else { return scores.fill(0.0) };
        let (begun, scoring) = &mut self.memory.parts[kind];
        if !std::mem::replace(begun, true) {
            scoring.begin();
        }
        let nodes = PartNodes { nodes: part.nodes, once: set.once };
        scoring.score(&self.rows, &set.templates, self.sentences[self.sentence], &nodes, scores);
    }
}
