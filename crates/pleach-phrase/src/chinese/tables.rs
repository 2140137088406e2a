//! The rules of stage 1 for Chinese as tables: tags, categories, and what each shape of local tree does.

use super::shape::Shape::{self, Adjunction, Auxiliary, Complementation, Coordination, Flat, Predication};
use crate::rules::{Rule, SetHead};

/// Functional tags that name a grammatical function.
pub const FUNCTIONS: &[&str] = &[
    "ADV", "APP", "BNF", "CND", "DIR", "EXT", "FOC", "IO", "LGS", "LOC", "MNR", "OBJ", "PRD", "PRP", "SBJ",
    "TMP", "TPC", "VOC",
];

/// Leaves that join conjuncts, beside punctuation.
pub const CONJUNCTIONS: &[&str] = &["CC", "ETC"];

/// Verb compounds, which count as leaves.
pub const COMPOUNDS: &[&str] = &["VCD", "VRD", "VSB", "VNV", "VPT", "VCP"];

/// The tag of aspect markers.
pub const ASPECT: &str = "AS";

/// The category of parentheses.
pub const PARENTHETICAL: &str = "PRN";

/// The full stop, which ends a list but does not join its parts.
pub const FULL_STOP: &str = "。";

/// What a local tree of some category and shape does; the first row that fits counts.
pub struct Row {
    /// The categories of the node; none means any.
    pub categories: &'static [&'static str],
    /// The shapes; none means any.
    pub shapes: &'static [Shape],
    /// What to do.
    pub rule: Rule,
}

const fn row(
    categories: &'static [&'static str],
    shapes: &'static [Shape],
    head: SetHead,
    default: Option<&'static str>,
) -> Row {
    Row { categories, shapes, rule: Rule { head, by_category: &[], tags: true, default } }
}

const fn fixed(
    categories: &'static [&'static str],
    shapes: &'static [Shape],
    by_category: &'static [(&'static str, &'static str)],
    default: Option<&'static str>,
) -> Row {
    Row { categories, shapes, rule: Rule { head: SetHead::OfShape, by_category, tags: false, default } }
}

const fn verbal(
    categories: &'static [&'static str],
    shapes: &'static [Shape],
    default: Option<&'static str>,
) -> Row {
    let rule = Rule { head: SetHead::OfShape, by_category: &[(ASPECT, "PRT")], tags: true, default };
    Row { categories, shapes, rule }
}

/// Modifiers of nouns that are leaves.
const NOUN_LEAVES: &[(&str, &str)] =
    &[("DT", "DMOD"), ("JJ", "AMOD"), ("NN", "NMOD"), ("NR", "NMOD"), ("NT", "NMOD")];

/// Modifiers of noun phrases.
const NOUN_PHRASES: &[(&str, &str)] = &[
    ("DP", "DMOD"),
    ("QP", "DMOD"),
    ("CP", "RELATIVE"),
    ("IP", "APP"),
    ("ADJP", "AMOD"),
    ("PP", "AMOD"),
    ("NP", "NMOD"),
    ("DNP", "NMOD"),
];

const NOUN_ADJUNCTS: Rule =
    Rule { head: SetHead::OfShape, by_category: NOUN_PHRASES, tags: true, default: None };

/// The rules that give the graphs of the paper.
pub const ROWS: &[Row] = &[
    row(&["NP"], &[Complementation], SetHead::OfShape, Some("COMP")),
    fixed(&["NP"], &[Flat], NOUN_LEAVES, None),
    Row { categories: &["NP"], shapes: &[Adjunction], rule: NOUN_ADJUNCTS },
    row(&["NP", "IP", "VP", "VCD", "UCP", "QP", "ADJP", "ADVP"], &[Coordination], SetHead::Conjuncts, None),
    row(&["IP"], &[Predication, Adjunction], SetHead::OfShape, Some("ADV")),
    row(&["IP"], &[], SetHead::Last, Some("ADV")),
    verbal(&["VP"], &[Complementation], Some("COMP")),
    verbal(&["VP"], &[Flat], Some("OTHER")),
    row(&["VP"], &[Auxiliary], SetHead::OfShape, Some("AUX")),
    row(&["VP"], &[Adjunction], SetHead::OfShape, Some("ADV")),
    verbal(&["VRD", "VSB", "VNV", "VPT"], &[Complementation, Flat], Some("PRT")),
    row(&["VRD", "VNV", "VPT"], &[], SetHead::First, None),
    fixed(&["PP", "DP"], &[Complementation], &[("NP", "OBJ")], Some("COMP")),
    fixed(&["CP"], &[Complementation], &[], Some("COMP")),
    row(&["QP", "CLP", "LCP", "DNP", "DVP"], &[Complementation], SetHead::OfShape, Some("COMP")),
    row(
        &["PP", "DP", "QP", "CLP", "ADJP", "ADVP", "CP", "LCP", "PRN"],
        &[Adjunction],
        SetHead::OfShape,
        Some("ADV"),
    ),
    row(&["DP", "QP", "CLP", "ADJP", "ADVP", "PRN"], &[Flat], SetHead::OfShape, Some("ADV")),
    row(&["FRAG"], &[Flat], SetHead::OfShape, None),
    row(&["WHNP", "WHPP"], &[], SetHead::Only, None),
    row(&[], &[], SetHead::Last, None),
];

/// Rows that come first in the refined style. The reasons are in `docs/ctb.md`.
pub const REFINED: &[Row] = &[
    // The verb that carries the meaning and the arguments comes first: 看完, 打不开.
    Row {
        categories: &["VRD", "VPT", "VNV", "VCP"],
        shapes: &[],
        rule: Rule { head: SetHead::First, by_category: &[], tags: false, default: Some("PRT") },
    },
    // A noun with phrases beside it is modified by them as a noun phrase is.
    Row {
        categories: &["NP"],
        shapes: &[Complementation],
        rule: Rule { head: SetHead::OfShape, by_category: REFINED_NOUN, tags: true, default: Some("NMOD") },
    },
    Row {
        categories: &["NP"],
        shapes: &[Flat, Adjunction],
        rule: Rule { head: SetHead::OfShape, by_category: REFINED_NOUN, tags: true, default: None },
    },
    Row {
        categories: &["FRAG"],
        shapes: &[Flat, Adjunction],
        rule: Rule { head: SetHead::OfShape, by_category: &[], tags: true, default: Some("NMOD") },
    },
    row(&[], &[Coordination], SetHead::Conjuncts, None),
    // The clause keeps its predicate when a sentence-final particle follows it.
    Row {
        categories: &["VP", "PP", "LCP", "DP", "QP", "IP", "CP"],
        shapes: &[Flat],
        rule: Rule { head: SetHead::OfShape, by_category: REFINED_VERB, tags: true, default: Some("ADV") },
    },
];

const REFINED_NOUN: &[(&str, &str)] = &[
    ("DP", "DMOD"),
    ("QP", "DMOD"),
    ("CLP", "DMOD"),
    ("DT", "DMOD"),
    ("CD", "DMOD"),
    ("OD", "DMOD"),
    ("M", "DMOD"),
    ("CP", "RELATIVE"),
    ("IP", "APP"),
    ("ADJP", "AMOD"),
    ("PP", "AMOD"),
    ("JJ", "AMOD"),
    ("NP", "NMOD"),
    ("DNP", "NMOD"),
    ("LCP", "NMOD"),
    ("UCP", "NMOD"),
    ("NN", "NMOD"),
    ("NR", "NMOD"),
    ("NT", "NMOD"),
    ("PN", "NMOD"),
    ("PRN", "APP"),
];

const REFINED_VERB: &[(&str, &str)] = &[(ASPECT, "PRT"), ("SP", "PRT"), ("PRN", "APP")];

/// The row for a category and a shape.
pub fn find(rows: &'static [Row], category: &str, shape: Shape) -> Option<&'static Row> {
    rows.iter().find(|row| {
        (row.categories.is_empty() || row.categories.contains(&category))
            && (row.shapes.is_empty() || row.shapes.contains(&shape))
    })
}
