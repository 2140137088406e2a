//! Labels such as the treebank has: words of the sentence, and the root's label on arcs from the root.

use pleach_graph::enhanced::{Transform, without_absent_words};
use pleach_graph::{Arc, Graph, Sentence, Text};
use pleach_model::Kept;

/// Mends the labels of a parsed sentence, transforms not undone: words that the sentence hasn't go out of labels, and
/// arcs from the root get the label that the training graphs have there.
pub fn mend_labels(sentence: &mut Sentence, kept: &Kept, transform: Transform) {
    if let Some(label) = &kept.root_label {
        let wrong = |arc: &Arc| arc.head.is_root() && arc.label != *label;
        if sentence.graph.arcs().iter().any(wrong) {
            let graph = std::mem::take(&mut sentence.graph);
            let len = graph.len();
            let arcs = graph.into_arcs().into_iter().map(|arc| match wrong(&arc) {
                true => Arc { label: Text::from(label.as_str()), ..arc },
                false => arc,
            });
            sentence.graph = Graph::from_arcs(len, arcs.collect());
        }
    }
    let words = |part: &str| kept.words.binary_search_by(|word| word.as_str().cmp(part)).is_ok();
    if let Some(graph) = without_absent_words(sentence, words, transform.delexicalise) {
        sentence.graph = graph;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::NodeId;

    #[test]
    fn root_labels_and_words_are_those_of_the_treebank() {
        let mut sentence = Sentence::from_forms(["sang", "while", "ate"]);
        for (head, dependent, label) in [(0, 1, "obl:with"), (1, 3, "advcl:when"), (3, 2, "mark")] {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        let words = ["when", "with"].map(str::to_owned).to_vec();
        let kept = Kept { root_label: Some("root".into()), words, ..Kept::default() };
        mend_labels(&mut sentence, &kept, Transform::ALL);
        Transform::ALL.undo(&mut sentence);
        let labels: Vec<&str> = sentence.graph.arcs().iter().map(|arc| arc.label.as_str()).collect();
        assert_eq!(labels, ["root", "mark", "advcl:while"]);
    }
}
