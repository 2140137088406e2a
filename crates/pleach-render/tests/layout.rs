//! What every layout must keep, on random graphs with cycles, loops, tops and crossing arcs.

use pleach_graph::{Multiword, NodeId, Sentence};
use pleach_render::{Basis, Extent, Layout, Metrics, Pages, Picture, PlacedLink};
use proptest::prelude::*;

/// Pixels, and cells.
const METRICS: [Metrics; 2] = [
    Metrics {
        form: |word| word.form.len() as i32 * 10,
        tag: |tag| tag.len() as i32 * 7,
        label: |label| label.len() as i32 * 7 + 6,
        port: 10,
        gap: 14,
        corner: 11,
        line: 0,
        margin: 12,
    },
    Metrics {
        form: |word| word.form.len() as i32,
        tag: |tag| tag.len() as i32,
        label: |label| label.len() as i32,
        port: 1,
        gap: 2,
        corner: 0,
        line: 1,
        margin: 0,
    },
];

fn sentences() -> impl Strategy<Value = Sentence> {
    (1u32..11).prop_flat_map(|words| {
        let forms = prop::collection::vec("[a-z]{1,6}", words as usize);
        let arc = (0..=words, 1..=words, "[a-z]{1,9}");
        let arcs = prop::collection::vec(arc, 0..16);
        (forms, arcs, prop::option::of((1..=words, 1..=words))).prop_map(|(forms, arcs, bracket)| {
            let mut sentence = Sentence::from_forms(forms);
            for (head, dependent, label) in arcs {
                sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
            }
            if let Some((a, b)) = bracket {
                let (first, last) = (a.min(b), a.max(b));
                let form = "a-longer-multiword".into();
                sentence.multiwords.push(Multiword { first, last, form, ..Multiword::default() });
            }
            sentence
        })
    })
}

fn cross(a: (u32, u32), b: (u32, u32)) -> bool {
    (a.0 < b.0 && b.0 < a.1 && a.1 < b.1) || (b.0 < a.0 && a.0 < b.1 && b.1 < a.1)
}

/// Whether the arcs fit on two pages, by trying all assignments of those that cross.
fn two_pages(spans: &[(u32, u32)]) -> bool {
    let crossing: Vec<_> = spans.iter().filter(|&&a| spans.iter().any(|&b| cross(a, b))).collect();
    (0u32..1 << crossing.len()).any(|sides| {
        let side = |arc: usize| sides >> arc & 1;
        let pairs = (0..crossing.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.into_iter().all(|(a, b)| side(a) != side(b) || !cross(*crossing[a], *crossing[b]))
    })
}

/// The horizontal stretch of an arc.
fn reach(link: &PlacedLink) -> Extent {
    let head = link.head.unwrap_or(link.dependent);
    Extent { left: head.min(link.dependent), right: head.max(link.dependent) }
}

fn legs(link: &PlacedLink) -> impl Iterator<Item = i32> {
    link.head.into_iter().chain([link.dependent])
}

fn overlap(a: Extent, b: Extent) -> bool {
    a.left < b.right && b.left < a.right
}

fn check(picture: &Picture, layout: &Layout, line: i32) {
    let span = |placed: &PlacedLink| {
        let link = &picture.links[placed.link];
        (link.head.0.min(link.dependent.0), link.head.0.max(link.dependent.0))
    };
    assert_eq!(layout.links.len(), picture.links.len());
    for (place, link) in layout.links.iter().enumerate() {
        let (own, reach_own) = (link.label, reach(link));
        assert!(0 <= own.left && own.right <= layout.width, "label outside of the picture");
        if link.head.is_some() {
            assert!(reach_own.left < own.left && own.right <= reach_own.right, "label beyond its arc");
        }
        for (x, node) in [
            (link.head, picture.links[link.link].head),
            (Some(link.dependent), picture.links[link.link].dependent),
        ] {
            if let Some(x) = x {
                let word = layout.words[node.index() - 1];
                assert!(word.left <= x && x + line <= word.right, "a leg beside its word");
            }
        }
        for other in layout.links[..place].iter().filter(|other| other.side == link.side) {
            let message = format!("{link:?}\n{other:?}");
            for x in legs(link) {
                assert!(!legs(other).any(|y| x == y), "two legs at one place\n{message}");
            }
            if link.level == other.level {
                assert!(!overlap(own, other.label), "labels overlap\n{message}");
                let (a, b) = (reach(link), reach(other));
                let touching = a.left <= b.right && b.left <= a.right;
                assert!(!touching, "two arcs on one line\n{message}");
            }
        }
        for other in layout.links.iter().filter(|other| other.side == link.side && *other != link) {
            let message = format!("{link:?}\n{other:?}");
            for x in legs(other).filter(|_| other.level >= link.level) {
                assert!(x + line <= own.left || x > own.right - line, "a leg through a label\n{message}");
                let inside = reach_own.left < x && x < reach_own.right;
                let crossing = link.head.is_some() && other.head.is_some() && cross(span(link), span(other));
                assert!(!inside || crossing, "arcs meet that don't cross\n{message}");
            }
        }
    }
    for pair in layout.words.windows(2) {
        let ordered =
            if picture.right_to_left { pair[1].right < pair[0].left } else { pair[0].right < pair[1].left };
        assert!(ordered, "words overlap");
    }
    for (word, form) in layout.words.iter().zip(&layout.forms) {
        assert!(word.left <= form.left && form.right <= word.right);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn nothing_overlaps(sentence in sentences(), above: bool, rtl: bool) {
        let mut picture = Picture::new(&sentence, Basis::Graph);
        picture.right_to_left = rtl;
        let pages = if above { Pages::Above } else { Pages::Book };
        for metrics in METRICS {
            let layout = Layout::new(&picture, &metrics, pages);
            check(&picture, &layout, metrics.line);
            for bracket in &layout.brackets {
                prop_assert!(bracket.right - bracket.left >= (metrics.label)("a-longer-multiword"));
            }
        }
    }

    #[test]
    fn arcs_of_one_page_cross_only_when_two_pages_are_too_few(sentence in sentences()) {
        let picture = Picture::new(&sentence, Basis::Graph);
        let layout = Layout::new(&picture, &METRICS[0], Pages::Book);
        let arcs: Vec<_> = layout.links.iter().filter(|link| link.head.is_some()).collect();
        let span = |placed: &PlacedLink| {
            let link = &picture.links[placed.link];
            (link.head.0.min(link.dependent.0), link.head.0.max(link.dependent.0))
        };
        let spans: Vec<_> = arcs.iter().map(|arc| span(arc)).collect();
        let mut same_page = false;
        for (i, a) in arcs.iter().enumerate() {
            for b in &arcs[..i] {
                same_page |= a.side == b.side && cross(span(a), span(b));
                if span(a) == span(b) {
                    prop_assert!((a.side, a.level) != (b.side, b.level), "a two-cycle is one line");
                }
            }
        }
        if same_page {
            prop_assert!(!two_pages(&spans));
        }
    }
}

#[test]
fn the_check_notices_a_label_that_is_moved() {
    let mut sentence = Sentence::from_forms(["a", "b", "c"]);
    sentence.graph.insert(NodeId(1), NodeId(3), "over".into());
    sentence.graph.insert(NodeId(1), NodeId(2), "x".into());
    let picture = Picture::new(&sentence, Basis::Graph);
    let layout = Layout::new(&picture, &METRICS[0], Pages::Book);
    check(&picture, &layout, 0);
    for moved in [-100, 100] {
        let mut wrong = layout.clone();
        wrong.links[0].label.left += moved;
        wrong.links[0].label.right += moved;
        assert!(std::panic::catch_unwind(|| check(&picture, &wrong, 0)).is_err());
    }
}
