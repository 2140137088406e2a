//! What the tests of the tree framework share: enumeration, textbook systems, and a plain reading of the paper.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use pleach_transition::Node;
use pleach_transition::tree::check::legal_ops;
use pleach_transition::tree::settings::{Base, Heads, Periphery, Settings, Side};
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Op, System, ends};
use std::collections::{BTreeMap, BTreeSet};

pub type Arcs = BTreeSet<(Node, Node)>;

/// What happens to the tokens and the arcs, whichever system does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    Left(Node, Node),
    Right(Node, Node),
    Reduce(Node),
    Shift,
}

/// All sequences of a system with the arcs they lead to.
pub type Derivations = BTreeMap<Vec<Event>, Arcs>;

/// The trees that some derivations build.
pub fn results(derivations: &Derivations) -> BTreeSet<Arcs> {
    derivations.values().cloned().collect()
}

pub fn arcs(state: &State) -> Arcs {
    state.arcs().map(|(head, dependent, _)| (head, dependent)).collect()
}

fn event(system: &System, op: Op) -> Event {
    let base = system.transitions()[op.transition as usize].base;
    let (head, modifier) = ends(base, op.left, op.right);
    match base {
        Base::LeftArc => Event::Left(head, modifier),
        Base::RightArc => Event::Right(head, modifier),
        Base::Reduce => Event::Reduce(if op.variant == 0 { op.left } else { op.right }),
        Base::Shift => Event::Shift,
    }
}

/// All derivations of the framework, deterministic shifts written out.
pub fn derivations(system: &System, len: usize) -> Derivations {
    let mut all = Derivations::new();
    let mut state = State::default();
    system.start(len, &mut state);
    let mut path = vec![Event::Shift; state.row.size() - 1];
    walk(system, &state, &mut path, &mut all);
    all
}

fn walk(system: &System, state: &State, path: &mut Vec<Event>, all: &mut Derivations) {
    let ops = legal_ops(system, state);
    if system.is_final(&state.row) {
        assert_eq!(ops, []);
        assert!(all.insert(path.clone(), arcs(state)).is_none());
        return;
    }
    assert!(!ops.is_empty(), "dead end: {state:?}");
    for op in ops {
        let mut next = state.clone();
        system.apply(op, &mut next);
        let length = path.len();
        path.push(event(system, op));
        path.extend((1..next.steps - state.steps).map(|_| Event::Shift));
        walk(system, &next, path, all);
        path.truncate(length);
    }
}

/// A textbook configuration: a stack (top last), a buffer (front first) and arcs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Config {
    pub stack: Vec<Node>,
    pub buffer: Vec<Node>,
    pub arcs: Arcs,
}

impl Config {
    pub fn new(stack: &[Node], buffer: impl IntoIterator<Item = Node>) -> Self {
        Config { stack: stack.to_vec(), buffer: buffer.into_iter().collect(), arcs: Arcs::new() }
    }

    pub fn with(&self, change: impl FnOnce(&mut Config)) -> Self {
        let mut new = self.clone();
        change(&mut new);
        new
    }

    pub fn shift(&self) -> Self {
        self.with(|c| {
            let front = c.buffer.remove(0);
            c.stack.push(front);
        })
    }

    pub fn linked(&self, head: Node, dependent: Node) -> Self {
        let mut new = self.clone();
        new.arcs.insert((head, dependent));
        new
    }

    pub fn popped(&self) -> Self {
        let mut new = self.clone();
        new.stack.pop();
        new
    }

    pub fn has_head(&self, node: Node) -> bool {
        self.arcs.iter().any(|arc| arc.1 == node)
    }

    pub fn leads_to(&self, from: Node, to: Node) -> bool {
        from == to || self.arcs.iter().any(|arc| arc.0 == from && self.leads_to(arc.1, to))
    }
}

/// All derivations of a system given by its start, its moves and its end.
pub fn enumerate(
    start: Config,
    moves: &dyn Fn(&Config) -> Vec<(Event, Config)>,
    done: &dyn Fn(&Config) -> bool,
) -> Derivations {
    fn go(
        config: &Config,
        moves: &dyn Fn(&Config) -> Vec<(Event, Config)>,
        done: &dyn Fn(&Config) -> bool,
        path: &mut Vec<Event>,
        all: &mut Derivations,
    ) {
        if done(config) {
            all.insert(path.clone(), config.arcs.clone());
            return;
        }
        for (event, next) in moves(config) {
            path.push(event);
            go(&next, moves, done, path, all);
            path.pop();
        }
    }
    let mut all = Derivations::new();
    go(&start, moves, done, &mut Vec::new(), &mut all);
    all
}

/// The framework as section 3 of the paper writes it, over plain lists, with every rule checked by search. `fill` and
/// the left periphery are as `settings.rs` says.
pub fn paper(settings: &Settings, len: usize) -> Derivations {
    let words = 1..=len as Node;
    let mut tokens: Vec<Node> = match settings.root {
        Side::Left => std::iter::once(0).chain(words).collect(),
        Side::Right => words.chain([0]).collect(),
    };
    // `stack` is O, `buffer` is U; one token is operative from the start, the others are filled in as shifts.
    let first = tokens.remove(0);
    let fill = settings.fill().limit();
    let moves = |c: &Config| {
        if c.stack.len() < fill && !c.buffer.is_empty() {
            return vec![(Event::Shift, c.shift())];
        }
        let size = c.stack.len();
        let active = size.min(settings.capacity.limit());
        let token = |position: usize| c.stack[size - position];
        let left_end =
            if active == settings.capacity.limit() || c.buffer.is_empty() { active } else { usize::MAX };
        let touches = |periphery: Periphery, positions: &[usize]| match periphery {
            Periphery::Na => true,
            Periphery::Left => positions.contains(&left_end),
            Periphery::Right => positions.contains(&1),
        };
        let mut all = Vec::new();
        for t in &settings.transitions {
            match t.base {
                Base::Shift if !c.buffer.is_empty() => all.push((Event::Shift, c.shift())),
                Base::Shift => {}
                Base::Reduce => {
                    for i in (1..=active).filter(|&i| size > 1 && touches(t.periphery, &[i])) {
                        let node = token(i);
                        if node != 0 && (c.has_head(node) || settings.heads == Heads::Many) {
                            all.push((
                                Event::Reduce(node),
                                c.with(|c| c.stack.retain(|&other| other != node)),
                            ));
                        }
                    }
                }
                Base::LeftArc | Base::RightArc => {
                    for j in 1..=active {
                        for i in j + 1..=active {
                            let (left, right) = (token(i), token(j));
                            let (head, modifier) =
                                if t.base == Base::LeftArc { (right, left) } else { (left, right) };
                            let taken = settings.heads == Heads::One && c.has_head(modifier)
                                || c.arcs.contains(&(head, modifier));
                            if i - j > settings.distance.limit()
                                || !touches(t.periphery, &[i, j])
                                || modifier == 0
                                || taken
                                || c.leads_to(modifier, head)
                                || t.arc_shift && c.buffer.is_empty()
                            {
                                continue;
                            }
                            let mut next = c.with(|c| {
                                c.arcs.insert((head, modifier));
                                if t.bottom_up {
                                    c.stack.retain(|&other| other != modifier);
                                }
                            });
                            if t.arc_shift {
                                next = next.shift();
                            }
                            let event = match t.base {
                                Base::LeftArc => Event::Left(head, modifier),
                                _ => Event::Right(head, modifier),
                            };
                            all.push((event, next));
                        }
                    }
                }
            }
        }
        all
    };
    enumerate(Config::new(&[first], tokens), &moves, &|c| c.stack == [0] && c.buffer.is_empty())
}

/// All trees over `len` words: every word has a head, and all hang below the root.
pub fn trees(len: usize) -> Vec<Vec<Node>> {
    let mut all = Vec::new();
    for code in 0..(len + 1).pow(len as u32) {
        let mut rest = code;
        let heads: Vec<Node> = (0..len)
            .map(|_| {
                let head = rest % (len + 1);
                rest /= len + 1;
                head as Node
            })
            .collect();
        if (1..=len).all(|word| reaches_root(&heads, word)) {
            all.push(heads);
        }
    }
    all
}

fn reaches_root(heads: &[Node], word: usize) -> bool {
    let mut at = word;
    for _ in 0..=heads.len() {
        if at == 0 {
            return true;
        }
        at = heads[at - 1].into();
    }
    false
}

pub fn arcs_of(heads: &[Node]) -> Arcs {
    heads.iter().enumerate().map(|(word, &head)| (head, word as Node + 1)).collect()
}

/// Whether no arc crosses another, the root standing on a side.
pub fn is_noncrossing(arcs: &Arcs, len: usize, root: Side) -> bool {
    let place = |node: Node| match (node, root) {
        (0, Side::Right) => len as Node + 1,
        _ => node,
    };
    let spans: Vec<(Node, Node)> =
        arcs.iter().map(|&(a, b)| (place(a).min(place(b)), place(a).max(place(b)))).collect();
    spans.iter().all(|&(a, b)| spans.iter().all(|&(c, d)| !(a < c && c < b && b < d)))
}
