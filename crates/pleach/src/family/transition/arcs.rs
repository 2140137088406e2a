//! What a transition model thinks of an arc that it did not make.

use super::engine::{Engine, Workspace};
use crate::ensure::ArcScores;
use pleach_graph::{NodeId, Sentence, Text, Tree};
use pleach_linear::table::Table;
use pleach_transition::action::{Edge, Link};
use pleach_transition::settings::Root;
use pleach_transition::state::State;
use pleach_transition::system::System;
use pleach_transition::{NONE, Node};

/// Scores arcs of one sentence on demand.
pub struct StateScores<'a> {
    engine: &'a Engine,
    table: Table<'a>,
    workspace: &'a mut Workspace,
    state: State,
    scores: Vec<f32>,
    len: usize,
    known: Vec<Option<(f32, u16)>>,
}

impl<'a> StateScores<'a> {
    /// Makes a configuration that holds the parsed graph.
    pub fn new(
        engine: &'a Engine,
        table: Table<'a>,
        sentence: &Sentence,
        tree: Option<&Tree>,
        workspace: &'a mut Workspace,
    ) -> Self {
        workspace.begin(sentence, tree, engine.reversed);
        let len = sentence.len();
        let mut state = State::default();
        engine.system.start(len, &mut state);
        let place = |node: NodeId| place(node, len, engine.reversed);
        for pair in sentence.graph.arcs().chunk_by(|a, b| (a.head, a.dependent) == (b.head, b.dependent)) {
            let (head, dependent) = (place(pair[0].head), place(pair[0].dependent));
            let labels = pair.iter().map(|arc| arc.label.as_str());
            if head != dependent
                && let Some(set) = engine.labels.number_of(labels)
            {
                state.link(head, dependent, Edge { left: 0, right: set });
            }
        }
        let known = vec![None; (len + 1) * (len + 1)];
        StateScores { engine, table, workspace, state, scores: Vec::new(), len, known }
    }

    /// The score of an arc and the label set it would get (0 when the model has none for it).
    fn known(&mut self, head: NodeId, dependent: NodeId) -> (f32, u16) {
        let slot = head.index() * (self.len + 1) + dependent.index();
        if let Some(known) = self.known[slot] {
            return known;
        }
        let result = self.compute(head, dependent);
        self.known[slot] = Some(result);
        result
    }

    fn compute(&mut self, head: NodeId, dependent: NodeId) -> (f32, u16) {
        let (h, d) = (self.place(head), self.place(dependent));
        // The word that is read first is on the stack; the root is where the system has it.
        let root_last = self.engine.system.settings().root == Root::Last;
        let (top, front) = match (h, d) {
            (0, d) if root_last => (d, 0),
            (0, d) => (0, d),
            (h, d) => (h.min(d), h.max(d)),
        };
        let state = &mut self.state;
        state.stack.clear();
        state.stack.push(top);
        state.second.clear();
        state.buffer.clear();
        if root_last {
            state.buffer.push(0);
        }
        if front != 0 {
            state.buffer.extend((front..=self.len as Node).rev());
        }
        let engine = self.engine;
        self.scores.resize(engine.index.len(), 0.0);
        self.workspace.score(&engine.templates, self.table, state, &mut self.scores);
        let rightwards = top == h;
        let (mut plain, mut best) = (f32::NEG_INFINITY, (f32::NEG_INFINITY, 0));
        for (action, &score) in engine.inventory.actions.iter().zip(&self.scores) {
            match action.link {
                Link::None => plain = plain.max(score),
                Link::Edge(edge) => {
                    let set = match engine.inventory.edges[edge as usize] {
                        Edge { left: 0, right } if rightwards => right,
                        Edge { left, right: 0 } if !rightwards => left,
                        _ => continue,
                    };
                    if score > best.0 {
                        best = (score, set);
                    }
                }
                Link::Loop(_) => {}
            }
        }
        if best.1 == 0 { (-1e6, 0) } else { (best.0 - plain, best.1) }
    }

    fn place(&self, node: NodeId) -> Node {
        place(node, self.len, self.engine.reversed)
    }
}

impl ArcScores for StateScores<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        self.known(head, dependent).0
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        let (_, set) = self.known(head, dependent);
        self.engine.labels.set(set).to_vec()
    }
}

fn place(node: NodeId, len: usize, reversed: bool) -> Node {
    debug_assert!(node.index() <= len && len < NONE as usize);
    match node.index() {
        0 => 0,
        node if reversed => (len + 1 - node) as Node,
        node => node as Node,
    }
}
