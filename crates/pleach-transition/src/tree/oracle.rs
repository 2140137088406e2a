//! Which transitions keep the gold tree within reach (`bohnet-2016` section 6, Ma et al. 2013).
//!
//! One procedure serves all systems: *take a gold arc as soon as it can be taken, else reduce a token that is done with,
//! else shift*. A token is done with when all of its gold arcs are there; an arc that reduces its modifier can be taken
//! when it is the modifier's last one. Run from the start it is the static oracle of arc-standard, arc-eager and hybrid;
//! run from any configuration it tells whether the gold tree can still be reached: a transition is correct when
//! the procedure succeeds after it.
//!
//! If the procedure succeeds, the tree is reachable, in every system. The converse holds for all presets and for every K
//! and D, where taking a possible gold arc early never hurts ([`System::is_confluent`]), and for arc-eager and DAG; it
//! is proved by enumeration (`tests/tree_oracle.rs`). In other systems that settings can describe the test
//! is on the safe side: what it calls correct is correct.
//!
//! Complexity: O(n · K · D) for one run. In confluent systems only SHIFT needs a run: gold arcs are always correct.

use super::settings::{Base, Heads};
use super::state::{Row, State};
use super::system::{Op, Site, System, ends};
use crate::Node;

/// The tree (or graph) that is to be built.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Gold {
    /// (dependent, head, label), sorted.
    arcs: Vec<(Node, Node, u16)>,
    /// Where the arcs of each dependent start in `arcs`; one more entry at the end.
    starts: Vec<u32>,
    /// How many arcs each node takes part in.
    degrees: Vec<u16>,
}

impl Clone for Gold {
    fn clone(&self) -> Self {
        let mut new = Gold::default();
        new.clone_from(self);
        new
    }

    // Searches copy the gold tree of every sentence into the same memory.
    fn clone_from(&mut self, from: &Self) {
        self.arcs.clone_from(&from.arcs);
        self.starts.clone_from(&from.starts);
        self.degrees.clone_from(&from.degrees);
    }
}

impl Gold {
    /// A gold structure over `len` words from arcs (head, dependent, label); of several arcs between the same head and
    /// dependent the one with the lowest label counts, and arcs to the root or to the same word don't.
    pub fn new(len: usize, arcs: impl IntoIterator<Item = (Node, Node, u16)>) -> Self {
        let inside = |&(head, dependent, _): &(Node, Node, u16)| {
            dependent != 0 && head != dependent && usize::from(head.max(dependent)) <= len
        };
        let mut sorted: Vec<(Node, Node, u16)> = arcs
            .into_iter()
            .filter(inside)
            .map(|(head, dependent, label)| (dependent, head, label))
            .collect();
        sorted.sort_unstable();
        sorted.dedup_by_key(|&mut (dependent, head, _)| (dependent, head));
        let mut gold = Gold { starts: vec![0; len + 2], degrees: vec![0; len + 1], arcs: sorted };
        for &(dependent, head, _) in &gold.arcs {
            gold.starts[usize::from(dependent) + 1] += 1;
            gold.degrees[usize::from(dependent)] += 1;
            gold.degrees[usize::from(head)] += 1;
        }
        for node in 1..gold.starts.len() {
            gold.starts[node] += gold.starts[node - 1];
        }
        gold
    }

    /// A tree from the head and the label of each word.
    pub fn tree(heads: &[(Node, u16)]) -> Self {
        let arcs = heads.iter().enumerate().map(|(word, &(head, label))| (head, word as Node + 1, label));
        Gold::new(heads.len(), arcs)
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.degrees.len().saturating_sub(1)
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All arcs as (head, dependent, label), sorted by dependent.
    pub fn arcs(&self) -> impl Iterator<Item = (Node, Node, u16)> {
        self.arcs.iter().map(|&(dependent, head, label)| (head, dependent, label))
    }

    /// Whether no node hangs below itself. O(n + m).
    fn is_acyclic(&self) -> bool {
        let mut heads: Vec<u32> = self.starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut children: Vec<(Node, Node)> =
            self.arcs.iter().map(|&(child, head, _)| (head, child)).collect();
        children.sort_unstable();
        let mut free: Vec<Node> =
            (0..heads.len() as Node).filter(|&node| heads[node as usize] == 0).collect();
        let mut done = 0;
        while let Some(node) = free.pop() {
            done += 1;
            let first = children.partition_point(|&(head, _)| head < node);
            for &(_, child) in children[first..].iter().take_while(|&&(head, _)| head == node) {
                heads[child as usize] -= 1;
                if heads[child as usize] == 0 {
                    free.push(child);
                }
            }
        }
        done == heads.len()
    }

    /// The number of an arc.
    #[inline]
    fn find(&self, head: Node, dependent: Node) -> Option<usize> {
        let (start, end) = (self.starts[dependent as usize], self.starts[dependent as usize + 1]);
        let arcs = &self.arcs[start as usize..end as usize];
        arcs.iter().position(|&(_, other, _)| other == head).map(|place| start as usize + place)
    }
}

/// What is correct in training.
#[derive(Clone, Copy, Debug)]
pub enum Guide<'a> {
    /// One sequence, as [`Oracle::derive`] gives it, for a sentence of so many words.
    Sequence(usize, &'a [Op]),
    /// Every transition that keeps this tree in reach.
    Reachable(&'a Gold),
    /// The same without a SHIFT that pushes a token out of the window whose arc could be made now.
    Window(&'a Gold),
    /// The same without a SHIFT that pushes a token out of the window which can get an arc before it, now or after others.
    Settled(&'a Gold),
}

impl Guide<'_> {
    /// The number of words.
    pub fn len(&self) -> usize {
        match self {
            Guide::Sequence(len, _) => *len,
            Guide::Reachable(gold) | Guide::Window(gold) | Guide::Settled(gold) => gold.len(),
        }
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The correct transitions of a configuration that `step` correct ones have led to; none at the end.
    pub fn correct(
        &self,
        system: &System,
        state: &State,
        step: usize,
        oracle: &mut Oracle,
        ops: &mut Vec<Op>,
    ) {
        match self {
            Guide::Sequence(_, sequence) => {
                ops.clear();
                ops.extend(sequence.get(step));
            }
            Guide::Reachable(gold) => oracle.correct(system, gold, state, ops),
            Guide::Window(gold) => oracle.correct_in_window(system, gold, state, ops),
            Guide::Settled(gold) => oracle.correct_when_settled(system, gold, state, ops),
        }
    }
}

/// A copy of a guide, for searches that are stepped and so outlive whatever the guide was borrowed from.
#[derive(Debug, Default)]
pub(crate) struct KeptGuide {
    sequence: Vec<Op>,
    len: usize,
    gold: Gold,
    kind: Kind,
}

/// Which guide a copy is of.
#[derive(Clone, Copy, Debug, Default)]
enum Kind {
    #[default]
    Sequence,
    Reachable,
    Window,
    Settled,
}

impl KeptGuide {
    /// Copies a guide into the memory of the one before it.
    pub fn keep(&mut self, guide: Guide<'_>) {
        self.kind = match guide {
            Guide::Sequence(..) => Kind::Sequence,
            Guide::Reachable(_) => Kind::Reachable,
            Guide::Window(_) => Kind::Window,
            Guide::Settled(_) => Kind::Settled,
        };
        match guide {
            Guide::Sequence(len, sequence) => {
                self.len = len;
                self.sequence.clear();
                self.sequence.extend_from_slice(sequence);
            }
            Guide::Reachable(gold) | Guide::Window(gold) | Guide::Settled(gold) => self.gold.clone_from(gold),
        }
    }

    /// The guide.
    pub fn get(&self) -> Guide<'_> {
        match self.kind {
            Kind::Sequence => Guide::Sequence(self.len, &self.sequence),
            Kind::Reachable => Guide::Reachable(&self.gold),
            Kind::Window => Guide::Window(&self.gold),
            Kind::Settled => Guide::Settled(&self.gold),
        }
    }
}

/// What is still to be done, and the memory for finding out.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// How many gold arcs each node still waits for.
    pending: Vec<u16>,
    /// Which gold arcs are there.
    made: Vec<bool>,
    missing: usize,
    trial: Trial,
}

/// A copy to try things out on.
#[derive(Clone, Debug, Default)]
struct Trial {
    row: Row,
    pending: Vec<u16>,
    made: Vec<bool>,
    missing: usize,
}

/// What a transition would do to the gold arcs.
enum Effect {
    Arc { gold: usize, head: Node, modifier: Node },
    None,
}

impl Trial {
    fn perform(&mut self, system: &System, gold: &Gold, op: Op) {
        if let Effect::Arc { gold, head, modifier } = effect(system, gold, op) {
            self.made[gold] = true;
            self.missing -= 1;
            self.pending[head as usize] -= 1;
            self.pending[modifier as usize] -= 1;
        }
        system.move_tokens(op, &mut self.row);
    }

    /// The procedure: whether all gold arcs can be made.
    fn run(&mut self, system: &System, gold: &Gold, mut taken: impl FnMut(Op)) -> bool {
        while let Some(op) = self.next(system, gold) {
            self.perform(system, gold, op);
            taken(op);
        }
        self.missing == 0 && system.is_final(&self.row)
    }

    /// The next transition of the procedure.
    fn next(&self, system: &System, gold: &Gold) -> Option<Op> {
        let Trial { row, pending, made, .. } = self;
        let outlook = Outlook { system, gold, row, pending, made };
        let mut arc = None;
        let mut reduce = None;
        let mut shift = None;
        system.sites(&self.row, |site, position| {
            arc = outlook.arcs(site, position).next();
            if arc.is_none() && reduce.is_none() {
                reduce = outlook.reductions(site, position).next();
            }
            shift = shift.or_else(|| outlook.shift(site, position));
            arc.is_none()
        });
        arc.or(reduce).or(shift)
    }
}

fn at(site: Site, transition: usize, variant: u8, label: u16) -> Op {
    Op { left: site.left, right: site.right, transition: transition as u8, variant, label }
}

fn place_of(system: &System, base: Base) -> Option<usize> {
    system.transitions().iter().position(|transition| transition.base == base)
}

fn effect(system: &System, gold: &Gold, op: Op) -> Effect {
    let base = system.transitions()[op.transition as usize].base;
    if !matches!(base, Base::LeftArc | Base::RightArc) {
        return Effect::None;
    }
    let (head, modifier) = ends(base, op.left, op.right);
    match gold.find(head, modifier) {
        Some(gold) => Effect::Arc { gold, head, modifier },
        None => Effect::None,
    }
}

/// What can be done at the sites of a configuration without losing a gold arc at once.
#[derive(Clone, Copy)]
struct Outlook<'a> {
    system: &'a System,
    gold: &'a Gold,
    row: &'a Row,
    pending: &'a [u16],
    made: &'a [bool],
}

impl<'a> Outlook<'a> {
    /// The gold arcs that can be taken at a site.
    fn arcs(self, site: Site, position: usize) -> impl Iterator<Item = Op> + use<'a> {
        self.system.transitions().iter().enumerate().filter_map(move |(number, &transition)| {
            if !transition.is_arc() {
                return None;
            }
            let (head, modifier) = ends(transition.base, site.left, site.right);
            let arc = self.gold.find(head, modifier).filter(|&arc| !self.made[arc])?;
            let done = !transition.bottom_up || self.pending[modifier as usize] == 1;
            let possible = done && self.system.has_place(self.row, transition, site, position);
            possible.then(|| at(site, number, u8::from(head == 0), self.gold.arcs[arc].2))
        })
    }

    /// The tokens of a site that can be reduced because nothing is left to do for them.
    fn reductions(self, site: Site, position: usize) -> impl Iterator<Item = Op> + use<'a> {
        let many = self.system.settings().heads == Heads::Many;
        let reducers = self.system.transitions().iter().enumerate().filter(|(_, t)| t.base == Base::Reduce);
        reducers.flat_map(move |(number, &transition)| {
            [(false, site.left), (true, site.right)].into_iter().filter_map(move |(right, node)| {
                let arcs =
                    self.gold.starts[node as usize] as usize..self.gold.starts[node as usize + 1] as usize;
                let attached = many || self.made[arcs].contains(&true);
                let possible = node != 0
                    && self.pending[node as usize] == 0
                    && attached
                    && self.system.may_reduce(self.row, transition, site, position, right);
                possible.then(|| at(site, number, u8::from(right), 0))
            })
        })
    }

    /// SHIFT, which belongs to the rightmost site.
    fn shift(self, site: Site, position: usize) -> Option<Op> {
        let here = position == 1 && site.distance == 1 && self.row.front() != crate::NONE;
        let place = here.then(|| place_of(self.system, Base::Shift)).flatten();
        place.map(|transition| at(site, transition, 0, 0))
    }
}

impl Oracle {
    /// Notes which gold arcs a configuration has and which are missing.
    fn look_at(&mut self, gold: &Gold, state: &State) {
        self.pending.clone_from(&gold.degrees);
        self.made.clear();
        self.missing = 0;
        for &(dependent, head, _) in &gold.arcs {
            let made = state.label(head, dependent).is_some();
            self.made.push(made);
            if made {
                self.pending[head as usize] -= 1;
                self.pending[dependent as usize] -= 1;
            } else {
                self.missing += 1;
            }
        }
    }

    fn reset_trial(&mut self, row: &Row) {
        self.trial.row.clone_from(row);
        self.trial.pending.clone_from(&self.pending);
        self.trial.made.clone_from(&self.made);
        self.trial.missing = self.missing;
    }

    /// The static oracle: the procedure's transitions from the start. `None` when the gold tree is out of the system's
    /// reach.
    pub fn derive(&mut self, system: &System, gold: &Gold) -> Option<Vec<Op>> {
        if !gold.is_acyclic() {
            return None;
        }
        let mut state = State::default();
        system.start(gold.len(), &mut state);
        self.look_at(gold, &state);
        self.reset_trial(&state.row);
        let mut ops = Vec::new();
        self.trial.run(system, gold, |op| ops.push(op)).then_some(ops)
    }

    /// Whether the gold tree can be reached from a configuration all of whose arcs are gold.
    pub fn reaches(&mut self, system: &System, gold: &Gold, state: &State) -> bool {
        self.look_at(gold, state);
        self.reset_trial(&state.row);
        self.trial.run(system, gold, |_| {})
    }

    /// The correct transitions of a configuration from which the gold tree can be reached: those after which it still
    /// can. `ops` is emptied first.
    pub fn correct(&mut self, system: &System, gold: &Gold, state: &State, ops: &mut Vec<Op>) {
        ops.clear();
        self.look_at(gold, state);
        let Oracle { pending, made, .. } = &*self;
        let outlook = Outlook { system, gold, row: &state.row, pending, made };
        system.sites(&state.row, |site, position| {
            ops.extend(outlook.arcs(site, position));
            ops.extend(outlook.reductions(site, position));
            ops.extend(outlook.shift(site, position));
            true
        });
        let safe = system.is_confluent();
        ops.retain(|&op| {
            if safe && system.transitions()[op.transition as usize].is_arc() {
                return true;
            }
            self.reset_trial(&state.row);
            self.trial.perform(system, gold, op);
            self.trial.run(system, gold, |_| {})
        });
    }

    /// The correct transitions, but no SHIFT that pushes a token out of the window as long as a correct arc links it to
    /// another active one.
    ///
    /// Such a SHIFT is often correct, because tokens come back when others are reduced, but only if the words that follow
    /// are reduced among themselves first, which nobody knows yet. With K = 2 what is left is arc-standard's static oracle.
    pub fn correct_in_window(&mut self, system: &System, gold: &Gold, state: &State, ops: &mut Vec<Op>) {
        self.correct(system, gold, state, ops);
        let Some(leftmost) = state.pushed_out() else { return };
        let base = |op: &Op| system.transitions()[op.transition as usize].base;
        let is_arc = |op: &Op| matches!(base(op), Base::LeftArc | Base::RightArc);
        if ops.iter().any(|op| op.left == leftmost && is_arc(op)) {
            ops.retain(|op| base(op) != Base::Shift);
        }
    }

    /// The correct transitions, but no SHIFT that pushes a token out of the window as long as an arc of it can be made
    /// without shifting, now or once other arcs between active tokens are there.
    ///
    /// [`correct_in_window`](Self::correct_in_window) looks at the next transition only, so it lets a token go whose neighbour
    /// has to be attached first, and the more so the larger the window is.
    pub fn correct_when_settled(&mut self, system: &System, gold: &Gold, state: &State, ops: &mut Vec<Op>) {
        self.correct(system, gold, state, ops);
        let Some(leftmost) = state.pushed_out() else { return };
        let base = |op: &Op| system.transitions()[op.transition as usize].base;
        self.reset_trial(&state.row);
        while let Some(op) = self.trial.next(system, gold).filter(|op| base(op) != Base::Shift) {
            if [op.left, op.right].contains(&leftmost) && matches!(base(&op), Base::LeftArc | Base::RightArc)
            {
                ops.retain(|op| base(op) != Base::Shift);
                return;
            }
            self.trial.perform(system, gold, op);
        }
    }
}
