//! Phrase structure with traces and functional tags to grammatical-relation graphs.
//!
//! The conversion of Sun, Chen, Wan and Liu, *Parsing Chinese Sentences with Grammatical Relations* (2019),
//! section 3, in five stages that can be looked at one by one:
//!
//! 1. [`Stage::Functions`]: every constituent gets one grammatical function, or is a head or a conjunct;
//! 2. [`Stage::Shape`]: flat trees are made less flat;
//! 3. [`Stage::Traces`]: empty categories are linked to more antecedents than the file links them to;
//! 4. [`Stage::Heads`]: head words are passed upwards, several at a coordination;
//! 5. [`Stage::Arcs`]: every head and every dependent give an arc, traces long-distance arcs.
//!
//! The rules are tables: [`chinese`] for Chinese Treebank brackets, [`english`] for Penn Treebank ones.
//!
//! ```
//! use pleach_graph::phrase::Phrase;
//! use pleach_phrase::{Options, convert};
//!
//! let leaf = |tag: &str, word: &str| Phrase::Leaf { tag: tag.into(), word: word.into() };
//! let node = |label: &str, children| Phrase::Node { label: label.into(), children };
//! let subject = node("NP-SBJ", vec![leaf("PN", "他")]);
//! let tree = node("", vec![node("IP", vec![subject, node("VP", vec![leaf("VV", "走")])])]);
//! let conversion = convert(&tree, &Options::default());
//! let arcs: Vec<_> = conversion.graph.arcs().iter().map(|a| (a.head.0, a.dependent.0, a.label.as_str())).collect();
//! assert_eq!(arcs, [(2, 1, "SBJ"), (0, 2, "ROOT")]);
//! ```

#![forbid(unsafe_code)]

mod arcs;
pub mod chinese;
pub mod english;
mod explain;
mod heads;
mod normalise;
mod rules;
mod statistics;
mod surface;
pub mod tree;

pub use explain::{enriched, explain};
pub use rules::{Rule, SetHead};
pub use statistics::Statistics;
pub use surface::Attachment;

use pleach_graph::phrase::Phrase;
use pleach_graph::{Graph, Sentence};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use tree::{Node, Tree};

/// Whose brackets they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Chinese Treebank.
    #[default]
    Chinese,
    /// Penn Treebank.
    English,
}

impl Language {
    /// The language that the words or the labels of a tree speak; `None` when they leave it open.
    pub fn guess(phrase: &Phrase) -> Option<Language> {
        const CHINESE: [&str; 12] =
            ["IP", "LCP", "DNP", "CLP", "DVP", "DP", "VV", "VA", "VC", "NR", "DEC", "DEG"];
        const ENGLISH: [&str; 10] = ["S", "SBAR", "SINV", "SQ", "NNP", "VBD", "VBZ", "VBP", "VBN", "TO"];
        let mut english = false;
        let mut stack = vec![phrase];
        while let Some(phrase) = stack.pop() {
            let label = phrase.label().split(['-', '=']).next().unwrap_or_default();
            if CHINESE.contains(&label) {
                return Some(Language::Chinese);
            }
            english |= ENGLISH.contains(&label);
            if let Phrase::Leaf { word, .. } = phrase
                && word.chars().any(|c| matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'))
            {
                return Some(Language::Chinese);
            }
            stack.extend(phrase.children());
        }
        english.then_some(Language::English)
    }
}

/// A name that is no language.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown language `{0}`; known are chinese, english")]
pub struct UnknownLanguage(pub String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name.to_ascii_lowercase().as_str() {
            "chinese" | "zh" | "ctb" => Ok(Language::Chinese),
            "english" | "en" | "ptb" => Ok(Language::English),
            _ => Err(UnknownLanguage(name.to_owned())),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Language::Chinese => "chinese",
            Language::English => "english",
        })
    }
}

/// Whether to agree with the paper's own conversion or to do better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// The graphs of the paper, its weak spots included.
    #[default]
    Reference,
    /// The changes listed in `docs/ctb.md`, each with its linguistic reason.
    Refined,
}

/// How to convert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The rules to follow.
    pub language: Language,
    /// Their flavour; only Chinese has two.
    pub style: Style,
}

/// How far a conversion has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Functions, heads and conjuncts are known.
    Functions,
    /// The tree is less flat.
    Shape,
    /// Empty categories are linked.
    Traces,
    /// Head words have been passed upwards.
    Heads,
    /// The arcs have been collected.
    Arcs,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 5] = [Stage::Functions, Stage::Shape, Stage::Traces, Stage::Heads, Stage::Arcs];

    /// The stage with this number, from 1.
    pub fn from_number(number: usize) -> Option<Stage> {
        Stage::ALL.get(number.checked_sub(1)?).copied()
    }

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// What it does.
    pub fn title(self) -> &'static str {
        match self {
            Stage::Functions => "functions",
            Stage::Shape => "shape",
            Stage::Traces => "traces",
            Stage::Heads => "heads",
            Stage::Arcs => "arcs",
        }
    }
}

/// The tree after a stage.
pub fn enrich(phrase: &Phrase, options: &Options, stage: Stage) -> Tree {
    let mut tree = Tree::new(phrase);
    match options.language {
        Language::Chinese => chinese::functions::annotate(&mut tree, options.style),
        Language::English => english::functions::annotate(&mut tree),
    }
    if stage >= Stage::Shape {
        normalise::normalise(&mut tree, options.language);
    }
    if stage >= Stage::Traces {
        match options.language {
            Language::Chinese => {
                chinese::traces::link(&mut tree, options.style);
                chinese::constructions::mark(&mut tree);
            }
            Language::English => english::traces::link(&mut tree),
        }
    }
    if stage >= Stage::Heads {
        heads::pass(&mut tree);
    }
    tree
}

/// What a tree becomes.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The tree after stage 4.
    pub tree: Tree,
    /// The graph.
    pub graph: Graph,
    /// The tree over words that the same heads give: one head for each word, in order.
    pub surface: Vec<Attachment>,
}

impl Conversion {
    /// Whether the tree has no head word at all, so that the graph has no root.
    pub fn is_headless(&self) -> bool {
        self.graph.tops().next().is_none()
    }
}

/// Converts a tree.
pub fn convert(phrase: &Phrase, options: &Options) -> Conversion {
    let tree = enrich(phrase, options, Stage::Heads);
    let graph = arcs::collect(&tree, arcs::Follow::of(options));
    let surface = surface::attach(&tree);
    Conversion { tree, graph, surface }
}

/// Why a sentence cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConvertError {
    /// The sentence has no bracketed tree.
    #[error("there is no bracketed tree")]
    NoTree,
    /// The leaves of the tree are not the words of the sentence.
    #[error("the tree has {leaves} words, the sentence {tokens}")]
    Mismatch {
        /// Words of the tree.
        leaves: usize,
        /// Tokens of the sentence.
        tokens: usize,
    },
}

/// Converts the tree of a sentence and puts the graph into it; with `surface`, also the surface tree.
///
/// # Errors
/// When the sentence has no tree, or one over other words.
pub fn convert_sentence(
    sentence: &mut Sentence,
    options: &Options,
    surface: bool,
) -> Result<Conversion, ConvertError> {
    let phrase = sentence.phrase.as_deref().ok_or(ConvertError::NoTree)?;
    let conversion = convert(phrase, options);
    let (leaves, tokens) = (conversion.tree.word_count(), sentence.len());
    if leaves != tokens {
        return Err(ConvertError::Mismatch { leaves, tokens });
    }
    sentence.graph = conversion.graph.clone();
    if surface {
        for (token, attachment) in sentence.tokens.iter_mut().zip(&conversion.surface) {
            token.head = Some(attachment.head);
            token.deprel = attachment.label.into();
        }
    }
    Ok(conversion)
}

/// Whether an arc is marked as long-distance.
pub fn is_long_distance(label: &str) -> bool {
    label.ends_with(LONG_DISTANCE)
}

/// The mark at the end of long-distance labels.
pub const LONG_DISTANCE: &str = "*ldd*";

/// Punctuation of either treebank.
fn is_punctuation(node: &Node) -> bool {
    const TAGS: [&str; 9] = ["PU", ".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH"];
    node.is_leaf() && TAGS.iter().any(|tag| node.is(tag))
}
