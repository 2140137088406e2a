//! Control parameters (`bohnet-2016` section 3.4): what makes one transition system out of the framework.
//!
//! Two things the paper leaves open are settled here.
//! - *Fill.* The paper makes SHIFT deterministic while |O| < K. With K = 2 that is what the textbook systems do, but the
//!   hybrid system (K = 3) and Attardi's (K = N + 1) could then never link the first words of a sentence to each other:
//!   by the time three tokens are operative, `P = r` has moved on. [`Settings::fill`] says how many tokens O is filled
//!   up to, K if not told otherwise; these two presets set it to 2 and are equal to their textbook definitions.
//! - *Left periphery.* It is the K-th operative token from the right; when U is empty and there are fewer, the
//!   leftmost one. A window that is not full yet has no left periphery.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// A number from 1 on, or infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// So many.
    Finite(u16),
    /// No limit; `"inf"` in TOML.
    Infinite,
}

impl Bound {
    /// The bound as a number that is large enough for every sentence.
    pub fn limit(self) -> usize {
        match self {
            Bound::Finite(limit) => limit.into(),
            Bound::Infinite => usize::MAX,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Finite(limit) => limit.fmt(f),
            Bound::Infinite => f.write_str("inf"),
        }
    }
}

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Bound::Finite(limit) => limit.serialize(serializer),
            Bound::Infinite => "inf".serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoundVisitor)
    }
}

struct BoundVisitor;

impl de::Visitor<'_> for BoundVisitor {
    type Value = Bound;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number from 1 to 65535 or \"inf\"")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Bound, E> {
        let known = u16::try_from(value).ok().filter(|&limit| limit > 0);
        known.map(Bound::Finite).ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Bound, E> {
        let known = u64::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self));
        self.visit_u64(known?)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Bound, E> {
        match value == f64::INFINITY {
            true => Ok(Bound::Infinite),
            false => Err(E::invalid_value(de::Unexpected::Float(value), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Bound, E> {
        match value {
            "inf" => Ok(Bound::Infinite),
            _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
        }
    }
}

/// The basic transitions (`bohnet-2016` Figure 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// An arc from the right token of a pair to the left one.
    LeftArc,
    /// An arc from the left token of a pair to the right one.
    RightArc,
    /// An active token leaves O.
    Reduce,
    /// The first token of U goes to the right end of O.
    Shift,
}

/// Which end of the active tokens a transition has to touch (P).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Periphery {
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// Neither.
    #[default]
    Na,
}

/// One transition of the multiset, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// What it does.
    pub base: Base,
    /// B: an arc also reduces its modifier.
    #[serde(default = "yes", skip_serializing_if = "is_default_bottom_up")]
    pub bottom_up: bool,
    /// S: an arc is followed by SHIFT.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arc_shift: bool,
    /// P: where it may happen.
    #[serde(default, skip_serializing_if = "is_default_periphery")]
    pub periphery: Periphery,
}

fn yes() -> bool {
    true
}

fn is_default_bottom_up(bottom_up: &bool) -> bool {
    *bottom_up
}

fn is_default_periphery(periphery: &Periphery) -> bool {
    *periphery == Periphery::default()
}

impl Transition {
    /// A transition with default parameters.
    pub const fn new(base: Base) -> Self {
        Transition { base, bottom_up: true, arc_shift: false, periphery: Periphery::Na }
    }

    /// The same with another periphery.
    pub const fn at(self, periphery: Periphery) -> Self {
        Transition { periphery, ..self }
    }

    /// Whether it makes an arc.
    pub fn is_arc(self) -> bool {
        matches!(self.base, Base::LeftArc | Base::RightArc)
    }

    /// Whether it reduces a token.
    pub fn reduces(self) -> bool {
        self.base == Base::Reduce || self.is_arc() && self.bottom_up
    }
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.base {
            Base::LeftArc => "LEFT-ARC",
            Base::RightArc => "RIGHT-ARC",
            Base::Reduce => "REDUCE",
            Base::Shift => "SHIFT",
        })?;
        let mut marks = Vec::new();
        if self.is_arc() && !self.bottom_up {
            marks.push("B=f");
        }
        if self.arc_shift {
            marks.push("S=t");
        }
        match self.periphery {
            Periphery::Left => marks.push("P=l"),
            Periphery::Right => marks.push("P=r"),
            Periphery::Na => {}
        }
        if marks.is_empty() { Ok(()) } else { write!(f, " {{{}}}", marks.join(", ")) }
    }
}

/// Where the virtual root stands in the row of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Before the first word.
    #[default]
    Left,
    /// Behind the last word.
    Right,
}

/// How many heads a word may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heads {
    /// Exactly one: trees.
    #[default]
    One,
    /// Any number, and words without one may be reduced: acyclic graphs (Sagae & Tsujii 2008).
    Many,
}

/// A transition system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Settings {
    /// K: how many operative tokens, counted from the right, are active.
    pub capacity: Bound,
    /// D: how many places of O the ends of an arc may be apart.
    #[serde(default = "one")]
    pub distance: Bound,
    /// SHIFT is deterministic while O has fewer tokens than this; infinity stands for K.
    #[serde(default = "infinite")]
    pub fill: Bound,
    /// Where the root stands.
    #[serde(default)]
    pub root: Side,
    /// How many heads a word may have.
    #[serde(default)]
    pub heads: Heads,
    /// The multiset of transitions.
    pub transitions: Vec<Transition>,
}

fn one() -> Bound {
    Bound::Finite(1)
}

fn infinite() -> Bound {
    Bound::Infinite
}

/// How many transitions a multiset may have.
pub const MOST_TRANSITIONS: usize = 16;

/// Why settings make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// K is 1.
    #[error("capacity {0}: an arc needs two active tokens")]
    Capacity(Bound),
    /// D has no effect.
    #[error("distance {distance}: {capacity} active tokens are at most {} apart", capacity.limit() - 1)]
    Distance {
        /// K.
        capacity: Bound,
        /// D.
        distance: Bound,
    },
    /// The fill is out of range.
    #[error("fill {fill}: it must be at least 2 and at most the capacity {capacity}")]
    Fill {
        /// K.
        capacity: Bound,
        /// The fill.
        fill: Bound,
    },
    /// All tokens are active from the start.
    #[error("fill {0}: with an infinite capacity all tokens are operative from the start")]
    FillOfInfinite(Bound),
    /// Too many transitions.
    #[error("{0} transitions: a system has at most {MOST_TRANSITIONS}")]
    TooMany(usize),
    /// The same transition twice.
    #[error("{0} is there twice with the same parameters")]
    Twice(Transition),
    /// B or S on a transition that makes no arc.
    #[error("{0} makes no arc: bottom_up and arc_shift are parameters of arcs")]
    NotAnArc(Transition),
    /// P on a SHIFT.
    #[error("SHIFT works on U: it has no periphery")]
    ShiftPeriphery,
    /// A transition that is never legal.
    #[error("{transition} is never possible in this system{why}")]
    Idle {
        /// The transition.
        transition: Transition,
        /// A hint at the reason.
        why: &'static str,
    },
    /// A configuration that no transition leads out of.
    #[error(
        "a sentence of {words} words comes to a dead end: nothing is possible with O = {operative} after {after}{why}"
    )]
    DeadEnd {
        /// The length of the sentence.
        words: usize,
        /// O at the end.
        operative: String,
        /// The transitions that led there.
        after: String,
        /// A hint at the reason.
        why: &'static str,
    },
}

impl Settings {
    /// The number of tokens that O is filled up to.
    pub fn fill(&self) -> Bound {
        self.fill.min(self.capacity)
    }

    /// Checks the numbers and the parameters of each transition; what follows from how they play together is found by
    /// [`check`](super::check::check).
    pub fn check_values(&self) -> Result<(), SettingsError> {
        let (capacity, distance) = (self.capacity, self.distance);
        if capacity < Bound::Finite(2) {
            return Err(SettingsError::Capacity(capacity));
        }
        if capacity != Bound::Infinite && distance >= capacity {
            return Err(SettingsError::Distance { capacity, distance });
        }
        let fill = self.fill;
        if fill != Bound::Infinite && capacity == Bound::Infinite {
            return Err(SettingsError::FillOfInfinite(fill));
        }
        if fill < Bound::Finite(2) || fill != Bound::Infinite && fill > capacity {
            return Err(SettingsError::Fill { capacity, fill });
        }
        if self.transitions.len() > MOST_TRANSITIONS {
            return Err(SettingsError::TooMany(self.transitions.len()));
        }
        for (place, &transition) in self.transitions.iter().enumerate() {
            if self.transitions[..place].contains(&transition) {
                return Err(SettingsError::Twice(transition));
            }
            if !transition.is_arc() && (!transition.bottom_up || transition.arc_shift) {
                return Err(SettingsError::NotAnArc(transition));
            }
            if transition.base == Base::Shift && transition.periphery != Periphery::Na {
                return Err(SettingsError::ShiftPeriphery);
            }
        }
        Ok(())
    }
}
