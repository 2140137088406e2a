//! The dynamic oracle of S_L: what every action costs, in any configuration.
//!
//! The loss of a graph is the number of gold arcs it lacks plus the number of arcs it has beyond them, arcs
//! with another label set included, plus the number of wrong tags. The cost of an action is by how much it
//! raises the least loss that can still be reached. In S_L costs decompose over arcs: a node of the first
//! list meets the front once, so an arc between them is lost for ever by NO-ARC or SHIFT (SHIFT loses those
//! of all nodes that are left in the list), and every wrong arc costs one.
//!
//! Exact (the tests compare with enumeration) if the inventory has the edges of the gold graph with every
//! move. With a smaller inventory the best action can cost more than nothing: learn from the least cost.
//! Complexity: O(degree of the front + actions).

use super::action::{Action, Addition, Inventory, Move};
use super::oracle::Gold;
use super::settings::{Kind, Root, TwoCycles};
use super::state::State;
use super::system::System;
use crate::{NONE, Node};

/// The cost of an action that is not legal.
pub const ILLEGAL: u32 = u32::MAX;

/// Computes costs of actions in S_L.
#[derive(Clone, Copy, Debug)]
pub struct DynamicOracle<'s> {
    system: &'s System,
}

/// What matters for the costs in one configuration.
struct Outlook {
    /// The gold label sets of the pair of top and front, from the front and from the top; 0 for none.
    gold: [u16; 2],
    /// Which of these directions can still be made.
    open: [bool; 2],
    /// The gold arcs between the front and the nodes below the top.
    below: u32,
    /// The gold label set of the top's arc to itself, if it has not been made.
    self_loop: u16,
    /// The gold self-loops that are lost when the top, and when all nodes, can't come back.
    lost_loops: [u32; 2],
    /// The tag that the front should get, if it is a word.
    tag: Option<u16>,
}

/// The cost of an arc that is there for a gold arc that may be another one, or none.
fn mismatch(made: u16, gold: u16) -> u32 {
    if made == gold { 0 } else { u32::from(made != 0) + u32::from(gold != 0) }
}

impl<'s> DynamicOracle<'s> {
    /// The dynamic oracle of a system; only S_L has one.
    pub fn new(system: &'s System) -> Option<Self> {
        (system.settings().kind == Kind::List).then_some(DynamicOracle { system })
    }

    /// The cost of every action of the inventory, [`ILLEGAL`] for those that are not legal.
    ///
    /// # Panics
    /// When `out` is not as long as the inventory has actions.
    pub fn costs(&self, inventory: &Inventory, state: &State, gold: &Gold, out: &mut [u32]) {
        assert_eq!(out.len(), inventory.actions.len());
        let legal = self.system.legal(state);
        let outlook = self.outlook(state, gold);
        for (cost, &action) in out.iter_mut().zip(&inventory.actions) {
            let is_legal = legal.has(inventory.class(action));
            *cost = if is_legal { self.cost(inventory, action, &outlook) } else { ILLEGAL };
        }
    }

    fn outlook(&self, state: &State, gold: &Gold) -> Outlook {
        let settings = self.system.settings();
        let (top, front) = (state.stack_at(0), state.buffer_at(0));
        let mut outlook = Outlook {
            gold: [0; 2],
            open: [false; 2],
            below: 0,
            self_loop: 0,
            lost_loops: [0; 2],
            tag: (front != NONE && front != 0).then(|| gold.tag(front)),
        };
        if top == NONE {
            return outlook;
        }
        if front != NONE {
            let edge = gold.edge(top, front).unwrap_or_default();
            outlook.gold = [edge.left, edge.right];
            outlook.open = match (settings.two_cycles, state.edge_between(top, front)) {
                (_, None) => [true; 2],
                (TwoCycles::Encoded, Some(_)) => [false; 2],
                (TwoCycles::Transitions, Some(made)) => [made.left == 0, made.right == 0],
            };
            // The first list is in sentence order, so what is below the top comes before it; only the root
            // can be elsewhere.
            let below = gold.neighbours(front).iter().take_while(|&&(node, _)| node < top);
            let below = below.filter(|&&(node, _)| node != 0 || settings.root == Root::First);
            outlook.below =
                below.map(|(_, edge)| u32::from(edge.left != 0) + u32::from(edge.right != 0)).sum();
        }
        if settings.self_arcs {
            let missing = |node: Node| {
                let made = state.loops[usize::from(node)] != 0;
                if made { 0 } else { gold.self_loop(node) }
            };
            outlook.self_loop = missing(top);
            // A node comes back to the top as long as another SHIFT puts a front before it.
            if state.buffer.len() <= 1 {
                let lost = |&node: &Node| missing(node) != 0;
                outlook.lost_loops[0] = u32::from(missing(top) != 0);
                outlook.lost_loops[1] = state.stack.iter().filter(|&node| lost(node)).count() as u32;
            }
        }
        outlook
    }

    fn cost(&self, inventory: &Inventory, action: Action, outlook: &Outlook) -> u32 {
        let encoded = self.system.settings().two_cycles == TwoCycles::Encoded;
        let step = inventory.step(action);
        let mut open = outlook.open;
        let mut cost = 0;
        match step.add {
            Addition::None => {}
            Addition::Edge(edge) => {
                for (side, label) in [edge.left, edge.right].into_iter().enumerate() {
                    // An encoded edge decides both directions.
                    if label != 0 || encoded {
                        cost += mismatch(label, outlook.gold[side]);
                        open[side] = false;
                    }
                }
            }
            Addition::Loop(label) => cost += mismatch(label, outlook.self_loop),
        }
        if step.mv != Move::Stay {
            let missed = (0..2).filter(|&side| open[side] && outlook.gold[side] != 0);
            cost += missed.count() as u32;
        }
        match step.mv {
            Move::NoArc => cost += outlook.lost_loops[0],
            Move::Shift => {
                cost += outlook.below
                    + outlook.lost_loops[1]
                    + u32::from(outlook.tag.is_some_and(|tag| tag != step.tag));
            }
            _ => {}
        }
        cost
    }
}
