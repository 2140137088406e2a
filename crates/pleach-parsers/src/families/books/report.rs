//! What a book parser's search does on a treebank: the figures beside Table 2 of `sun-2017`.

use super::book::{BoundPages, Found};
use super::engine::{Engine, LONGEST};
use super::pages;
use crate::train::{Catalogue, OpenError};
use crate::workspace::Workspace;
use pleach_decode::relax::{Certificate, Outcome};
use pleach_graph::Sentence;
use pleach_graph::enhanced::drop_empty_nodes;
use pleach_graph::properties::{Edges, Root};
use pleach_model::View;
use std::fmt;
use std::time::Instant;

/// The beam that stands for an exact search.
const WIDE: usize = 64;

/// Figures of a model on a treebank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Sentences.
    pub sentences: usize,
    /// Their words.
    pub words: usize,
    /// Edges of their graphs, those of the root among them if it is on the spine.
    pub edges: usize,
    /// Those that pass the filter.
    pub passed: usize,
    /// All edges that pass the filter.
    pub candidates: usize,
    /// Pages for which a beam of 64, or the exact decoder, finds a better graph than the model's beam.
    pub search_errors: usize,
    /// All pages.
    pub pages: usize,
    /// How many relaxations ended after 1, 2, … iterations with pages that agree.
    pub ended: Vec<usize>,
    /// How many were proved optimal.
    pub optimal: usize,
    /// How many never agreed.
    pub disagreed: usize,
    /// Sentences by length, in steps of ten words: how many, and the seconds they took.
    pub times: Vec<(usize, f64)>,
}

/// How much of the graphs of a treebank one page and two pages hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// All edges.
    pub edges: usize,
    /// Those on the largest page.
    pub one: usize,
    /// Those on one of two pages, by colouring.
    pub two: usize,
    /// All graphs.
    pub graphs: usize,
    /// Those that two pages hold whole.
    pub whole: usize,
}

impl Kept {
    /// Counts over sentences, the arcs of the root included or not.
    pub fn count<'a>(sentences: impl IntoIterator<Item = &'a Sentence>, root: Root) -> Kept {
        let mut kept = Kept::default();
        for sentence in sentences {
            let edges = Edges::new(&sentence.graph, root);
            let dropped = edges.two_pages().dropped();
            kept.edges += edges.len();
            kept.one += pages::largest_page(&edges).len();
            kept.two += edges.len() - dropped;
            kept.graphs += 1;
            kept.whole += usize::from(dropped == 0);
        }
        kept
    }
}

impl Report {
    /// Measures a model of this family on sentences with gold graphs; those that would be cut are left out.
    pub fn measure(view: &View, catalogue: Catalogue, sentences: &[Sentence]) -> Result<Report, OpenError> {
        let engine = Engine::open(view, catalogue)?;
        let mut report = Report::default();
        let mut workspace = Workspace::default();
        for sentence in sentences {
            let mut sentence = sentence.clone();
            engine.book.transform.apply(&mut sentence);
            drop_empty_nodes(&mut sentence);
            if sentence.len() > LONGEST {
                continue;
            }
            engine.look_at(&sentence, &mut workspace, |pages, words, found| {
                let started = Instant::now();
                let beam = engine.book.recipe.beam;
                let outcome = engine.book.analyse(pages, words, beam, found, None);
                report.add_time(sentence.len(), started.elapsed().as_secs_f64());
                report.add_outcome(outcome);
                report.add(&engine, &sentence, pages, found);
            });
        }
        Ok(report)
    }

    fn add_time(&mut self, words: usize, seconds: f64) {
        let slot = words / 10;
        self.times.resize(self.times.len().max(slot + 1), (0, 0.0));
        self.times[slot].0 += 1;
        self.times[slot].1 += seconds;
    }

    fn add_outcome(&mut self, outcome: Option<Outcome>) {
        let Some(outcome) = outcome else { return };
        self.optimal += usize::from(outcome.certificate == Certificate::Optimal);
        if outcome.certificate.is_feasible() {
            self.ended.resize(self.ended.len().max(outcome.iterations), 0);
            self.ended[outcome.iterations - 1] += 1;
        } else {
            self.disagreed += 1;
        }
    }

    fn add(&mut self, engine: &Engine, sentence: &Sentence, scorers: &mut BoundPages<'_>, found: &mut Found) {
        let edges = Edges::new(&sentence.graph, engine.book.recipe.on_pages());
        self.sentences += 1;
        self.words += sentence.len();
        self.edges += edges.len();
        self.passed += found.passed(&edges);
        self.candidates += found.candidates.len();
        let narrow = engine.book.recipe.beam;
        for page in 0..scorers.len() {
            let reached = engine.book.page_score(scorers, page, narrow, found);
            let best = engine.book.page_score(scorers, page, WIDE.max(narrow), found);
            self.search_errors += usize::from(best > reached + 1e-3);
            self.pages += 1;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        writeln!(f, "{} sentences, {} words, {} edges", self.sentences, self.words, self.edges)?;
        writeln!(
            f,
            "filter: {:.2} candidates a word, {:.2} % of the gold edges among them",
            self.candidates as f64 / self.words.max(1) as f64,
            share(self.passed, self.edges)
        )?;
        let errors = share(self.search_errors, self.pages);
        writeln!(f, "search errors: {errors:.2} % of {} pages", self.pages)?;
        let relaxations = self.ended.iter().sum::<usize>() + self.disagreed;
        if relaxations > 0 {
            writeln!(f, "proved optimal: {:.2} %", share(self.optimal, relaxations))?;
            let mut sum = 0;
            for (number, count) in self.ended.iter().enumerate() {
                sum += count;
                if number < 10 || (number + 1) % 10 == 0 || number + 1 == self.ended.len() {
                    writeln!(
                        f,
                        "ended after {:3} iterations: {:6.2} %",
                        number + 1,
                        share(sum, relaxations)
                    )?;
                }
            }
        }
        for (slot, (count, seconds)) in self.times.iter().enumerate().filter(|(_, (count, _))| *count > 0) {
            let mean = 1000.0 * seconds / *count as f64;
            writeln!(
                f,
                "{:3} to {:3} words: {count:5} sentences, {mean:8.2} ms each",
                slot * 10,
                slot * 10 + 9
            )?;
        }
        Ok(())
    }
}
