//! The named systems (`bohnet-2016` sections 4 and 5) as settings.

use super::settings::{Base, Bound, Heads, Periphery, Settings, Side, Transition};
use std::fmt;
use std::str::FromStr;

/// A named system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// Section 4.1; Nivre 2004.
    ArcStandard,
    /// Section 4.2; Nivre 2003.
    ArcEager,
    /// Section 4.3; Goldberg & Elhadad 2010.
    EasyFirst,
    /// Section 4.4; Kuhlmann et al. 2011, Yamada & Matsumoto 2003.
    Hybrid,
    /// Section 4.5; Sagae & Tsujii 2008: acyclic graphs.
    Dag,
    /// Section 4.6; Attardi 2006 as described by Cohen et al. 2011, arcs of up to three places.
    Attardi,
    /// Section 5.1: K = 3, the best here (`docs/results/bohnet-2016.md`); the peak of the paper's Figure 3 is at 4.
    BoundedEasyFirst,
    /// Section 5.2: D = 4.
    NonProjectiveEasyFirst,
    /// Section 5.2, last paragraph: K = 5 and D = 4, as in Table 2.
    BoundedNonProjectiveEasyFirst,
}

const LEFT: Transition = Transition::new(Base::LeftArc);
const RIGHT: Transition = Transition::new(Base::RightArc);
const REDUCE: Transition = Transition::new(Base::Reduce);
const SHIFT: Transition = Transition::new(Base::Shift);

impl Preset {
    /// All of them in the order of the paper.
    pub const ALL: [Preset; 9] = [
        Preset::ArcStandard,
        Preset::ArcEager,
        Preset::EasyFirst,
        Preset::Hybrid,
        Preset::Dag,
        Preset::Attardi,
        Preset::BoundedEasyFirst,
        Preset::NonProjectiveEasyFirst,
        Preset::BoundedNonProjectiveEasyFirst,
    ];

    /// The name in recipes.
    pub fn name(self) -> &'static str {
        match self {
            Preset::ArcStandard => "arc-standard",
            Preset::ArcEager => "arc-eager",
            Preset::EasyFirst => "easy-first",
            Preset::Hybrid => "hybrid",
            Preset::Dag => "dag",
            Preset::Attardi => "attardi",
            Preset::BoundedEasyFirst => "bounded-easy-first",
            Preset::NonProjectiveEasyFirst => "non-projective-easy-first",
            Preset::BoundedNonProjectiveEasyFirst => "bounded-non-projective-easy-first",
        }
    }

    /// The control parameters.
    pub fn settings(self) -> Settings {
        use Bound::{Finite, Infinite};
        let system = |capacity, distance, transitions: &[Transition]| Settings {
            capacity,
            distance: Finite(distance),
            fill: Infinite,
            root: Side::Left,
            heads: Heads::One,
            transitions: transitions.to_vec(),
        };
        match self {
            Preset::ArcStandard => system(Finite(2), 1, &[LEFT, RIGHT, SHIFT]),
            Preset::ArcEager => {
                let right = Transition { bottom_up: false, arc_shift: true, ..RIGHT };
                let transitions = [LEFT, right, REDUCE.at(Periphery::Left), SHIFT];
                Settings { root: Side::Right, ..system(Finite(2), 1, &transitions) }
            }
            Preset::EasyFirst => system(Infinite, 1, &[LEFT, RIGHT]),
            Preset::Hybrid => {
                let transitions = [LEFT.at(Periphery::Right), RIGHT.at(Periphery::Left), SHIFT];
                Settings { root: Side::Right, fill: Finite(2), ..system(Finite(3), 1, &transitions) }
            }
            Preset::Dag => {
                let arc = |base| Transition { bottom_up: false, ..Transition::new(base) };
                let transitions =
                    [arc(Base::LeftArc), arc(Base::RightArc), REDUCE.at(Periphery::Left), SHIFT];
                Settings { root: Side::Right, heads: Heads::Many, ..system(Finite(2), 1, &transitions) }
            }
            Preset::Attardi => {
                let transitions = [LEFT.at(Periphery::Right), RIGHT.at(Periphery::Right), SHIFT];
                Settings { fill: Finite(2), ..system(Finite(4), 3, &transitions) }
            }
            Preset::BoundedEasyFirst => system(Finite(3), 1, &[LEFT, RIGHT, SHIFT]),
            Preset::NonProjectiveEasyFirst => system(Infinite, 4, &[LEFT, RIGHT]),
            Preset::BoundedNonProjectiveEasyFirst => system(Finite(5), 4, &[LEFT, RIGHT, SHIFT]),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no preset's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tree system '{name}'; known are {}", Preset::ALL.map(Preset::name).join(", "))]
pub struct UnknownPreset {
    name: String,
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, UnknownPreset> {
        let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| UnknownPreset { name: name.to_owned() })
    }
}
