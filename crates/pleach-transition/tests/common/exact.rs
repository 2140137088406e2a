//! Exact costs by trying everything: the least loss that any sequence reaches from a configuration.

use pleach_transition::Node;
use pleach_transition::action::{Action, Inventory, Move};
use pleach_transition::graph::System;
use pleach_transition::oracle::Gold;
use pleach_transition::settings::{Kind, Root, TwoCycles};
use pleach_transition::state::State;
use std::collections::{BTreeMap, VecDeque};

/// What decides the future of a configuration.
type Key = Vec<u32>;

pub struct Exact<'a> {
    pub system: &'a System,
    pub inventory: &'a Inventory,
    pub gold: &'a Gold,
    futures: BTreeMap<Key, u32>,
}

impl<'a> Exact<'a> {
    pub fn new(system: &'a System, inventory: &'a Inventory, gold: &'a Gold) -> Self {
        Exact { system, inventory, gold, futures: BTreeMap::new() }
    }

    /// The nodes of the buffer that have never been on a stack.
    fn unread<'s>(&self, state: &'s State) -> &'s [Node] {
        let is_reorder = self.system.settings().kind == Kind::Reorder;
        let count = if is_reorder { (state.counter & 0xFFFF) as usize } else { state.buffer.len() };
        &state.buffer[..count]
    }

    fn key(&self, state: &State) -> Key {
        let mut key = vec![state.counter, u32::from(state.last == Move::Shift)];
        for list in [&state.stack, &state.second, &state.buffer] {
            key.push(u32::MAX);
            key.extend(list.iter().map(|&node| u32::from(node)));
        }
        let front = self.unread(state).last().copied();
        for &node in state.stack.iter().chain(&state.second).chain(&state.buffer) {
            let made = front.filter(|&front| front != node).and_then(|front| state.edge_between(node, front));
            let made = made.unwrap_or_default();
            key.push(u32::from(made.left) << 16 | u32::from(made.right));
            key.push(state.loops[usize::from(node)].into());
        }
        key
    }

    pub fn legal(&self, state: &State) -> Vec<Action> {
        let legal = self.system.legal(state);
        let actions = self.inventory.actions.iter().copied();
        actions.filter(|&action| legal.has(self.inventory.class(action))).collect()
    }

    pub fn after(&self, state: &State, action: Action) -> State {
        let mut next = state.clone();
        self.system.apply(self.inventory, action, &mut next);
        next
    }

    /// The part of the loss that is decided: wrong arcs and tags, and gold arcs whose ends can't meet any more.
    fn decided(&self, state: &State) -> u32 {
        let gold = self.gold.arcs();
        let made: Vec<_> = state.arcs().collect();
        let unread = self.unread(state);
        let here =
            |node: Node| [&state.stack, &state.second, &state.buffer].iter().any(|list| list.contains(&node));
        let encoded = self.system.settings().two_cycles == TwoCycles::Encoded;
        let is_final = self.system.is_final(state);
        let undecided = |head: Node, dependent: Node| {
            if head == dependent {
                return here(head) && self.system.settings().self_arcs && state.loops[usize::from(head)] == 0;
            }
            let linked = state.edge_between(head, dependent).is_some_and(|edge| encoded || edge.right != 0);
            let meet = unread.contains(&head) || unread.contains(&dependent);
            meet && here(head) && here(dependent) && !linked
        };
        let lost = |&&(head, dependent, label): &&(Node, Node, u16)| {
            !made.contains(&(head, dependent, label)) && (is_final || !undecided(head, dependent))
        };
        let missing = gold.iter().filter(lost).count();
        let wrong = made.iter().filter(|arc| !gold.contains(arc)).count();
        let read = |&node: &usize| !unread.contains(&(node as Node));
        let tags = (1..=self.gold.len()).filter(read);
        let tags = tags.filter(|&node| state.tags[node] != self.gold.tag(node as Node)).count();
        (missing + wrong + tags) as u32
    }

    /// What is lost from here on at least, beyond what is decided.
    fn future(&mut self, state: &State) -> u32 {
        if self.system.is_final(state) {
            return 0;
        }
        let key = self.key(state);
        if let Some(&known) = self.futures.get(&key) {
            return known;
        }
        let now = self.decided(state);
        let mut least = u32::MAX;
        for action in self.legal(state) {
            let next = self.after(state, action);
            least = least.min(self.decided(&next) + self.future(&next) - now);
        }
        self.futures.insert(key, least);
        least
    }

    /// The least loss that can be reached.
    pub fn least(&mut self, state: &State) -> u32 {
        self.decided(state) + self.future(state)
    }

    /// By how much an action raises it.
    pub fn cost(&mut self, state: &State, action: Action) -> u32 {
        let next = self.after(state, action);
        self.least(&next) - self.least(state)
    }

    /// All configurations that some sequence leads to and whose futures differ, final ones left out.
    pub fn configurations(&self) -> Vec<State> {
        let mut start = State::default();
        self.system.start(self.gold.len(), &mut start);
        let mut seen = BTreeMap::new();
        let mut agenda = VecDeque::from([start]);
        while let Some(state) = agenda.pop_front() {
            let key = self.key(&state);
            if self.system.is_final(&state) || seen.contains_key(&key) {
                continue;
            }
            agenda.extend(self.legal(&state).into_iter().map(|action| self.after(&state, action)));
            seen.insert(key, state);
        }
        seen.into_values().collect()
    }
}

/// Every digraph over `len` words and, unless it is nowhere, the root, as arcs with label 1.
pub fn digraphs(len: Node, root: Root, loops: bool) -> impl Iterator<Item = Vec<(Node, Node, u16)>> {
    let first = if root == Root::None { 1 } else { 0 };
    let pairs: Vec<(Node, Node)> = (first..=len)
        .flat_map(|head| (1..=len).map(move |dependent| (head, dependent)))
        .filter(|(head, dependent)| loops || head != dependent)
        .collect();
    (0..1u32 << pairs.len()).map(move |mask| {
        let picked = pairs.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
        picked.map(|(_, &(head, dependent))| (head, dependent, 1)).collect()
    })
}
