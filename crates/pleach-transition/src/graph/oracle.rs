//! Static oracles: the sequence of steps that builds a gold graph (`zhang-2016` sections 2.3.2, 2.4.2, 3.2).
//!
//! The driver here makes the edges between the top of the stack and the front of the buffer as soon as they
//! meet; each system says which move comes next. A combined sequence is the standard one with every edge
//! merged into the move after it, which is well defined for cycles too, because a pair has one edge.
//!
//! Complexity: O(length of the sequence · nodes on the stacks), with short stacks in practice.
//! Invariant: the remaining arcs of a node on a stack all end in nodes of the buffer that have not been on
//! a stack yet, in buffer order; so they are a suffix of its list of neighbours.

use super::action::{Action, Addition, Edge, Inventory, Move, Step};
use super::settings::{Root, Settings, Timing, TwoCycles};
use super::state::State;
use super::system::System;
use crate::{NONE, Node};

pub use pleach_graph::encoded::Gold;

/// What an oracle still has to do: the arcs that have been neither made nor lost.
pub(crate) struct Progress {
    /// The place of the root in the order of the buffer; words have their numbers.
    root: u16,
    start: Vec<u32>,
    /// The neighbours of each node by their places in the order of the buffer.
    near: Vec<u16>,
    /// Where the remaining neighbours of each node begin in `near`.
    next: Vec<u32>,
    /// How many remaining edges a node has with nodes that come before it.
    waiting: Vec<u32>,
    /// The place of the first node that has never been on a stack.
    unread: u16,
    /// See [`Settings::oracle`].
    pub(crate) timing: Timing,
}

impl Progress {
    fn new(gold: &Gold, settings: &Settings) -> Progress {
        let placement = settings.root;
        let nodes = gold.len() + 1;
        let root = if placement == Root::Last { nodes as u16 } else { 0 };
        let place = |node: Node| if node == 0 { root } else { node };
        let mut progress = Progress {
            root,
            start: Vec::with_capacity(nodes + 1),
            near: Vec::new(),
            next: Vec::with_capacity(nodes),
            waiting: Vec::with_capacity(nodes),
            unread: 1,
            timing: settings.oracle,
        };
        for node in 0..nodes as Node {
            let start = progress.near.len();
            progress.start.push(start as u32);
            if placement != Root::None || node != 0 {
                let near = gold.neighbours(node).iter().map(|&(other, _)| other);
                let near = near.filter(|&other| placement != Root::None || other != 0);
                progress.near.extend(near.map(place));
            }
            // Only the root can be out of order.
            if progress.near.get(start) == Some(&root) {
                progress.near[start..].rotate_left(usize::from(placement == Root::Last));
            }
            let before = progress.near[start..].partition_point(|&other| other < place(node));
            progress.next.push((start + before) as u32);
            progress.waiting.push(before as u32);
        }
        progress.start.push(progress.near.len() as u32);
        progress
    }

    /// What is left to do in any configuration, whoever has led there.
    fn resume(system: &System, gold: &Gold, state: &State) -> Progress {
        let settings = system.settings();
        let mut progress = Progress::new(gold, settings);
        let unread = &state.buffer[..system.unread(state)];
        let front = unread.last().copied();
        progress.unread = front.map_or(u16::MAX, |front| progress.place(front));
        let returning: &[Node] = if system.meets_second() { &state.second } else { &[] };
        let mut here = vec![false; gold.len() + 1];
        let mut meets = vec![false; gold.len() + 1];
        for &node in state.stack.iter().chain(&state.second).chain(&state.buffer) {
            here[usize::from(node)] = true;
        }
        for &node in state.stack.iter().chain(returning).chain(&state.buffer[unread.len()..]) {
            let wants = |front| missing(settings.two_cycles, gold, state, node, front) != Edge::default();
            meets[usize::from(node)] = front.is_some_and(wants);
        }
        unread.iter().for_each(|&node| meets[usize::from(node)] = true);
        for node in 0..=gold.len() {
            let (start, end) = (progress.start[node] as usize, progress.start[node + 1] as usize);
            let near = &progress.near[start..end];
            let place = progress.place(node as Node);
            let first = progress.unread.max(place.saturating_add(1)).saturating_add(u16::from(
                // The front of the buffer is not to be met again.
                place < progress.unread && !meets[node],
            ));
            progress.next[node] = (start + near.partition_point(|&other| other < first)) as u32;
            if !here[node] {
                progress.next[node] = end as u32;
            }
            let waits = |&&other: &&u16| {
                let other = usize::from(progress.node(other));
                here[other] && (place != progress.unread || meets[other])
            };
            let before = near.iter().take_while(|&&other| other < place);
            progress.waiting[node] = before.filter(waits).count() as u32;
        }
        progress
    }

    fn node(&self, place: u16) -> Node {
        if place == self.root { 0 } else { place }
    }

    fn place(&self, node: Node) -> u16 {
        if node == 0 { self.root } else { node }
    }

    /// The places of the nodes that a node on a stack still has to be linked to.
    #[inline]
    pub(crate) fn rest(&self, node: Node) -> &[u16] {
        let node = usize::from(node);
        &self.near[self.next[node] as usize..self.start[node + 1] as usize]
    }

    /// Whether a node on a stack still has to be linked to the front.
    #[inline]
    pub(crate) fn wants(&self, node: Node, front: Node) -> bool {
        self.rest(node).first() == Some(&self.place(front))
    }

    /// Whether the front has all arcs with the nodes that came before it.
    #[inline]
    pub(crate) fn is_done(&self, front: Node) -> bool {
        self.waiting[usize::from(front)] == 0
    }

    fn link(&mut self, top: Node, front: Node) {
        self.next[usize::from(top)] += 1;
        self.waiting[usize::from(front)] -= 1;
    }

    /// Gives up the arcs between the front and the nodes before it that have not been made.
    fn give_up(&mut self, front: Node, mut lost: impl FnMut(Node)) {
        let place = self.place(front);
        let mut at = self.start[usize::from(front)] as usize;
        while self.waiting[usize::from(front)] > 0 {
            let other = self.near[at];
            let other = self.node(other);
            if self.rest(other).first() == Some(&place) {
                self.link(other, front);
                lost(other);
            }
            at += 1;
        }
    }
}

impl Progress {
    /// The next step: the edge of top and front as soon as they have met, then the system's move.
    fn step(&mut self, system: &System, gold: &Gold, state: &State) -> Step {
        let settings = system.settings();
        let (top, front) = (state.stack_at(0), state.buffer_at(0));
        if top != NONE && settings.self_arcs && gold.self_loop(top) != 0 && state.loops[usize::from(top)] == 0
        {
            return Step { mv: Move::Stay, add: Addition::Loop(gold.self_loop(top)), tag: 0 };
        }
        let mut add = Addition::None;
        if top != NONE && front != NONE && self.wants(top, front) {
            let mut edge = missing(settings.two_cycles, gold, state, top, front);
            let one_by_one = !settings.combined && settings.two_cycles == TwoCycles::Transitions;
            if one_by_one && edge.left != 0 && edge.right != 0 {
                edge.right = 0;
            } else {
                self.link(top, front);
            }
            let is_own = settings.root_actions && (top == 0 || front == 0);
            add = if is_own { Addition::Root(edge.left | edge.right) } else { Addition::Edge(edge) };
            if !settings.combined {
                return Step { mv: Move::Stay, add, tag: 0 };
            }
        }
        let mv = system.oracle_move(self, state);
        // Only the first SHIFT of a node gives it a tag.
        let tag = if mv == Move::Shift && self.place(front) >= self.unread { gold.tag(front) } else { 0 };
        Step { mv, add, tag }
    }

    /// Notes that the front goes onto a stack; whether it has never been on one.
    fn read(&mut self, front: Node) -> bool {
        let place = self.place(front);
        let new = place >= self.unread;
        if new {
            self.unread = place + 1;
        }
        new
    }
}

/// What the static oracle would do next in any configuration, whoever has led there; it may not be legal there. `None` in
/// a final one. O(arcs).
pub fn next_step(system: &System, gold: &Gold, state: &State) -> Option<Step> {
    let step = || Progress::resume(system, gold, state).step(system, gold, state);
    (!system.is_final(state)).then(step)
}

/// The part of a gold edge that can still be made.
fn missing(two_cycles: TwoCycles, gold: &Gold, state: &State, node: Node, front: Node) -> Edge {
    let edge = gold.edge(node, front).unwrap_or_default();
    match (two_cycles, state.edge_between(node, front)) {
        (_, None) => edge,
        (TwoCycles::Encoded, Some(_)) => Edge::default(),
        (TwoCycles::Transitions, Some(made)) => Edge {
            left: if made.left == 0 { edge.left } else { 0 },
            right: if made.right == 0 { edge.right } else { 0 },
        },
    }
}

/// What an oracle found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// The steps from the initial configuration to a final one.
    pub steps: Vec<Step>,
    /// The arcs (head, dependent, label set) of the gold graph that the steps don't make, sorted: what S_T
    /// can't reach, self-loops without SELF-ARC, and arcs from a root that the system does not have.
    pub lost: Vec<(Node, Node, u16)>,
}

/// The sequence of legal steps that builds the gold graph, or what the system can reach of it.
pub fn oracle(system: &System, gold: &Gold) -> Derivation {
    let settings = system.settings();
    let mut derivation = Derivation::default();
    let Derivation { steps, lost } = &mut derivation;
    if !settings.self_arcs {
        let loops = (0..=gold.len() as Node).map(|node| (node, node, gold.self_loop(node)));
        lost.extend(loops.filter(|&(_, _, label)| label != 0));
    }
    if settings.root == Root::None {
        lost.extend(gold.neighbours(0).iter().map(|&(node, edge)| (0, node, edge.right)));
    }

    let mut state = State::default();
    let mut progress = Progress::new(gold, settings);
    system.start(gold.len(), &mut state);
    while !system.is_final(&state) {
        let front = state.buffer_at(0);
        let step = progress.step(system, gold, &state);
        // S_S can send nodes back to the buffer: only the first SHIFT of a node decides anything.
        if step.mv == Move::Shift && progress.read(front) {
            progress.give_up(front, |node| lost.extend(arcs_of(gold, node, front)));
        }
        system.perform(step, &mut state);
        steps.push(step);
    }
    // A sequence can end before the root or the last word is shifted.
    for front in state.buffer.iter().copied() {
        progress.give_up(front, |node| lost.extend(arcs_of(gold, node, front)));
    }
    lost.sort_unstable();
    derivation
}

/// The arcs of an edge as (head, dependent, label set).
fn arcs_of(gold: &Gold, top: Node, front: Node) -> impl Iterator<Item = (Node, Node, u16)> + use<> {
    let Edge { left, right } = gold.edge(top, front).unwrap_or_default();
    [(front, top, left), (top, front, right)].into_iter().filter(|&(_, _, label)| label != 0)
}

/// A step that an inventory does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {place} was never seen in training: {step:?}")]
pub struct Unseen {
    /// The place in the sequence.
    pub place: usize,
    /// The step.
    pub step: Step,
}

/// A sequence of steps as the actions of an inventory.
pub fn actions(inventory: &Inventory, steps: &[Step]) -> Result<Vec<Action>, Unseen> {
    let steps = steps.iter().enumerate();
    steps.map(|(place, &step)| inventory.action(step).ok_or(Unseen { place, step })).collect()
}
