//! The trees and graphs that came with the task, when they are there: `../shared/ctb` beside the workspace.
#![allow(missing_docs)]

mod common;

use common::{REFERENCE, arcs_of, read};
use pleach_formats::Reader;
use pleach_phrase::convert_sentence;
use std::path::Path;

#[test]
fn all_examples_agree_with_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/ctb");
    let Ok(text) = std::fs::read_to_string(folder.join("examples.fid")) else { return };
    let trees = read(&text);
    let graphs: Vec<_> =
        Reader::open(&folder.join("examples.conllu"), None).unwrap().map(Result::unwrap).collect();
    assert_eq!(trees.len(), graphs.len());
    let mut wrong = Vec::new();
    for (mut tree, graph) in trees.into_iter().zip(graphs) {
        assert_eq!(tree.comments, graph.comments);
        convert_sentence(&mut tree, &REFERENCE, false).unwrap();
        if tree.graph != graph.graph {
            wrong.push(format!(
                "{:?}\n  found    {:?}\n  expected {:?}",
                tree.text(),
                arcs_of(&tree),
                arcs_of(&graph)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
