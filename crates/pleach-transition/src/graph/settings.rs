//! Which transition system, with which options; and the names that recipes use for them.

use super::systems;
use std::fmt;
use std::str::FromStr;

pub use super::systems::Kind;

/// Where the virtual root is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// At the bottom of the stack from the start.
    First,
    /// At the end of the buffer, behind the last word.
    #[default]
    Last,
    /// Nowhere: tops are part of the tag that SHIFT gives to a word.
    None,
}

impl Root {
    /// All placements.
    pub const ALL: [Root; 3] = [Root::First, Root::Last, Root::None];

    /// The name in recipes.
    pub fn name(self) -> &'static str {
        match self {
            Root::First => "first",
            Root::Last => "last",
            Root::None => "none",
        }
    }
}

/// How two arcs in opposite directions between the same two words are made (`zhang-2016` section 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TwoCycles {
    /// Strategy B: a pair is linked at most once, by an edge that may stand for both directions.
    #[default]
    Encoded,
    /// Strategy A: one transition for each direction, and in combined systems one for both of them for
    /// every two labels.
    Transitions,
}

/// When the oracle of S_S takes SWAPs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timing {
    /// As soon as it is known which order of the stack will be needed.
    #[default]
    Eager,
    /// At the last chance: when another node is wanted before the top can sink again.
    Lazy,
}

/// A transition system with all its options.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The system.
    pub kind: Kind,
    /// Whether an arc and the move that follows it are one action.
    pub combined: bool,
    /// Where the virtual root is.
    pub root: Root,
    /// Whether a word may be linked to itself.
    pub self_arcs: bool,
    /// Whether SHIFT gives a supertag to the word.
    pub supertags: bool,
    /// How two-cycles are made.
    pub two_cycles: TwoCycles,
    /// Whether arcs from the root are actions of their own, so that words below it get labels that such words have, and others
    /// don't.
    pub root_actions: bool,
    /// When the oracle of S_S takes SWAPs; the other systems leave no choice.
    pub oracle: Timing,
}

impl Settings {
    /// A system with its default options.
    pub fn new(kind: Kind, combined: bool) -> Settings {
        Settings {
            kind,
            combined,
            root: kind.about().root,
            self_arcs: false,
            supertags: false,
            two_cycles: TwoCycles::default(),
            root_actions: false,
            oracle: Timing::default(),
        }
    }

    /// The name of the system in recipes, such as `s2s-combined`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.kind.name(), MODES[usize::from(self.combined)])
    }
}

/// The names of systems whose edges are actions of their own, and of those that are combined with moves.
const MODES: [&str; 2] = ["standard", "combined"];

/// What the name of a preset ends in that reads from right to left.
const REVERSED: &str = "-rev";

/// A system and a reading direction by name: see [`Preset::pattern`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Preset {
    /// The system with default options.
    pub settings: Settings,
    /// Right to left: the caller mirrors the sentence before parsing and the graph after it.
    pub reversed: bool,
}

impl Preset {
    /// All presets, left-to-right ones first.
    pub fn all() -> impl Iterator<Item = Preset> {
        [false, true].into_iter().flat_map(|reversed| {
            Kind::ALL.into_iter().flat_map(move |kind| {
                let preset = move |combined| Preset { settings: Settings::new(kind, combined), reversed };
                [false, true].map(preset)
            })
        })
    }

    /// How the names of all presets are made: `{st,ss,s2s,sl}-{standard,combined}[-rev]`.
    pub fn pattern() -> String {
        let names: Vec<&str> = systems::all().map(|(_, about)| about.name).collect();
        format!("{{{}}}-{{{}}}[{REVERSED}]", names.join(","), MODES.join(","))
    }

    /// What the short names stand for: `st: THMM, ss: online re-ordering, …`.
    pub fn legend() -> String {
        let names: Vec<String> =
            systems::all().map(|(_, about)| format!("{}: {}", about.name, about.title)).collect();
        names.join(", ")
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.settings.name(), if self.reversed { REVERSED } else { "" })
    }
}

/// A name that is not one of the names there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} '{name}'; known are {known}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: String,
}

pub(super) fn by_name<T: Copy>(
    what: &'static str,
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    let found = all.iter().copied().find(|&item| name_of(item) == name);
    found.ok_or_else(|| {
        let known: Vec<_> = all.iter().map(|&item| name_of(item)).collect();
        UnknownName { what, name: name.into(), known: known.join(", ") }
    })
}

impl FromStr for Preset {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Preset::all().find(|preset| preset.to_string() == name).ok_or_else(|| UnknownName {
            what: "transition system",
            name: name.into(),
            known: Preset::pattern(),
        })
    }
}

impl FromStr for Root {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("root placement", name, &Root::ALL, Root::name)
    }
}

impl TwoCycles {
    /// Both strategies.
    pub const ALL: [TwoCycles; 2] = [TwoCycles::Encoded, TwoCycles::Transitions];

    /// The name in recipes.
    pub fn name(self) -> &'static str {
        match self {
            TwoCycles::Encoded => "encoded",
            TwoCycles::Transitions => "transitions",
        }
    }
}

impl FromStr for TwoCycles {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("two-cycle strategy", name, &TwoCycles::ALL, TwoCycles::name)
    }
}

impl Timing {
    /// Both.
    pub const ALL: [Timing; 2] = [Timing::Eager, Timing::Lazy];

    /// The name in recipes.
    pub fn name(self) -> &'static str {
        match self {
            Timing::Eager => "eager",
            Timing::Lazy => "lazy",
        }
    }
}

impl FromStr for Timing {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("oracle", name, &Timing::ALL, Timing::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_sixteen_names_that_are_read_back() {
        let names: Vec<String> = Preset::all().map(|preset| preset.to_string()).collect();
        assert_eq!(names.len(), 16);
        for (name, preset) in names.iter().zip(Preset::all()) {
            assert_eq!(name.parse::<Preset>().unwrap(), preset);
        }
        assert!(names.contains(&"s2s-combined-rev".to_string()));
        let error = "arc-eager".parse::<Preset>().unwrap_err().to_string();
        assert!(error.contains("arc-eager") && error.contains(&Preset::pattern()), "{error}");
        assert_eq!(Preset::pattern(), "{st,ss,s2s,sl}-{standard,combined}[-rev]");
        assert!("s3s".parse::<Kind>().unwrap_err().to_string().contains("'s3s'; known are st, ss, s2s, sl"));
        assert!("middle".parse::<Root>().unwrap_err().to_string().contains("first, last, none"));
    }

    #[test]
    fn every_system_says_who_it_is() {
        let mut seen = Vec::new();
        for (kind, about) in systems::all() {
            assert_eq!(about.name.parse::<Kind>().unwrap(), kind);
            assert_eq!(Settings::new(kind, true).root, about.root);
            // Presets are taken apart at their dashes.
            assert!(!about.name.contains('-') && !seen.contains(&about.name));
            assert!(Preset::legend().contains(about.title) && !about.templates.is_empty());
            assert!((1..=2).contains(&about.lists.len()));
            seen.push(about.name);
        }
        assert_eq!(seen.len(), Kind::ALL.len());
    }
}
