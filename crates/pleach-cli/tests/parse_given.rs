//! What `pleach parse` does with annotation that its input has already.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::{fine, lab};

const GIVEN: &str = "# sent_id = a\n# collapsed_node = {}\n1\tdog\tODD\tNOUN\t_\t_\t2\tgold\t2:deep|2.1:far\tX=1\n\
                     2\tsees\tsee\tVERB\t_\t_\t0\troot\t0:root\t_\n2.1\tsees\tsee\tVERB\t_\t_\t_\t_\t2:conj\t_\n\n";

/// `parse dev.conllu` with a graph model followed by `eval` printed LAS 100.
#[test]
fn gold_annotation_does_not_pass_for_a_parse() {
    let lab = lab();
    let folder = lab.path();
    std::fs::write(folder.join("in.conllu"), GIVEN).unwrap();
    let (graph, said) = fine(folder, "parse -m graph.pleach in.conllu");
    assert!(!graph.contains("gold") && !graph.contains("deep") && !graph.contains("collapsed"), "{graph}");
    assert!(
        graph.contains("\t_\t_\t0:root") && graph.contains("\tODD\t") && graph.contains("X=1"),
        "{graph}"
    );
    assert!(!said.contains("no place"), "{said}");
    let (tree, _) = fine(folder, "parse -m tree.pleach in.conllu");
    assert!(!tree.contains("deep") && !tree.contains("2.1") && !tree.contains("0:root"), "{tree}");
    assert!(tree.contains("\t0\troot\t_\t"), "{tree}");
}

#[test]
fn what_is_kept_is_noted_on_the_output() {
    let lab = lab();
    let folder = lab.path();
    std::fs::write(folder.join("in.conllu"), GIVEN).unwrap();
    let (graph, _) = fine(folder, "parse -m graph.pleach in.conllu --keep");
    assert!(graph.contains("# kept_from_input = HEAD DEPREL\n") && graph.contains("\tgold\t"), "{graph}");
    assert!(!graph.contains("deep"), "the model makes graphs: {graph}");
    let (tree, _) = fine(folder, "parse -m tree.pleach in.conllu --keep");
    assert!(tree.contains("# kept_from_input = DEPS\n") && tree.contains("2.1:far"), "{tree}");
    assert!(!tree.contains("gold"), "{tree}");
    std::fs::write(folder.join("kept.conllu"), graph).unwrap();
    let (again, _) = fine(folder, "parse -m graph.pleach kept.conllu");
    assert!(!again.contains("kept_from_input"), "{again}");
}

/// A format that has no place for what the model makes is no use as output.
#[test]
fn brackets_become_conllu() {
    let lab = lab();
    std::fs::write(lab.path().join("in.mrg"), "( (S (NP (NN dog)) (VP (VBZ sees))) )\n").unwrap();
    let (out, said) = fine(lab.path(), "parse -m graph.pleach in.mrg");
    assert!(out.contains("1\tdog\t") && !said.contains("no place"), "{out}{said}");
}
