//! Whatever tree comes, the conversion ends with a legal graph and a legal surface tree.
#![allow(missing_docs)]

mod common;

use common::{ENGLISH, REFERENCE, REFINED};
use pleach_graph::phrase::Phrase;
use pleach_phrase::{Stage, convert, enriched, explain};
use proptest::prelude::*;

fn tree() -> impl Strategy<Value = Phrase> {
    let tags =
        ["NN", "VV", "PU", "CC", "AS", "-NONE-", "BA", "LB", "SB", "DEC", "P", "IN", "VBD", "LC", "JJ", "MD"];
    let words = ["书", "*PRO*", "*T*-1", "*-2", "*OP*", "*pro*", "。", "x", "*T*"];
    let leaf = (prop::sample::select(tags.to_vec()), prop::sample::select(words.to_vec()))
        .prop_map(|(tag, word)| Phrase::Leaf { tag: tag.into(), word: word.into() });
    let labels = [
        "IP", "NP-SBJ", "NP-OBJ-1", "VP", "CP", "WHNP-1", "NP-SBJ-2", "LCP", "PP", "VCD", "VRD", "UCP",
        "PRN", "QP", "S", "SBAR", "ADVP", "NP=1", "FRAG", "NP", "IP-OBJ", "", "XYZ-1-2",
    ];
    leaf.prop_recursive(7, 60, 5, move |inner| {
        (prop::sample::select(labels.to_vec()), prop::collection::vec(inner, 1..5))
            .prop_map(|(label, children)| Phrase::Node { label: label.into(), children })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_tree(phrase in tree()) {
        for options in [REFERENCE, REFINED, ENGLISH] {
            let conversion = convert(&phrase, &options);
            let words = conversion.tree.word_count();
            prop_assert_eq!(conversion.graph.len(), words);
            prop_assert_eq!(conversion.surface.len(), words);
            prop_assert!(conversion.graph.arcs().iter().all(|arc| arc.head != arc.dependent));
            // The surface tree has one root and no cycles.
            let roots = conversion.surface.iter().filter(|attachment| attachment.head.is_root()).count();
            prop_assert_eq!(roots, usize::from(words > 0));
            for start in &conversion.surface {
                let mut at = *start;
                for _ in 0..=words {
                    if at.head.is_root() {
                        break;
                    }
                    at = conversion.surface[at.head.index() - 1];
                }
                prop_assert!(at.head.is_root());
            }
            for stage in Stage::ALL {
                explain(&phrase, &options, stage);
            }
            enriched(&phrase, &options, Stage::Heads);
        }
    }
}

#[test]
fn deep_and_wide_trees_are_no_problem() {
    let leaf = || Phrase::Leaf { tag: "VV".into(), word: "x".into() };
    let mut deep = leaf();
    for level in 0..900 {
        let label = if level % 2 == 0 { "VP" } else { "IP" };
        deep = Phrase::Node { label: label.into(), children: vec![leaf(), deep] };
    }
    assert_eq!(convert(&deep, &REFERENCE).surface.len(), 901);
    let cc = || Phrase::Leaf { tag: "CC".into(), word: "和".into() };
    let many = (0..3000).flat_map(|_| [leaf(), cc()]).collect();
    let side = || Phrase::Node {
        label: "NP-SBJ".into(),
        children: (0..3000).flat_map(|_| [leaf(), cc()]).collect(),
    };
    let wide = Phrase::Node {
        label: "IP".into(),
        children: vec![side(), Phrase::Node { label: "VP".into(), children: many }],
    };
    // Nine million arcs are cut off, not allocated.
    assert!(convert(&wide, &REFERENCE).graph.arcs().len() <= (1 << 20) + 3000);
}
