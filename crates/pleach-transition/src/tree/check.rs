//! Whether settings make sense, found out by trying.
//!
//! Every configuration of sentences of up to four words is visited. A transition that is legal in none of them does
//! nothing in the system, and a configuration that is not final but has no legal transition is a dead end: both
//! are reasons to reject the settings. A larger K is cut to a small bound for this, so that sentences of four words and the root
//! fill and overflow the window as long sentences do; what happens in a window depends on its ends and on neighbours,
//! which a window of four has all kinds of.

use super::settings::{Base, Bound, Periphery, Settings, SettingsError, Side};
use super::state::State;
use super::system::{Op, System, ends};
use crate::Node;
use std::collections::BTreeSet;

/// The largest window that is tried.
const MOST_ACTIVE: u16 = 4;

/// The longest sentence that is tried: it overflows the window, or at least fills it where arcs leave their
/// modifiers in O and configurations are many.
fn most_words(small: &Settings) -> usize {
    let keeps = small.transitions.iter().any(|t| t.is_arc() && !t.bottom_up);
    small.capacity.limit().saturating_add(1).min(if keeps { 3 } else { 4 })
}

/// Checks that settings describe a system that can be used.
pub fn check(settings: &Settings) -> Result<(), SettingsError> {
    settings.check_values()?;
    let small = shrunk(settings);
    let system = System::new(&small);
    let mut used = vec![false; small.transitions.len()];
    for words in 1..=most_words(&small) {
        let mut walk = Walk { system: &system, seen: BTreeSet::new(), path: Vec::new(), used: &mut used };
        let mut state = State::default();
        system.start(words, &mut state);
        if let Some(operative) = walk.dead_end(&state) {
            let names: Vec<String> = walk.path.iter().map(|&op| name(&system, op)).collect();
            let after = if names.is_empty() { "the start".to_owned() } else { names.join(", ") };
            return Err(SettingsError::DeadEnd { words, operative, after, why: why_dead(settings) });
        }
    }
    match used.iter().position(|used| !used) {
        None => Ok(()),
        Some(idle) => {
            let transition = settings.transitions[idle];
            Err(SettingsError::Idle { transition, why: why_idle(settings, transition.base) })
        }
    }
}

/// The same system with a window that short sentences fill.
fn shrunk(settings: &Settings) -> Settings {
    let mut small = settings.clone();
    if let Bound::Finite(capacity) = settings.capacity {
        let most = Bound::Finite(capacity.min(MOST_ACTIVE));
        small.capacity = most;
        small.distance = small.distance.min(Bound::Finite(capacity.min(MOST_ACTIVE) - 1));
        small.fill = small.fill.min(most);
    }
    small
}

/// What tells configurations apart: O, the first token of U, and the arcs.
type Key = (Vec<Node>, Node, Vec<(Node, Node, u16)>);

struct Walk<'a> {
    system: &'a System,
    seen: BTreeSet<Key>,
    path: Vec<Op>,
    used: &'a mut [bool],
}

impl Walk<'_> {
    /// O of a dead end that can be reached from a configuration; the path leads there.
    fn dead_end(&mut self, state: &State) -> Option<String> {
        let mut arcs: Vec<_> = state.arcs().collect();
        arcs.sort_unstable();
        let mut operative: Vec<Node> = state.row.operative().collect();
        if self.system.is_final(&state.row) {
            return None;
        }
        if !self.seen.insert((operative.clone(), state.row.front(), arcs)) {
            return None;
        }
        let ops = legal_ops(self.system, state);
        if ops.is_empty() {
            operative.reverse();
            let tokens =
                operative.iter().map(|&node| if node == 0 { "root".into() } else { node.to_string() });
            return Some(format!("[{}]", tokens.collect::<Vec<String>>().join(" ")));
        }
        for op in ops {
            self.used[op.transition as usize] = true;
            let mut next = state.clone();
            self.system.apply(op, &mut next);
            self.path.push(op);
            let found = self.dead_end(&next);
            if found.is_some() {
                return found;
            }
            self.path.pop();
        }
        None
    }
}

/// All legal transitions of a configuration, arcs without labels.
pub fn legal_ops(system: &System, state: &State) -> Vec<Op> {
    let mut ops = Vec::new();
    system.sites(&state.row, |site, position| {
        let legal = system.legal(state, site, position);
        for transition in 0..system.transitions().len() as u8 {
            for variant in (0..2).filter(|&variant| legal.has(transition, variant)) {
                ops.push(Op { left: site.left, right: site.right, transition, variant, label: 0 });
            }
        }
        true
    });
    ops
}

fn name(system: &System, op: Op) -> String {
    let transition = system.transitions()[op.transition as usize];
    match transition.base {
        Base::LeftArc | Base::RightArc => {
            let (head, modifier) = ends(transition.base, op.left, op.right);
            format!("{transition} {head}->{modifier}")
        }
        Base::Reduce => format!("{transition} {}", if op.variant == 0 { op.left } else { op.right }),
        Base::Shift => transition.to_string(),
    }
}

fn why_dead(settings: &Settings) -> &'static str {
    let on_the_left = |base| {
        settings.transitions.iter().any(|t| t.base == base && (t.periphery == Periphery::Left || t.arc_shift))
    };
    let left_only = [Base::RightArc, Base::Reduce].into_iter().any(on_the_left);
    let bases = |base| settings.transitions.iter().any(|t| t.base == base);
    if !bases(Base::LeftArc) && !bases(Base::RightArc) {
        "; without arcs there is no tree"
    } else if settings.root == Side::Left && left_only {
        "; transitions that work on the left or shift after an arc need the root on the right"
    } else if settings.transitions.iter().any(|t| t.is_arc() && !t.bottom_up) && !bases(Base::Reduce) {
        "; arcs that don't reduce their modifier need REDUCE"
    } else {
        ""
    }
}

fn why_idle(settings: &Settings, base: Base) -> &'static str {
    match base {
        Base::Shift if settings.capacity == Bound::Infinite => ": all tokens are operative from the start",
        Base::Reduce if settings.transitions.iter().all(|t| !t.is_arc() || t.bottom_up) => {
            ": every arc reduces its modifier already"
        }
        _ => "",
    }
}
