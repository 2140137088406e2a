//! Collecting the actions of a training set.
//!
//! Only encodings that were seen in training exist (`zhang-2016` section 3.2). Moves without an edge exist
//! always, so that every configuration has a legal action.

use super::action::{Action, Addition, Edge, Inventory, Link, Move, Step};
use super::settings::{Settings, TwoCycles};
use super::system::System;
use std::collections::BTreeSet;

/// Collects edges and actions from oracle sequences; the result does not depend on their order.
#[derive(Clone, Debug, Default)]
pub struct InventoryBuilder {
    steps: BTreeSet<Step>,
}

/// The training data has more different edges than a model can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{edges} different edges are too many: a model can tell 65536 apart; use fewer labels or the encoded two-cycles"
)]
pub struct TooManyEdges {
    edges: usize,
}

impl InventoryBuilder {
    /// Takes the steps of one sequence in.
    pub fn add(&mut self, steps: &[Step]) {
        self.steps.extend(steps);
    }

    /// The inventory of all steps seen, and of those that a system with these settings can't do without.
    pub fn finish(mut self, settings: &Settings) -> Result<Inventory, TooManyEdges> {
        let system = System::new(settings);
        self.steps.extend(system.moves().iter().map(|&mv| Step::plain(mv)));
        if settings.two_cycles == TwoCycles::Transitions && settings.combined {
            self.complete()?;
        }
        let edges: BTreeSet<Edge> = self.steps.iter().filter_map(edge_of).collect();
        let edges: Vec<Edge> = edges.into_iter().collect();
        limit(edges.len())?;
        let actions = self.steps.iter().map(|step| {
            let link = match step.add {
                Addition::None => Link::None,
                Addition::Loop(label) => Link::Loop(label),
                Addition::Root(label) => Link::Root(label),
                Addition::Edge(edge) => Link::Edge(edges.partition_point(|&other| other < edge) as u16),
            };
            Action { mv: step.mv, link, tag: step.tag }
        });
        let mut actions: Vec<Action> = actions.collect();
        actions.sort_unstable();
        Ok(Inventory { edges, actions })
    }

    /// Strategy A: LEFT-RIGHT-X for all moves X and all two labels.
    fn complete(&mut self) -> Result<(), TooManyEdges> {
        let edges: BTreeSet<Edge> = self.steps.iter().filter_map(edge_of).collect();
        let lefts: BTreeSet<u16> = edges.iter().map(|edge| edge.left).filter(|&label| label != 0).collect();
        let rights: BTreeSet<u16> = edges.iter().map(|edge| edge.right).filter(|&label| label != 0).collect();
        limit(lefts.len().saturating_mul(rights.len()))?;
        let linking = self.steps.iter().filter(|step| edge_of(step).is_some());
        let moves: BTreeSet<(Move, u16)> = linking.map(|step| (step.mv, step.tag)).collect();
        for &left in &lefts {
            for &right in &rights {
                let add = Addition::Edge(Edge { left, right });
                self.steps.extend(moves.iter().map(|&(mv, tag)| Step { mv, add, tag }));
            }
        }
        Ok(())
    }
}

fn edge_of(step: &Step) -> Option<Edge> {
    match step.add {
        Addition::Edge(edge) => Some(edge),
        _ => None,
    }
}

fn limit(edges: usize) -> Result<(), TooManyEdges> {
    if edges > usize::from(u16::MAX) + 1 { Err(TooManyEdges { edges }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Kind;
    use super::*;

    fn step(mv: Move, left: u16, right: u16) -> Step {
        Step { mv, add: Addition::Edge(Edge { left, right }), tag: 0 }
    }

    #[test]
    fn order_does_not_matter_and_moves_are_always_there() {
        let settings = Settings::new(Kind::TwoStack, true);
        let steps = [step(Move::Pop, 2, 0), step(Move::Shift, 0, 1), step(Move::Pop, 2, 0)];
        let build = |steps: &[Step]| {
            let mut builder = InventoryBuilder::default();
            builder.add(steps);
            builder.finish(&settings).unwrap()
        };
        let inventory = build(&steps);
        let mut reversed = steps;
        reversed.reverse();
        assert_eq!(inventory, build(&reversed));
        assert_eq!(inventory.edges.len(), 2);
        assert_eq!(inventory.actions.len(), 4 + 2);
        for (id, &action) in inventory.actions.iter().enumerate() {
            assert_eq!(inventory.id(action), Some(id));
            assert_eq!(inventory.action(inventory.step(action)), Some(action));
        }
        assert_eq!(inventory.action(step(Move::Shift, 2, 0)), None);
    }

    #[test]
    fn strategy_a_has_all_pairs_of_labels() {
        let mut settings = Settings::new(Kind::List, true);
        settings.two_cycles = TwoCycles::Transitions;
        let mut builder = InventoryBuilder::default();
        builder.add(&[step(Move::Shift, 1, 0), step(Move::NoArc, 2, 0), step(Move::Shift, 0, 3)]);
        let inventory = builder.finish(&settings).unwrap();
        // Two labels to the left, one to the right, both pairs of them.
        assert_eq!(inventory.edges.len(), 2 + 1 + 2);
        assert_eq!(inventory.actions.len(), 2 + 3 + 2 * 2);
    }

    #[test]
    fn too_many_edges_are_an_error() {
        let mut settings = Settings::new(Kind::List, true);
        settings.two_cycles = TwoCycles::Transitions;
        let mut builder = InventoryBuilder::default();
        for label in 1..400 {
            builder.add(&[step(Move::Shift, label, 0), step(Move::Shift, 0, label)]);
        }
        assert_eq!(builder.finish(&settings).unwrap_err(), TooManyEdges { edges: 399 * 399 });
    }
}
