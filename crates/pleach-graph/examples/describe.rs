//! Builds an enhanced graph by hand, describes it, and changes it into what a parser learns and back.
//!
//! Run with `cargo run -p pleach-graph --example describe`.

use pleach_graph::enhanced::{Transform, collapse_keeping, expand};
use pleach_graph::properties::{Edges, Root, is_acyclic, is_tree, multi_headed, two_cycles};
use pleach_graph::{NodeId, Sentence, Token, TokenId};

fn main() {
    // "Ann lives in Rome and Bob in Oslo", with an empty node for the second "lives".
    let mut sentence = Sentence::from_forms(["Ann", "lives", "in", "Rome", "and", "Bob", "in", "Oslo"]);
    let id = TokenId { word: 6, empty: 1 };
    sentence.tokens.insert(6, Token { id, form: "lives".into(), ..Token::default() });
    let arcs = [
        ("0", "2", "root"),
        ("2", "1", "nsubj"),
        ("4", "3", "case"),
        ("2", "4", "obl:in"),
        ("6.1", "5", "cc"),
        ("6.1", "6", "nsubj"),
        ("2", "6.1", "conj:and"),
        ("8", "7", "case"),
        ("6.1", "8", "obl:in"),
    ];
    sentence.graph = pleach_graph::Graph::new(sentence.len());
    for (head, dependent, label) in arcs {
        let (head, dependent) = (node(&sentence, head), node(&sentence, dependent));
        sentence.graph.insert(head, dependent, label.into());
    }
    show("as annotated", &sentence);

    let graph = &sentence.graph;
    let edges = Edges::new(graph, Root::Excluded);
    println!("tree: {}, acyclic: {}", is_tree(graph), is_acyclic(graph));
    println!("words with several heads: {}", multi_headed(graph, Root::Included).len());
    println!("two-cycles: {}", two_cycles(graph).len());
    println!("crossing pairs: {}, pages: {}\n", edges.crossing_pair_count(), edges.book().pagenumber());

    let mut learned = sentence.clone();
    Transform::ALL.apply(&mut learned);
    show("as a parser sees it", &learned);
    Transform::ALL.undo(&mut learned);
    show("as it comes back from a parser", &learned);

    let mut kept = sentence.clone();
    collapse_keeping(&mut kept);
    expand(&mut kept);
    assert_eq!(kept, sentence, "with the comments nothing is lost");
}

/// The node that a file's id names.
fn node(sentence: &Sentence, id: &str) -> NodeId {
    let found = sentence.graph.tokens().find(|&node| sentence.id_of(node).to_string() == id);
    found.unwrap_or(NodeId::ROOT)
}

fn show(title: &str, sentence: &Sentence) {
    println!("{title}");
    for (node, token) in sentence.graph.tokens().zip(&sentence.tokens) {
        let arcs = sentence.graph.heads_of(node);
        let arcs: Vec<_> = arcs.map(|arc| format!("{}:{}", sentence.id_of(arc.head), arc.label)).collect();
        println!("  {:<4} {:<6} {}", token.id.to_string(), token.form, arcs.join("|"));
    }
    println!();
}
