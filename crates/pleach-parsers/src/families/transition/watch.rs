//! Watching a transition parser: the derivation of the graph that it made, and how it scores what is legal on the way.
//!
//! A beam leaves no single sequence behind, so the derivation is the oracle's, of the parser's own graph in the parser's
//! own system; the scores are the parser's, at exactly these configurations.

use super::parse::{Parse, Space, fill};
use crate::engine::{Offer, Watched};
use crate::scorer::ModelScorer;
use pleach_graph::{Sentence, Text, Tree};
use pleach_transition::action::Step;
use pleach_transition::oracle::oracle;
use pleach_transition::state::State;
use pleach_transition::story::Narrator;
use pleach_transition::trace::{step_name, trace};
use std::slice;

/// How many of the legal transitions of a configuration are told.
const OFFERS: usize = 6;

impl Parse {
    /// Parses a sentence without empty nodes and tells how its graph comes about; `None` when it can't be derived.
    pub fn watch(
        &self,
        scorer: &dyn ModelScorer,
        sentence: &Sentence,
        trees: &[Tree],
        beam: usize,
        space: &mut Space,
    ) -> Option<Watched> {
        let mut parsed = sentence.clone();
        parsed.graph = self.graphs(scorer, slice::from_mut(&mut parsed), trees, beam, space).pop()?;
        let mut frames: Vec<Text> = parsed.tokens.iter().map(|token| token.frame.clone()).collect();
        let mut graph = parsed.graph.clone();
        if self.reversed {
            frames.reverse();
            graph = graph.mirrored();
        }
        let (system, mut labels) = (&self.machine.system, self.labels.clone());
        let gold = labels.encode(&graph, &frames).ok()?;
        let derivation = oracle(system, &gold);
        let lines = trace(system, gold.len(), &derivation.steps);

        fill(&mut space.words, slice::from_ref(sentence), trees, self.reversed);
        let mut bound = scorer.bind(space.words[..1].iter().collect(), &mut space.scoring);
        let mut rows = Vec::new();
        let mut state = State::default();
        system.start(gold.len(), &mut state);
        let mut offers = Vec::with_capacity(lines.len());
        for &step in &derivation.steps {
            self.machine.score_actions(&mut *bound, &state, &mut rows);
            offers.push(self.offers(&state, &rows, step, &labels));
            system.perform(step, &mut state);
        }
        drop(bound);
        let narrator = Narrator::of(system.clone(), labels, self.reversed);
        Some(Watched { story: narrator.tell(&parsed, &lines, &derivation), sentence: parsed, offers })
    }

    /// The best legal transitions, and the one that is taken wherever it stands among them.
    fn offers(
        &self,
        state: &State,
        rows: &[f32],
        taken: Step,
        labels: &pleach_transition::labels::Labels,
    ) -> Vec<Offer> {
        let machine = &self.machine;
        let mut legal: Vec<u32> = Vec::new();
        machine.index.for_each_legal(machine.system.legal(state), |action| legal.push(action));
        // Equals stay in the order of their ids, as in search.
        legal.sort_by(|&a, &b| rows[b as usize].total_cmp(&rows[a as usize]).then(a.cmp(&b)));
        let offer = |&action: &u32| {
            let step = machine.inventory.step(machine.inventory.actions[action as usize]);
            Offer { transition: step_name(step, labels), score: rows[action as usize], taken: step == taken }
        };
        let rest = legal.iter().skip(OFFERS).map(offer).find(|offer| offer.taken);
        legal.iter().take(OFFERS).map(offer).chain(rest).collect()
    }
}
