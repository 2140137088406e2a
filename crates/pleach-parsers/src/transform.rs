//! What is done to enhanced graphs before a graph parser learns them.

use pleach_graph::Sentence;
use pleach_graph::enhanced::Transform;
use pleach_model::recipe::When;

/// Which transforms the recipe asks for, or the data.
pub fn choose_transform(collapse: When, delexicalise: When, train: &[Sentence]) -> Transform {
    // A placeholder pays when there are lexicalised labels, which only enhanced UD has.
    let enhanced = || {
        let with_case =
            |s: &&Sentence| s.graph.arcs().iter().any(|arc| arc.label == "case" || arc.label == "mark");
        let lexical = |s: &Sentence| {
            s.graph.arcs().iter().any(|arc| arc.label.starts_with("obl:") || arc.label.starts_with("nmod:"))
        };
        train.iter().filter(with_case).take(2000).any(lexical)
    };
    Transform {
        // A graph over words can't be learnt with nodes that are not there at run time.
        collapse: collapse.decide(|| train.iter().any(Sentence::has_empty_nodes)),
        delexicalise: delexicalise.decide(enhanced),
    }
}
