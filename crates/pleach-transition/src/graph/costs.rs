//! Dynamic oracles: what every action costs, in any configuration (Goldberg & Nivre 2012; for S_L `sun-2019` section 5).
//!
//! The loss of a graph is the number of gold arcs it lacks plus the number of arcs it has beyond them, arcs
//! with another label set included, plus the number of wrong tags. The cost of an action is by how much it
//! raises the least loss that can still be reached. Every wrong arc and every wrong tag costs one; what a move
//! costs is the system's to say: which arcs between the front and the nodes on the stacks can't be made after it.
//! Between two SHIFTs only these are at stake, so a system looks at a `Prospect` and never at the whole graph.
//!
//! Exact (the tests compare with enumeration) if the inventory has the edges of the gold graph with every
//! move. With a smaller inventory the best action can cost more than nothing: learn from the least cost.
//! S_T and S_S have no such costs: there the order of the stack decides which arcs of *later* fronts can be made, so that
//! what a move costs does not decompose (`tests/graph_costs.rs` counts where it fails).
//! Complexity: O(nodes on the stacks · log degree + actions).

use super::action::{Action, Addition, Inventory, Move};
use super::oracle::{Gold, next_step};
use super::settings::{Root, Settings, TwoCycles};
use super::state::State;
use super::system::System;
use super::systems::{Mechanics, by_kind};
use crate::{NONE, Node};

/// The cost of an action that is not legal.
pub const ILLEGAL: u32 = u32::MAX;

/// What is at stake at a node on a stack.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    /// The gold arcs between the node and the front that can still be made, if the two meet.
    pub now: u32,
    /// Those between the node and the other nodes of the buffer.
    pub later: u32,
    /// Whether any edge can be made between the node and the front, if the two meet.
    pub open: bool,
    /// Whether the node should have an arc to itself and has none.
    pub wants_loop: bool,
}

/// What is at stake until the next SHIFT.
#[derive(Clone, Debug, Default)]
pub(super) struct Prospect {
    /// The nodes of the stack from its bottom, then those of the second stack from its top.
    pub line: Vec<Spot>,
    /// How many of them are on the stack.
    pub stacked: usize,
    /// [`State::counter`].
    pub counter: u32,
    /// Whether the front is the last node of the buffer, or there is none.
    pub last: bool,
}

impl Prospect {
    fn new(settings: &Settings, state: &State, gold: &Gold) -> Self {
        let front = state.buffer_at(0);
        let nodes = state.stack.iter().chain(state.second.iter().rev());
        Prospect {
            line: nodes.map(|&node| spot(settings, state, gold, node, front)).collect(),
            stacked: state.stack.len(),
            counter: state.counter,
            last: state.buffer.len() <= 1,
        }
    }

    /// The top of the stack.
    pub fn top(&self) -> Spot {
        self.stacked.checked_sub(1).map_or(Spot::default(), |top| self.line[top])
    }
}

fn spot(settings: &Settings, state: &State, gold: &Gold, node: Node, front: Node) -> Spot {
    let wants_loop = settings.self_arcs && gold.self_loop(node) != 0 && state.loops[usize::from(node)] == 0;
    if front == NONE {
        return Spot { wants_loop, ..Spot::default() };
    }
    let open = open_sides(settings.two_cycles, state, node, front);
    let edge = gold.edge(node, front).unwrap_or_default();
    let waits = |other: Node| match other {
        0 => settings.root == Root::Last && front != 0,
        word => front != 0 && word > front,
    };
    let later = gold.neighbours(node).iter().filter(|(other, _)| waits(*other));
    Spot {
        now: u32::from(open[0] && edge.left != 0) + u32::from(open[1] && edge.right != 0),
        later: later.map(|(_, edge)| u32::from(edge.left != 0) + u32::from(edge.right != 0)).sum(),
        // Nothing points to the root.
        open: open[0] && node != 0 || open[1] && front != 0,
        wants_loop,
    }
}

/// Which directions between two nodes can still get an arc: from the front, and from the node on the stack.
fn open_sides(two_cycles: TwoCycles, state: &State, node: Node, front: Node) -> [bool; 2] {
    match (two_cycles, state.edge_between(node, front)) {
        (_, None) => [true; 2],
        (TwoCycles::Encoded, Some(_)) => [false; 2],
        (TwoCycles::Transitions, Some(made)) => [made.left == 0, made.right == 0],
    }
}

/// The cost of an arc that is there for a gold arc that may be another one, or none.
fn mismatch(made: u16, gold: u16) -> u32 {
    if made == gold { 0 } else { u32::from(made != 0) + u32::from(gold != 0) }
}

/// Tells what actions cost, for the systems that know.
#[derive(Clone, Copy, Debug)]
pub struct DynamicOracle<'s> {
    system: &'s System,
}

/// What an edge has done to the pair of top and front.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Linked {
    /// Which directions can still get an arc.
    open: [bool; 2],
    /// Whether there was an edge.
    made: bool,
}

/// The costs of moves that were asked for before: few edges differ in what they leave to be done.
#[derive(Default)]
struct Known(Vec<(Move, Linked, u32)>);

/// The costs in one configuration.
struct Outlook<'a> {
    system: &'a System,
    prospect: Prospect,
    /// The gold label sets of the pair of top and front, from the front and from the top; 0 for none.
    gold: [u16; 2],
    /// Which of these directions can still be made.
    open: [bool; 2],
    top: Node,
    front: Node,
    /// The gold label set of the top's arc to itself, if it has not been made.
    self_loop: u16,
    /// The tag that the front should get, if it is a word.
    tag: Option<u16>,
    /// What can't be avoided any more, whatever is done.
    unavoidable: u32,
}

impl<'s> DynamicOracle<'s> {
    /// The dynamic oracle of a system, if it has one: S_L, and S_2S without arcs from words to themselves.
    pub fn new(system: &'s System) -> Option<Self> {
        let settings = system.settings();
        by_kind!(settings.kind, S => S::has_costs(settings)).then_some(DynamicOracle { system })
    }

    /// The cost of every action of the inventory, [`ILLEGAL`] for those that are not legal.
    ///
    /// # Panics
    /// When `out` is not as long as the inventory has actions.
    pub fn costs(&self, inventory: &Inventory, state: &State, gold: &Gold, out: &mut [u32]) {
        assert_eq!(out.len(), inventory.actions.len());
        let legal = self.system.legal(state);
        let outlook = Outlook::new(self.system, state, gold);
        let mut known = Known::default();
        for (cost, &action) in out.iter_mut().zip(&inventory.actions) {
            let is_legal = legal.has(inventory.class(action));
            *cost = if is_legal { outlook.cost(inventory, action, &mut known) } else { ILLEGAL };
        }
    }

    /// The cost of one legal action.
    pub fn cost(&self, inventory: &Inventory, state: &State, gold: &Gold, action: Action) -> u32 {
        Outlook::new(self.system, state, gold).cost(inventory, action, &mut Known::default())
    }

    /// The id of the action that the static oracle would take here, if the inventory has it and it costs nothing.
    ///
    /// Several actions are free at times: with nothing left to do for the front, S_L can SHIFT or pass over nodes first.
    /// A learner that takes this one teaches the derivations of the papers.
    pub fn canonical(&self, inventory: &Inventory, state: &State, gold: &Gold) -> Option<usize> {
        let action = inventory.action(next_step(self.system, gold, state)?)?;
        let is_legal = self.system.legal(state).has(inventory.class(action));
        (is_legal && self.cost(inventory, state, gold, action) == 0).then(|| inventory.id(action))?
    }
}

impl<'a> Outlook<'a> {
    fn new(system: &'a System, state: &State, gold: &Gold) -> Self {
        let settings = system.settings();
        let (top, front) = (state.stack_at(0), state.buffer_at(0));
        let prospect = Prospect::new(settings, state, gold);
        let unavoidable = by_kind!(settings.kind, S => S::loss(&prospect, Move::Stay));
        let mut outlook = Outlook {
            system,
            gold: [0; 2],
            open: [false; 2],
            top,
            front,
            self_loop: 0,
            tag: (front != NONE && front != 0).then(|| gold.tag(front)),
            unavoidable,
            prospect,
        };
        if top != NONE && front != NONE {
            let edge = gold.edge(top, front).unwrap_or_default();
            outlook.gold = [edge.left, edge.right];
            outlook.open = open_sides(settings.two_cycles, state, top, front);
        }
        if outlook.prospect.top().wants_loop {
            outlook.self_loop = gold.self_loop(top);
        }
        outlook
    }

    fn cost(&self, inventory: &Inventory, action: Action, known: &mut Known) -> u32 {
        let encoded = self.system.settings().two_cycles == TwoCycles::Encoded;
        let step = inventory.step(action);
        let mut linked = Linked { open: self.open, made: false };
        let mut cost = 0;
        if let Addition::Loop(label) = step.add {
            // It decides nothing else.
            return mismatch(label, self.self_loop);
        }
        if let Some(edge) = step.add.edge(self.top) {
            linked.made = true;
            for (side, label) in [edge.left, edge.right].into_iter().enumerate() {
                // An encoded edge decides both directions.
                if label != 0 || encoded {
                    cost += mismatch(label, self.gold[side]);
                    linked.open[side] = false;
                }
            }
        }
        if step.mv == Move::Shift {
            cost += u32::from(self.tag.is_some_and(|tag| tag != step.tag));
        }
        cost + self.loss(step.mv, linked, known) - self.unavoidable
    }

    /// What can't be avoided after an edge and a move.
    fn loss(&self, mv: Move, linked: Linked, known: &mut Known) -> u32 {
        let old = known.0.iter().find(|(other, before, _)| (*other, *before) == (mv, linked));
        if let Some((_, _, loss)) = old {
            return *loss;
        }
        let mut prospect = self.prospect.clone();
        if let Some(top) = prospect.stacked.checked_sub(1) {
            let spot = &mut prospect.line[top];
            let Linked { open, made } = linked;
            spot.now = (0..2).map(|side| u32::from(open[side] && self.gold[side] != 0)).sum();
            spot.open = open[0] && self.top != 0 || open[1] && self.front != 0;
            if made {
                by_kind!(self.system.settings().kind, S => S::note_link(&mut prospect.counter));
            }
        }
        let loss = by_kind!(self.system.settings().kind, S => S::loss(&prospect, mv));
        known.0.push((mv, linked, loss));
        loss
    }
}
