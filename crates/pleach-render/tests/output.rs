//! What comes out: drawings as text, SVG that is XML, pages that hold no foreign markup, and hostile input.

#![allow(clippy::unwrap_used)]

use pleach_graph::phrase::Phrase;
use pleach_graph::{Graph, Multiword, NodeId, Sentence, Token, TokenId};
use pleach_render::{Basis, Page, Pages, Picture, Scene, Shape, Svg, Terminal, compare, constituents};
use proptest::prelude::*;

fn sentence(forms: &[&str], arcs: &[(u32, u32, &str)]) -> Sentence {
    let mut sentence = Sentence::from_forms(forms.iter().copied());
    for &(head, dependent, label) in arcs {
        sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
    }
    sentence
}

fn drawn(sentence: &Sentence, width: i32) -> String {
    let terminal = Terminal { width, ..Terminal::default() };
    format!("\n{}", terminal.draw(&Picture::new(sentence, Basis::Auto)))
}

fn svg(picture: &Picture) -> String {
    let mut svg = Svg::new(picture.differs());
    svg.push(&Scene::new(picture, Pages::Book), picture.name.as_deref());
    svg.finish()
}

#[test]
fn arcs_over_a_line_of_words() {
    let s = sentence(&["Mark", "wants", "more"], &[(0, 2, "root"), (2, 1, "nsubj"), (2, 3, "obj")]);
    let expected = "
 ╭nsubj╮root╭obj╮
 ▼     │ ▼  │   ▼
Mark   wants   more
";
    assert_eq!(drawn(&s, 80), expected);
}

#[test]
fn two_cycles_loops_and_several_labels() {
    let s = sentence(&["a", "b"], &[(1, 2, "x"), (2, 1, "y"), (2, 1, "z"), (2, 2, "self")]);
    let expected = "
╭──x───╮
│╭y, z╮│╭self╮
│▼    │▼│    ▼
a         b
";
    assert_eq!(drawn(&s, 80), expected);
}

#[test]
fn crossing_arcs_go_below() {
    let s = sentence(&["a", "b", "c", "d"], &[(1, 3, "x"), (2, 4, "y"), (1, 2, "z")]);
    let expected = "
╭──x───╮
│╭z─╮  │
││  ▼  ▼
a   b  c  d
    │     ▲
    ╰──y──╯
";
    assert_eq!(drawn(&s, 80), expected);
}

#[test]
fn long_sentences_stand_in_a_column() {
    let s = sentence(&["Mark", "wants", "more"], &[(0, 2, "root"), (2, 1, "nsubj"), (2, 3, "obj")]);
    let expected = "
1  Mark  2:nsubj ◀╮
2  wants 0:root  ─┤◀
3  more  2:obj   ◀╯
";
    assert_eq!(drawn(&s, 20), expected);
    let list = "
1  Mark  nsubj ← 2 wants
2  wants  root ← 0
3  more  obj ← 2 wants
";
    assert_eq!(drawn(&s, 10), list);
}

#[test]
fn wide_and_combining_characters_keep_the_columns() {
    let s = sentence(&["我", "e\u{301}a", "x"], &[(1, 2, "b"), (2, 3, "c")]);
    let expected = "
╭b╮╭c╮
│ ▼│ ▼
我 e\u{301}a x
";
    let lines = drawn(&s, 80);
    let column = |line: &str, c: char| {
        let before = &line[..line.find(c).unwrap()];
        unicode_width::UnicodeWidthStr::width(before)
    };
    let rows: Vec<&str> = lines.lines().collect();
    assert_eq!(rows.len(), expected.lines().count());
    assert_eq!(column(rows[3], 'x'), rows[2].chars().count() - 1, "{lines}");
}

#[test]
fn right_to_left_words_are_mirrored_and_fenced_in() {
    let s = sentence(&["שלום", "עולם"], &[(1, 2, "x")]);
    let lines = drawn(&s, 80);
    let words = lines.lines().last().unwrap();
    assert_eq!(words, "\u{200e}עולם\u{200e}  \u{200e}שלום\u{200e}");
    // The head, which is read first, is at the right.
    let arrow = lines.lines().nth(2).unwrap();
    assert!(arrow.find('▼').unwrap() < arrow.find('│').unwrap(), "{lines}");
}

#[test]
fn multiword_tokens_and_empty_nodes_are_shown() {
    let mut s = sentence(&["zu", "dem", "Haus"], &[]);
    s.tokens.insert(3, Token { id: TokenId { word: 3, empty: 1 }, ..Token::default() });
    s.multiwords.push(Multiword { first: 1, last: 2, form: "zum".into(), ..Multiword::default() });
    s.graph = Graph::new(4);
    s.graph.insert(NodeId(4), NodeId(3), "x".into());
    let expected = "
         ╭──x──╮
         ▼     │
zu  dem  Haus  3.1
╰─────╯
  zum
";
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(squeezed(&drawn(&s, 80)), squeezed(expected));
    let xml = svg(&Picture::new(&s, Basis::Auto));
    assert!(xml.contains("<rect class=\"o\"") && xml.contains(">zum<"), "{xml}");
}

#[test]
fn colour_only_when_asked_for() {
    let picture = Picture::new(&sentence(&["a", "b"], &[(1, 2, "x")]), Basis::Auto);
    let plain = Terminal::default().draw(&picture);
    let coloured = Terminal { colour: true, ..Terminal::default() }.draw(&picture);
    assert!(!plain.contains('\x1b') && coloured.contains('\x1b'));
    let mut stripped = String::new();
    for piece in coloured.split('\x1b') {
        stripped.push_str(if stripped.is_empty() && !coloured.starts_with('\x1b') {
            piece
        } else {
            piece.split_once('m').map_or(piece, |(_, rest)| rest)
        });
    }
    assert_eq!(stripped, plain);
}

#[test]
fn comparisons_mark_arcs_in_every_output() {
    let gold = sentence(&["a", "b", "c"], &[(1, 2, "x"), (2, 3, "y")]);
    let system = sentence(&["a", "b", "c"], &[(1, 3, "x"), (2, 3, "z")]);
    let picture = compare(&gold, &system, Basis::Auto).unwrap();
    let text = Terminal::default().draw(&picture);
    for caption in ["−x", "+x", "−y, +z"] {
        assert!(text.contains(caption), "{text}");
    }
    let xml = svg(&picture);
    for class in ["am", "as", "ar"] {
        let marked = format!("<path class=\"{class}\"");
        // Once in the legend, once in the picture.
        assert_eq!(xml.matches(&marked).count(), 2, "{xml}");
    }
    let mut page = Page::new(Vec::new(), "a — b", true).unwrap();
    page.push(1, &picture, &[Scene::new(&picture, Pages::Book)]).unwrap();
    let html = String::from_utf8(page.finish().unwrap()).unwrap();
    assert!(html.contains("1 missing, 1 spurious, 1 with other labels"));
    assert!(html.contains("id=\"only\""));
}

fn tree() -> Phrase {
    let leaf = |tag: &str, word: &str| Phrase::Leaf { tag: tag.into(), word: word.into() };
    let node = |label: &str, children: Vec<Phrase>| Phrase::Node { label: label.into(), children };
    let vp =
        node("VP", vec![leaf("VBZ", "wants"), node("NP-WITH-A-LONG-LABEL", vec![leaf("-NONE-", "*T*-1")])]);
    node("", vec![node("S", vec![node("NP-SBJ", vec![leaf("NNP", "Mark")]), vp])])
}

#[test]
fn constituents_by_indentation() {
    let expected = "\
S
├─ NP-SBJ ─ NNP Mark
╰─ VP
   ├─ VBZ wants
   ╰─ NP-WITH-A-LONG-LABEL ─ -NONE- *T*-1
";
    assert_eq!(constituents::indented(&tree(), false), expected);
}

#[test]
fn constituents_do_not_overlap() {
    let scene = constituents::scene(&tree());
    let mut texts: Vec<(i32, i32, usize)> = Vec::new();
    for shape in &scene.shapes {
        if let Shape::Text { x, y, text, .. } = shape {
            texts.push((*y, *x, text.len()));
        }
    }
    assert_eq!(texts.len(), 4 + 3 * 2);
    texts.sort_unstable();
    for pair in texts.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        // Five pixels a character is less than any font has.
        assert!(pair[0].1 + (pair[0].2 as i32 * 5) / 2 < pair[1].1 - (pair[1].2 as i32 * 5) / 2, "{texts:?}");
    }
}

#[test]
fn deep_constituents_do_not_overflow_the_stack() {
    let mut phrase = Phrase::Leaf { tag: "X".into(), word: "x".into() };
    for depth in 0..2000 {
        let other = Phrase::Leaf { tag: "Y".into(), word: "y".into() };
        let children = if depth % 2 == 0 { vec![phrase, other] } else { vec![phrase] };
        phrase = Phrase::Node { label: "N".into(), children };
    }
    assert!(!constituents::scene(&phrase).shapes.is_empty());
    assert!(constituents::indented(&phrase, false).lines().count() >= 1000);
}

fn all_outputs(sentence: &Sentence) {
    let picture = Picture::new(sentence, Basis::Auto);
    for width in [20, 80, 1000] {
        Terminal { width, ..Terminal::default() }.draw(&picture);
    }
    for pages in [Pages::Book, Pages::Above] {
        let mut page = Page::new(Vec::new(), "x", false).unwrap();
        page.push(1, &picture, &[Scene::new(&picture, pages)]).unwrap();
        page.finish().unwrap();
    }
    svg(&picture);
}

#[test]
fn huge_sentences_are_drawn_too() {
    const WORDS: u32 = 65_000;
    let empty = Sentence::from_forms((0..WORDS).map(|_| "w"));
    let with = |arcs: &dyn Fn(u32) -> (u32, u32)| {
        let arcs = (1..=WORDS).map(|i| {
            let (head, dependent) = arcs(i);
            pleach_graph::Arc { head: NodeId(head), dependent: NodeId(dependent), label: "x".into() }
        });
        Sentence { graph: Graph::from_arcs(WORDS as usize, arcs.collect()), ..empty.clone() }
    };
    // A star, arcs within arcs, arcs that all cross, and arcs at random.
    all_outputs(&with(&|i| (WORDS / 2, i)));
    all_outputs(&with(&|i| (WORDS + 1 - i, i)));
    all_outputs(&with(&|i| ((i + WORDS / 2) % (WORDS + 1), i)));
    all_outputs(&with(&|i| (i.wrapping_mul(2_654_435_761) % (WORDS + 1), i)));
}

#[test]
fn no_words_and_no_arcs() {
    all_outputs(&Sentence::default());
    all_outputs(&sentence(&[""], &[(1, 1, "")]));
    let long = "x".repeat(100_000);
    all_outputs(&sentence(&[&long, "y"], &[(1, 2, &long)]));
    assert!(drawn(&sentence(&[&long, "y"], &[(1, 2, &long)]), 500).len() < 1000);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(any::<char>(), 0..8).prop_map(|chars| chars.into_iter().collect::<String>()),
        Just("</script><script>alert(1)</script>".to_owned()),
        Just("<!--]]>&amp;\"'".to_owned()),
        Just("\u{0}\u{b}\u{202e}\u{ffff}\u{2028}".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_gives_good_xml_and_html(
        forms in prop::collection::vec(any_text(), 1..5),
        labels in prop::collection::vec(any_text(), 4),
        name in any_text(),
    ) {
        let mut s = Sentence::from_forms(forms.iter().map(String::as_str));
        s.comments.push(format!("# sent_id = {name}"));
        let last = NodeId(forms.len() as u32);
        for (head, label) in [NodeId::ROOT, NodeId(1), last].into_iter().zip(&labels) {
            s.graph.insert(head, last, label.as_str().into());
        }
        s.tokens[0].upos = labels[3].as_str().into();
        let picture = Picture::new(&s, Basis::Auto);
        let xml = svg(&picture);
        let document = roxmltree::Document::parse(&xml);
        prop_assert!(document.is_ok(), "{:?}\n{xml}", document.err());
        let allowed = ["svg", "title", "style", "rect", "g", "path", "text"];
        for node in document.unwrap().descendants().filter(|node| node.is_element()) {
            prop_assert!(allowed.contains(&node.tag_name().name()));
        }

        let mut page = Page::new(Vec::new(), &name, false).unwrap();
        page.push(1, &picture, &[Scene::new(&picture, Pages::Book)]).unwrap();
        let html = String::from_utf8(page.finish().unwrap()).unwrap();
        prop_assert_eq!(html.matches("<script").count(), 2);
        prop_assert_eq!(html.matches("</script").count(), 2);
        prop_assert!(!html.contains("src=") && !html.contains("href="));
        let data = html.split("id=\"data\">\n").nth(1).unwrap().split("</script>").next().unwrap();
        prop_assert_eq!(data.trim_end().split('\n').count(), 2);
        for line in data.trim_end().split('\n') {
            prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok());
        }

        for width in [10, 40, 200] {
            for line in (Terminal { width, ..Terminal::default() }).draw(&picture).lines() {
                prop_assert!(line.chars().all(|c| !c.is_control()));
            }
        }
    }
}
