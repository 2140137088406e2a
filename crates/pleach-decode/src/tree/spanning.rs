//! The best spanning tree over single arcs (Chu & Liu 1965, Edmonds 1967), dense as in Tarjan 1977.
//!
//! Class: all trees. O(n²) time and memory. Invariant: the path holds components, each entered by its best arc
//! from the next one; when that arc comes from the path itself, the components of the cycle become one, whose arcs
//! score what they gain over the arc that they replace. Every component is merged once, in O(n).
//!
//! A single root is exact: trees are compared by how many arcs leave the root first, and by their scores among
//! equals. Forbidden arcs (minus infinity) come before both, so that a tree is found whatever is forbidden.

use super::score::Score;
use super::{Arcs, Root};
use std::ops::Sub;

/// Memory for the search, kept from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct SpanningTree {
    /// What each component gains by an arc from each node, and the word of the component that the arc ends in.
    entries: Vec<(Gain, u32)>,
    /// The component that a node or component was merged into; itself when in none.
    parent: Vec<u32>,
    /// The row of `entries` of a component.
    row: Vec<u32>,
    /// The best arc into a component as (head, dependent).
    best: Vec<(u32, u32)>,
    /// Union-find over components, with path halving.
    top: Vec<u32>,
    path: Vec<u32>,
    state: Vec<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    OnPath,
    /// Hangs on the root.
    Done,
    /// Entered by an arc that an outer component chose.
    Replaced,
}

/// What is compared: fewer penalties first, then the higher score.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Gain {
    penalty: i64,
    score: f64,
}

impl Gain {
    const NONE: Gain = Gain { penalty: i64::MIN / 4, score: 0.0 };
}

impl Sub for Gain {
    type Output = Gain;

    fn sub(self, other: Gain) -> Gain {
        Gain { penalty: self.penalty - other.penalty, score: self.score - other.score }
    }
}

impl SpanningTree {
    /// Finds the best tree and writes its heads. `heads` has a place for every node. Among arcs that score the
    /// same the one from the lowest head is taken first.
    pub fn decode<S: Score + Into<f64>>(&mut self, arcs: &Arcs<S>, root: Root, heads: &mut [u32]) {
        let n = arcs.nodes();
        heads[..n].fill(0);
        if n < 2 {
            return;
        }
        self.reset(arcs, root);
        self.state[0] = State::Done;
        for word in 1..n as u32 {
            let component = self.find(word) as usize;
            if self.state[component] == State::New {
                self.grow(word, n);
            }
        }
        self.expand(heads);
    }

    fn reset<S: Score + Into<f64>>(&mut self, arcs: &Arcs<S>, root: Root) {
        let n = arcs.nodes();
        self.entries.clear();
        for dependent in 0..n {
            for (head, &score) in arcs.heads_of(dependent).iter().enumerate() {
                let score: f64 = score.into();
                let forbidden = score == f64::NEG_INFINITY || score.is_nan();
                let penalty = -i64::from(forbidden) * n as i64 - i64::from(head == 0 && root == Root::Single);
                let gain = Gain { penalty, score: if forbidden { 0.0 } else { score } };
                self.entries.push((if head == dependent { Gain::NONE } else { gain }, dependent as u32));
            }
        }
        for list in [&mut self.parent, &mut self.row, &mut self.top] {
            list.clear();
            list.extend(0..n as u32);
        }
        self.best.clear();
        self.best.resize(n, (0, 0));
        self.state.clear();
        self.state.resize(n, State::New);
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.top[node as usize] != node {
            self.top[node as usize] = self.top[self.top[node as usize] as usize];
            node = self.top[node as usize];
        }
        node
    }

    /// Follows best arcs against their direction until something that hangs on the root is met.
    fn grow(&mut self, word: u32, n: usize) {
        self.path.clear();
        let mut component = word;
        loop {
            self.path.push(component);
            self.state[component as usize] = State::OnPath;
            let (head, dependent) = self.choose(component, n);
            self.best[component as usize] = (head, dependent);
            component = self.find(head);
            match self.state[component as usize] {
                State::New => {}
                State::OnPath => component = self.contract(component, n),
                State::Done | State::Replaced => break,
            }
        }
        for &component in &self.path {
            self.state[component as usize] = State::Done;
        }
    }

    /// The best arc into a component.
    fn choose(&self, component: u32, n: usize) -> (u32, u32) {
        let row = &self.entries[self.row[component as usize] as usize * n..][..n];
        let (mut head, mut best) = (0, row[0]);
        for (node, &entry) in row.iter().enumerate().skip(1) {
            if entry.0 > best.0 {
                (head, best) = (node, entry);
            }
        }
        (head as u32, best.1)
    }

    /// Makes the components at the end of the path, from `first` on, one; takes them off the path.
    fn contract(&mut self, first: u32, n: usize) -> u32 {
        let new = self.parent.len() as u32;
        let mut into = None;
        while let Some(part) = self.path.pop() {
            let from = self.row[part as usize] as usize;
            (self.parent[part as usize], self.top[part as usize]) = (new, new);
            let kept = self.entries[from * n + self.best[part as usize].0 as usize].0;
            // gain(head, new) = max over the parts of gain(head, part) - gain(best head of part, part)
            match into {
                None => {
                    into = Some(from);
                    self.entries[from * n..][..n].iter_mut().for_each(|entry| entry.0 = entry.0 - kept);
                }
                Some(into) => {
                    for node in 0..n {
                        let (gain, dependent) = self.entries[from * n + node];
                        let entry = &mut self.entries[into * n + node];
                        if gain - kept > entry.0 {
                            *entry = (gain - kept, dependent);
                        }
                    }
                }
            }
            if part == first {
                break;
            }
        }
        let into = into.unwrap_or_default();
        self.parent.push(new);
        self.top.push(new);
        self.row.push(into as u32);
        self.best.push((0, 0));
        self.state.push(State::New);
        for node in 0..n {
            if self.find(node as u32) == new {
                self.entries[into * n + node].0 = Gain::NONE;
            }
        }
        new
    }

    /// Undoes the contractions, newest first: the arc into a component replaces the arcs into those of its parts
    /// that lead down to the word where it ends.
    fn expand(&mut self, heads: &mut [u32]) {
        for component in (1..self.parent.len()).rev() {
            if self.state[component] == State::Replaced {
                continue;
            }
            let (head, dependent) = self.best[component];
            heads[dependent as usize] = head;
            let mut part = dependent as usize;
            while part != component {
                self.state[part] = State::Replaced;
                part = self.parent[part] as usize;
            }
        }
    }
}
