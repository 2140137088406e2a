//! Actions taken apart: what is done (a *choice*), and which labels its arcs get.
//!
//! Most actions of a system differ from others in a label only. A scorer can say first what to do, and of an arc that is
//! really made which label it gets: score(action) = score(choice) + score(labels) - score(the choice's best labels). The
//! last two make a *penalty* that is 0 for the best labels, so that a choice's score is what its best action has: a search
//! needs labels only of choices that are good enough without.
//!
//! Invariant: among the actions of a choice one has the penalty 0, and none has more. A choice without arcs is one action.

use super::action::{Class, Edge, Inventory, Link};
use std::collections::BTreeMap;

/// What an action is made of: arcs between the top of the stack and the front of the buffer, and all the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Factor {
    /// What it is apart from the labels of its arcs between top and front.
    pub choice: u16,
    /// The label set of its arc from the front to the top, 0 for none.
    pub left: u16,
    /// The label set of its arc from the top to the front, 0 for none.
    pub right: u16,
}

/// All actions that are the same but for labels.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    class: Class,
    /// Whether there are arcs from the front and from the top.
    sides: [bool; 2],
    /// The ids of the actions, ascending.
    actions: Vec<u32>,
}

/// The actions of an inventory, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factors {
    factors: Vec<Factor>,
    choices: Vec<Choice>,
    labels: usize,
}

impl Factors {
    /// Takes the actions of an inventory apart. Choices are numbered in the order of their first actions.
    pub fn new(inventory: &Inventory) -> Self {
        let mut numbers = BTreeMap::new();
        let mut all = Factors::default();
        for (id, &action) in inventory.actions.iter().enumerate() {
            let edge = match action.link {
                Link::Edge(edge) => inventory.edges[usize::from(edge)],
                Link::None | Link::Loop(_) | Link::Root(_) => Edge::default(),
            };
            let sides = [edge.left > 0, edge.right > 0];
            // Arcs to oneself and arcs from the root that are actions of their own are few: their labels stay with them.
            let link = match action.link {
                Link::Edge(_) => (u16::from(sides[0]) << 1 | u16::from(sides[1]), 0),
                Link::None => (0, 0),
                Link::Loop(label) => (4, label),
                Link::Root(label) => (5, label),
            };
            let next = all.choices.len() as u16;
            let choice = *numbers.entry((action.mv, link, action.tag)).or_insert(next);
            if choice == next {
                all.choices.push(Choice { class: inventory.class(action), sides, actions: Vec::new() });
            }
            all.choices[usize::from(choice)].actions.push(id as u32);
            all.factors.push(Factor { choice, left: edge.left, right: edge.right });
            all.labels = all.labels.max(usize::from(edge.left.max(edge.right)) + 1);
        }
        all
    }

    /// What an action is made of.
    #[inline]
    pub fn of(&self, action: u32) -> Factor {
        self.factors[action as usize]
    }

    /// What all actions are made of, by their ids.
    pub fn all(&self) -> &[Factor] {
        &self.factors
    }

    /// How many choices there are.
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// How wide a row of label scores is: as many as there are labels, and none (0).
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// What decides whether each choice is legal.
    pub(crate) fn classes(&self) -> impl Iterator<Item = Class> {
        self.choices.iter().map(|choice| choice.class)
    }

    /// Whether a choice has an arc from the front, and one from the top.
    #[inline]
    pub fn sides(&self, choice: u32) -> [bool; 2] {
        self.choices[choice as usize].sides
    }

    /// The first action of a choice: the only one of a choice without arcs.
    #[inline]
    pub fn first(&self, choice: u32) -> u32 {
        self.choices[choice as usize].actions[0]
    }

    /// What the labels of an action score; rows of sides without an arc are not looked at.
    #[inline]
    fn worth(&self, action: u32, rows: [&[f32]; 2]) -> f32 {
        let Factor { left, right, .. } = self.of(action);
        let of = |label: u16, row: &[f32]| if label == 0 { 0.0 } else { row[usize::from(label)] };
        of(left, rows[0]) + of(right, rows[1])
    }

    /// The action of a choice whose labels are best, the first among equals, and what they score.
    #[inline]
    pub fn best(&self, choice: u32, rows: [&[f32]; 2]) -> (u32, f32) {
        let actions = &self.choices[choice as usize].actions;
        let mut best = (actions[0], self.worth(actions[0], rows));
        for &action in &actions[1..] {
            let worth = self.worth(action, rows);
            if worth > best.1 {
                best = (action, worth);
            }
        }
        best
    }

    /// Calls `visit` with every action of a choice and its penalty.
    #[inline]
    pub fn for_each_penalty(&self, choice: u32, rows: [&[f32]; 2], mut visit: impl FnMut(u32, f32)) {
        let (_, most) = self.best(choice, rows);
        for &action in &self.choices[choice as usize].actions {
            visit(action, self.worth(action, rows) - most);
        }
    }

    /// The penalty of one action.
    pub fn penalty(&self, action: u32, rows: [&[f32]; 2]) -> f32 {
        self.worth(action, rows) - self.best(self.of(action).choice.into(), rows).1
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::{Action, Move};
    use super::*;

    fn inventory() -> Inventory {
        let edges = vec![
            Edge { left: 0, right: 2 },
            Edge { left: 1, right: 0 },
            Edge { left: 1, right: 2 },
            Edge { left: 3, right: 0 },
        ];
        let action = |mv, link| Action { mv, link, tag: 0 };
        let mut actions = vec![
            action(Move::Shift, Link::None),
            action(Move::Pop, Link::None),
            action(Move::Stay, Link::Loop(1)),
            action(Move::Stay, Link::Loop(2)),
        ];
        for mv in [Move::Shift, Move::Pop] {
            actions.extend((0..4).map(|edge| action(mv, Link::Edge(edge))));
        }
        actions.sort_unstable();
        Inventory { edges, actions }
    }

    #[test]
    fn actions_are_the_same_but_for_labels() {
        let inventory = inventory();
        let factors = Factors::new(&inventory);
        // Two moves with no arc, with one to each side and with both, and two arcs to oneself.
        assert_eq!((factors.choices(), factors.labels()), (2 * 4 + 2, 4));
        for (id, &action) in inventory.actions.iter().enumerate() {
            let factor = factors.of(id as u32);
            let class = factors.classes().nth(usize::from(factor.choice)).unwrap();
            assert_eq!(class, inventory.class(action));
            assert_eq!(factors.sides(factor.choice.into()), [factor.left > 0, factor.right > 0]);
        }
    }

    #[test]
    fn the_best_labels_cost_nothing_and_no_others_less() {
        let factors = Factors::new(&inventory());
        let (left, right) = ([9.0, 1.5, 9.0, 4.0], [9.0, 9.0, -2.0, 9.0]);
        for choice in 0..factors.choices() as u32 {
            let (best, _) = factors.best(choice, [&left, &right]);
            let mut seen = 0;
            factors.for_each_penalty(choice, [&left, &right], |action, penalty| {
                seen += 1;
                assert_eq!(penalty == 0.0, action == best);
                assert!(penalty <= 0.0);
                assert_eq!(penalty, factors.penalty(action, [&left, &right]));
            });
            // Label 3 is better than label 1 on the left; the others have one label a side.
            let several = factors.sides(choice) == [true, false];
            assert_eq!(seen, if several { 2 } else { 1 });
            if several {
                assert_eq!(factors.of(best).left, 3);
            }
        }
    }
}
