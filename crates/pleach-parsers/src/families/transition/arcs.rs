//! What a transition model thinks of an arc that it did not make.

use super::parse::{Parse, Space, fill};
use crate::ensure::ArcScores;
use crate::scorer::{Bound, ModelScorer};
use pleach_graph::{NodeId, Sentence, Text, Tree};
use pleach_transition::action::{Edge, Link};
use pleach_transition::settings::Root;
use pleach_transition::state::State;
use pleach_transition::{NONE, Node};

/// Scores arcs of one sentence on demand.
pub(super) struct StateScores<'a> {
    parse: &'a Parse,
    bound: Box<dyn Bound + 'a>,
    state: State,
    scores: Vec<f32>,
    len: usize,
    /// What was asked before, by dependent, then by head; few words are asked about, and the others have no heads here.
    known: Vec<Vec<Option<(f32, u16)>>>,
}

impl<'a> StateScores<'a> {
    /// Makes a configuration that holds the parsed graph.
    pub fn new(
        parse: &'a Parse,
        scorer: &'a dyn ModelScorer,
        sentence: &Sentence,
        trees: &[Tree],
        space: &'a mut Space,
    ) -> Self {
        fill(&mut space.words, std::slice::from_ref(sentence), trees, parse.reversed);
        let bound = scorer.bind(space.words[..1].iter().collect(), &mut space.scoring);
        let len = sentence.len();
        let mut state = State::default();
        parse.machine.system.start(len, &mut state);
        let place = |node: NodeId| place(node, len, parse.reversed);
        for pair in sentence.graph.arcs().chunk_by(|a, b| (a.head, a.dependent) == (b.head, b.dependent)) {
            let (head, dependent) = (place(pair[0].head), place(pair[0].dependent));
            let labels = pair.iter().map(|arc| arc.label.as_str());
            if head != dependent
                && let Some(set) = parse.labels.number_of(labels)
            {
                state.link(head, dependent, Edge { left: 0, right: set });
            }
        }
        StateScores { parse, bound, state, scores: Vec::new(), len, known: vec![Vec::new(); len + 1] }
    }

    /// The score of an arc and the label set it would get (0 when the model has none for it).
    fn known(&mut self, head: NodeId, dependent: NodeId) -> (f32, u16) {
        let heads = &mut self.known[dependent.index()];
        heads.resize(self.len + 1, None);
        if let Some(known) = heads[head.index()] {
            return known;
        }
        let result = self.compute(head, dependent);
        self.known[dependent.index()][head.index()] = Some(result);
        result
    }

    fn compute(&mut self, head: NodeId, dependent: NodeId) -> (f32, u16) {
        let (h, d) = (self.place(head), self.place(dependent));
        // The word that is read first is on the stack; the root is where the system has it.
        let root_last = self.parse.machine.system.settings().root == Root::Last;
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
        let machine = &self.parse.machine;
        machine.score_actions(&mut *self.bound, state, &mut self.scores);
        let rightwards = top == h;
        // The root's arcs may be actions of their own.
        let own = h == 0 && machine.system.settings().root_actions;
        let (mut plain, mut best) = (f32::NEG_INFINITY, (f32::NEG_INFINITY, 0));
        for (action, &score) in machine.inventory.actions.iter().zip(&self.scores) {
            match action.link {
                Link::None => plain = plain.max(score),
                Link::Root(set) if own && score > best.0 => best = (score, set),
                Link::Edge(edge) if !own => {
                    let set = match machine.inventory.edges[edge as usize] {
                        Edge { left: 0, right } if rightwards => right,
                        Edge { left, right: 0 } if !rightwards => left,
                        _ => continue,
                    };
                    if score > best.0 {
                        best = (score, set);
                    }
                }
                Link::Edge(_) | Link::Loop(_) | Link::Root(_) => {}
            }
        }
        if best.1 == 0 { (-1e6, 0) } else { (best.0 - plain, best.1) }
    }

    fn place(&self, node: NodeId) -> Node {
        place(node, self.len, self.parse.reversed)
    }
}

impl ArcScores for StateScores<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        self.known(head, dependent).0
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        let (_, set) = self.known(head, dependent);
        self.parse.labels.set(set).to_vec()
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
