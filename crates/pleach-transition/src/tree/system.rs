//! The transition system that settings describe: sites, legal transitions, their effect (`bohnet-2016` section 3.3).
//!
//! A transition is taken at a [`Site`]: two active tokens at most D places apart. Arcs link the two, REDUCE removes one
//! of two adjacent ones, and SHIFT belongs to the rightmost site. So everything that can be done is found at sites, and
//! a scorer looks at one site at a time, whatever K and D are.
//!
//! Complexity: a configuration has at most min(K, |O|) · D sites. Invariant: after [`System::start`] and
//! [`System::apply`], O has at least [`Settings::fill`] tokens or U is empty (SHIFT is deterministic until then).

use super::settings::{Base, Bound, Heads, Periphery, Settings, Transition};
use super::state::{Row, State};
use crate::{NONE, Node};

/// Two active tokens, `distance` places of O apart. Its *position* is that of the right token, 1 at the right end of O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The left token.
    pub left: Node,
    /// The right token.
    pub right: Node,
    /// How many places they are apart: 1 for neighbours.
    pub distance: u16,
}

/// A transition at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Op {
    /// The left token of the site.
    pub left: Node,
    /// The right token of the site.
    pub right: Node,
    /// The transition's place in the multiset.
    pub transition: u8,
    /// For arcs: the head is the root. For REDUCE: the right token is reduced instead of the left one.
    pub variant: u8,
    /// The label of an arc, 0 without one.
    pub label: u16,
}

/// The legal transitions at a site: two bits for each, one a variant of [`Op::variant`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Legal(pub u32);

impl Legal {
    /// Whether a variant of a transition is legal.
    #[inline]
    pub fn has(self, transition: u8, variant: u8) -> bool {
        self.0 >> (2 * transition + variant) & 1 == 1
    }

    #[inline]
    fn allow(&mut self, transition: usize, variant: bool) {
        self.0 |= 1 << (2 * transition + usize::from(variant));
    }
}

/// A transition system of the framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    settings: Settings,
    capacity: usize,
    distance: usize,
    fill: usize,
    /// Some arc leaves its modifier in O, so that cycles have to be watched for.
    keeps: bool,
}

impl System {
    /// The system of some settings; see [`check`](super::check::check) for whether they make sense.
    pub fn new(settings: &Settings) -> Self {
        System {
            capacity: settings.capacity.limit().max(2),
            distance: settings.distance.limit().max(1),
            fill: settings.fill().limit().max(2),
            keeps: settings.transitions.iter().any(|t| t.is_arc() && !t.bottom_up),
            settings: settings.clone(),
        }
    }

    /// What it was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The multiset of transitions.
    pub fn transitions(&self) -> &[Transition] {
        &self.settings.transitions
    }

    /// How far apart the tokens of a site are at most in a sentence of `len` words.
    pub fn reach(&self, len: usize) -> usize {
        self.distance.min(self.capacity - 1).min(len)
    }

    /// Whether every transition but SHIFT is an arc that reduces its modifier: tokens in O have no head then.
    pub fn is_bottom_up(&self) -> bool {
        let bottom_up = |t: &Transition| t.base == Base::Shift || t.is_arc() && t.bottom_up && !t.arc_shift;
        self.settings.heads == Heads::One && self.transitions().iter().all(bottom_up)
    }

    /// Whether a possible arc never stands in the way of others: in these bottom-up systems a token less in O
    /// only brings others closer together and into the window. Where transitions are bound to a periphery, a reduced
    /// token can also push another one off it; then only these kinds are known to be safe (`tests/tree_oracle.rs`).
    pub fn is_confluent(&self) -> bool {
        let at =
            |base, periphery| self.transitions().iter().all(|t| t.base != base || t.periphery == periphery);
        let nowhere = |periphery| self.transitions().iter().all(|t| t.periphery != periphery);
        let free = nowhere(Periphery::Left) && (nowhere(Periphery::Right) || self.fill == 2);
        let hybrid = self.capacity == 3
            && self.distance == 1
            && at(Base::LeftArc, Periphery::Right)
            && at(Base::RightArc, Periphery::Left);
        self.is_bottom_up() && (free || hybrid || self.capacity == 2)
    }

    /// Whether all tokens are active from the start.
    pub fn is_unbounded(&self) -> bool {
        self.settings.capacity == Bound::Infinite
    }

    /// The initial configuration of a sentence of `len` words.
    pub fn start(&self, len: usize, state: &mut State) {
        state.reset(len, self.settings.root, self.capacity);
        self.fill(&mut state.row);
    }

    /// SHIFT is deterministic while O is not filled; gives the number of shifts.
    #[inline]
    pub(super) fn fill(&self, row: &mut Row) -> u32 {
        let mut shifts = 0;
        while row.size() < self.fill && row.front() != NONE {
            row.shift();
            shifts += 1;
        }
        shifts
    }

    /// Whether only the root is left.
    pub fn is_final(&self, row: &Row) -> bool {
        row.size() <= 1 && row.front() == NONE
    }

    /// Visits the sites of a configuration from right to left, near pairs before far ones, until `visit` says stop by
    /// giving false.
    #[inline]
    pub fn sites(&self, row: &Row, mut visit: impl FnMut(Site, usize) -> bool) {
        let active = row.size().min(self.capacity);
        let mut right = row.top();
        for position in 1..active {
            let mut left = right;
            for distance in 1..=self.distance.min(active - position) {
                left = row.before(left);
                if !visit(Site { left, right, distance: distance as u16 }, position) {
                    return;
                }
            }
            right = row.before(right);
        }
    }

    /// The site of two tokens, if they are one. O(D).
    pub fn site(&self, row: &Row, left: Node, right: Node) -> Option<Site> {
        let mut at = right;
        for distance in 1..=self.distance.min(row.size()) {
            at = row.before(at);
            if at == left {
                return Some(Site { left, right, distance: distance as u16 });
            }
            if at == NONE {
                break;
            }
        }
        None
    }

    /// Whether a transition may touch this position of O.
    #[inline]
    fn on_periphery(&self, row: &Row, periphery: Periphery, position: usize) -> bool {
        match periphery {
            Periphery::Na => true,
            Periphery::Right => position == 1,
            Periphery::Left if row.front() == NONE => position == row.size().min(self.capacity),
            Periphery::Left => position == self.capacity,
        }
    }

    /// Whether an arc transition has its place at a site, whatever arcs there are: periphery and arc-shift.
    #[inline]
    pub(super) fn has_place(&self, row: &Row, transition: Transition, site: Site, position: usize) -> bool {
        let ends = [position + usize::from(site.distance), position];
        ends.iter().any(|&position| self.on_periphery(row, transition.periphery, position))
            && !(transition.arc_shift && row.front() == NONE)
    }

    /// Whether REDUCE has its place at a token of a site: the left one, or the right one of the rightmost site.
    #[inline]
    pub(super) fn may_reduce(
        &self,
        row: &Row,
        transition: Transition,
        site: Site,
        position: usize,
        right: bool,
    ) -> bool {
        let position = if right { position } else { position + 1 };
        site.distance == 1
            && (!right || position == 1)
            && self.on_periphery(row, transition.periphery, position)
    }

    /// The transitions that are legal at a site and its position.
    ///
    /// - LEFT-ARC, RIGHT-ARC. *Legal when* the modifier is not the root, has no head (in trees), the arc closes no cycle
    ///   and the two are not linked yet; S needs a token in U; P needs an end at the periphery. *Effect*: the arc, then
    ///   the modifier is reduced (B), then SHIFT (S).
    /// - REDUCE. *Legal when* the token is not the root and has a head (in trees), and is at the periphery P.
    ///   *Effect*: it leaves O.
    /// - SHIFT. *Legal when* U is not empty. *Effect*: its first token becomes the rightmost operative one.
    ///
    /// *Oracle cost*: see [`oracle`](super::oracle).
    #[inline]
    pub fn legal(&self, state: &State, site: Site, position: usize) -> Legal {
        let mut legal = Legal::default();
        let row = &state.row;
        for (number, &transition) in self.transitions().iter().enumerate() {
            match transition.base {
                Base::LeftArc | Base::RightArc => {
                    let (head, modifier) = ends(transition.base, site.left, site.right);
                    if self.has_place(row, transition, site, position) && self.may_link(state, head, modifier)
                    {
                        legal.allow(number, head == 0);
                    }
                }
                Base::Reduce => {
                    for (right, node) in [(false, site.left), (true, site.right)] {
                        let free = self.settings.heads == Heads::Many || state.has_head(node);
                        if node != 0 && free && self.may_reduce(row, transition, site, position, right) {
                            legal.allow(number, right);
                        }
                    }
                }
                Base::Shift => {
                    if site.distance == 1 && position == 1 && row.front() != NONE {
                        legal.allow(number, false);
                    }
                }
            }
        }
        legal
    }

    #[inline]
    fn may_link(&self, state: &State, head: Node, modifier: Node) -> bool {
        if modifier == 0 {
            return false;
        }
        if !self.keeps {
            return true;
        }
        let taken = match self.settings.heads {
            Heads::One => state.has_head(modifier),
            Heads::Many => state.label(head, modifier).is_some(),
        };
        !taken && !state.hangs_below(head, modifier)
    }

    /// Takes a legal transition.
    pub fn apply(&self, op: Op, state: &mut State) {
        let transition = self.transitions()[op.transition as usize];
        if transition.is_arc() {
            let (head, modifier) = ends(transition.base, op.left, op.right);
            state.link(head, modifier, op.label);
        }
        state.steps += 1 + self.move_tokens(op, &mut state.row);
    }

    /// How many tokens U has after a transition and the deterministic shifts that follow it.
    #[inline]
    pub(crate) fn waiting_after(&self, row: &Row, op: Op) -> usize {
        let transition = self.transitions()[op.transition as usize];
        let (shifts, reduces) = match transition.base {
            Base::LeftArc | Base::RightArc => (transition.arc_shift, transition.bottom_up),
            Base::Reduce => (false, true),
            Base::Shift => (true, false),
        };
        let shifts = usize::from(shifts).min(row.waiting());
        let operative = row.size() + shifts - usize::from(reduces);
        (row.waiting() - shifts).saturating_sub(self.fill.saturating_sub(operative))
    }

    /// What a transition does to O and U; gives the number of deterministic shifts.
    #[inline]
    pub(super) fn move_tokens(&self, op: Op, row: &mut Row) -> u32 {
        let transition = self.transitions()[op.transition as usize];
        match transition.base {
            Base::LeftArc | Base::RightArc => {
                if transition.bottom_up {
                    row.remove(ends(transition.base, op.left, op.right).1);
                }
                if transition.arc_shift && row.front() != NONE {
                    row.shift();
                }
            }
            Base::Reduce => row.remove(if op.variant == 0 { op.left } else { op.right }),
            Base::Shift => row.shift(),
        }
        self.fill(row)
    }
}

/// Head and modifier of an arc at a site.
#[inline]
pub fn ends(base: Base, left: Node, right: Node) -> (Node, Node) {
    if base == Base::LeftArc { (right, left) } else { (left, right) }
}
