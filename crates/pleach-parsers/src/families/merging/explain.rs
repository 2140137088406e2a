//! How three trees came to be consistent, in words.

use super::meanings::Meanings;
use super::merger::Space;
use crate::trees::Said;
use pleach_decode::merge::consistency::statement;
use pleach_decode::relax::{Certificate, Iteration, Outcome};
use pleach_graph::{NodeId, Sentence, Text};
use std::fmt::Write;

/// The statements of the first and the last trees, and one line for each iteration.
pub(super) fn explain(
    meanings: &Meanings,
    space: &Space,
    sentence: &Sentence,
    outcome: &Outcome,
    trace: &[Iteration],
) -> String {
    let form = |node: u32| sentence.form(NodeId(node));
    let mut text = String::new();
    for (number, iteration) in trace.iter().enumerate() {
        let statements: Vec<String> = iteration.items.iter().map(|items| items.len().to_string()).collect();
        let _ = writeln!(
            text,
            "{:4}  dual {:.2}  {} statements  {} broken",
            number + 1,
            iteration.dual,
            statements.join("+"),
            iteration.violated.len()
        );
    }
    let ends = [("simple merging", trace.first()), ("at the end", trace.last().filter(|_| trace.len() > 1))];
    for (name, iteration) in ends.into_iter().filter_map(|(name, iteration)| Some((name, iteration?))) {
        for (tree, items) in iteration.items.iter().enumerate() {
            let _ = writeln!(text, "tree {}, {name}:", tree + 1);
            for &item in items {
                let (number, tag) = statement(item);
                let about = space.statements[number as usize];
                let said = arrows(&meanings.said[about.reading as usize]);
                let (left, right) = (form(about.left), form(about.right));
                let _ = writeln!(text, "  {}-{} {left} {right}  {said}  #{tag}", about.left, about.right);
            }
        }
    }
    let end = match outcome.certificate {
        Certificate::Optimal => "consistent; no better trees exist among the candidates".to_owned(),
        Certificate::Within(gap) => format!("consistent; better trees could be better by {gap:.2}"),
        Certificate::Agreed => "consistent; how good the trees are is not known".to_owned(),
        Certificate::Disagreed => {
            "not consistent; the trees with the fewest broken tags were taken".to_owned()
        }
    };
    let circle =
        outcome.period.map_or_else(String::new, |period| format!(", a circle of {period} was cut short"));
    let _ = writeln!(text, "{end} ({} iterations{circle})", outcome.iterations);
    text
}

/// What is said about an edge, from its left end to its right one.
fn arrows(said: &Said) -> String {
    let joined = |labels: &[Text]| labels.join("&");
    match said {
        Said::Nothing => String::new(),
        Said::Along(along) => format!("→ {}", joined(along)),
        Said::Against(against) => format!("← {}", joined(against)),
        Said::Both(along, against) => format!("→ {} ← {}", joined(along), joined(against)),
    }
}
