//! Heads and functions for Penn Treebank brackets.
//!
//! The heads follow the same ideas as the Chinese ones: a preposition or complementiser heads its phrase, the
//! main verb heads its auxiliaries, the predicate heads the clause.

use crate::rules::{Rule, SetHead};

/// Functional tags that name a grammatical function.
pub const FUNCTIONS: &[&str] = &[
    "ADV", "BNF", "DIR", "EXT", "LGS", "LOC", "MNR", "NOM", "OBJ", "PRD", "PRP", "SBJ", "TMP", "TPC", "VOC",
];

/// From which side a list of heads is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The first child that fits.
    Left,
    /// The last child that fits.
    Right,
}

/// The heads of some categories: the first group of which a child is found decides.
pub struct Heads {
    /// The categories of the node.
    pub categories: &'static [&'static str],
    /// Groups in order of preference, each looked for from its side.
    pub groups: &'static [(From, &'static [&'static str])],
}

const NOUNS: &[&str] = &["NN", "NNS", "NNP", "NNPS", "NX"];
const VERBS: &[&str] = &["VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"];

/// The head table; a node without a row is headed by its last child that is not punctuation.
pub const HEADS: &[Heads] = &[
    Heads {
        categories: &["S", "SINV", "SQ"],
        groups: &[
            (From::Left, &["VP"]),
            (From::Left, VERBS),
            (From::Left, &["S", "SINV", "SQ"]),
            (From::Right, &["ADJP", "NP", "PP", "SBAR", "UCP"]),
        ],
    },
    Heads { categories: &["SBARQ"], groups: &[(From::Left, &["SQ", "S", "SINV", "SBARQ"])] },
    Heads {
        categories: &["SBAR"],
        groups: &[(From::Left, &["IN", "TO", "SBAR"]), (From::Left, &["S", "SQ", "SINV", "FRAG"])],
    },
    Heads {
        categories: &["VP"],
        groups: &[
            (From::Left, &["VP"]),
            (From::Left, VERBS),
            (From::Left, &["TO"]),
            (From::Left, &["ADJP", "NN", "NNS", "NP"]),
        ],
    },
    Heads {
        categories: &["NP", "NX", "NAC", "WHNP"],
        groups: &[
            (From::Right, NOUNS),
            (From::Left, &["NP", "WHNP"]),
            (From::Right, &["PRP", "WP", "WDT", "EX", "VBG", "CD", "QP", "JJ", "JJR", "JJS", "ADJP", "$"]),
            (From::Right, &["DT", "RB", "FW", "-NONE-"]),
        ],
    },
    Heads { categories: &["PP", "WHPP"], groups: &[(From::Left, &["IN", "TO", "VBG", "VBN", "PP", "FW"])] },
    Heads {
        categories: &["ADJP", "WHADJP"],
        groups: &[
            (From::Right, &["JJ", "JJR", "JJS", "VBN", "VBG"]),
            (From::Right, &["ADJP", "NN", "WRB", "RB"]),
        ],
    },
    Heads {
        categories: &["ADVP", "WHADVP"],
        groups: &[(From::Right, &["RB", "RBR", "RBS", "WRB"]), (From::Right, &["ADVP", "IN", "JJ"])],
    },
    Heads {
        categories: &["QP"],
        groups: &[(From::Right, &["CD", "QP", "NN", "NNS"]), (From::Right, &["$", "JJ"])],
    },
];

/// Functions of the children of a category; the functional tags come before the default.
pub struct Functions {
    /// The categories of the node.
    pub categories: &'static [&'static str],
    /// What the children are to the head.
    pub rule: Rule,
}

const fn functions(
    categories: &'static [&'static str],
    by_category: &'static [(&'static str, &'static str)],
    default: Option<&'static str>,
) -> Functions {
    Functions { categories, rule: Rule { head: SetHead::OfShape, by_category, tags: true, default } }
}

const IN_NOUN: &[(&str, &str)] = &[
    ("DT", "DMOD"),
    ("PDT", "DMOD"),
    ("WDT", "DMOD"),
    ("CD", "DMOD"),
    ("QP", "DMOD"),
    ("JJ", "AMOD"),
    ("JJR", "AMOD"),
    ("JJS", "AMOD"),
    ("VBN", "AMOD"),
    ("VBG", "AMOD"),
    ("ADJP", "AMOD"),
    ("SBAR", "RELATIVE"),
    ("S", "RELATIVE"),
    ("VP", "RELATIVE"),
    ("RRC", "RELATIVE"),
    ("PRN", "APP"),
    ("POS", "PRT"),
    ("RB", "ADV"),
    ("ADVP", "ADV"),
];

const IN_VERB: &[(&str, &str)] = &[
    ("PRT", "PRT"),
    ("RP", "PRT"),
    ("SBAR", "COMP"),
    ("S", "COMP"),
    ("SINV", "COMP"),
    ("SQ", "COMP"),
    ("SBARQ", "COMP"),
    ("TO", "AUX"),
    ("MD", "AUX"),
    ("VB", "AUX"),
    ("VBD", "AUX"),
    ("VBG", "AUX"),
    ("VBN", "AUX"),
    ("VBP", "AUX"),
    ("VBZ", "AUX"),
];

/// The function table.
pub const FUNCTION_TABLE: &[Functions] = &[
    functions(&["NP", "NX", "NAC", "WHNP"], IN_NOUN, Some("NMOD")),
    functions(&["VP"], IN_VERB, Some("ADV")),
    functions(
        &["S", "SINV", "SQ"],
        &[("MD", "AUX"), ("VBD", "AUX"), ("VBP", "AUX"), ("VBZ", "AUX")],
        Some("ADV"),
    ),
    functions(&["SBARQ"], &[], Some("ADV")),
    functions(&["SBAR"], &[("S", "COMP"), ("SQ", "COMP"), ("FRAG", "COMP"), ("SINV", "COMP")], Some("ADV")),
    functions(
        &["PP", "WHPP"],
        &[("NP", "OBJ"), ("WHNP", "OBJ"), ("ADVP", "ADV"), ("RB", "ADV")],
        Some("COMP"),
    ),
    functions(
        &["ADJP", "ADVP", "WHADJP", "WHADVP"],
        &[("PP", "COMP"), ("S", "COMP"), ("SBAR", "COMP")],
        Some("ADV"),
    ),
    functions(&["QP"], &[], Some("ADV")),
    functions(&["FRAG", "PRN", "X", "UCP", "INTJ"], &[], None),
];

/// A rule for all other categories.
pub const OTHERS: Rule = Rule { head: SetHead::Last, by_category: &[], tags: true, default: None };

/// Leaves and phrases that can be conjuncts of each other.
pub const ALIKE: &[&[&str]] = &[
    NOUNS,
    VERBS,
    &["JJ", "JJR", "JJS", "ADJP"],
    &["RB", "RBR", "RBS", "ADVP"],
    &["S", "SINV", "SQ", "SBAR", "SBARQ"],
    &["CD", "QP"],
    &["NP", "NX"],
];
