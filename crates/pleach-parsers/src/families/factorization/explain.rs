//! How the models of a parser came to agree on a sentence, in words.

use super::recipe::FactorRecipe;
use pleach_decode::markov::Candidate;
use pleach_decode::relax::{Certificate, Iteration, Outcome};
use pleach_graph::{NodeId, Sentence};
use std::fmt::Write;

/// One line an iteration: the dual, and the arcs that the models disagree about.
pub(super) fn explain(
    recipe: &FactorRecipe,
    arcs: &[Candidate],
    sentence: &Sentence,
    outcome: &Outcome,
    trace: &[Iteration],
) -> String {
    let form = |node: u32| sentence.form(NodeId(node));
    let mut text = String::new();
    let per_word = arcs.len() as f64 / sentence.len().max(1) as f64;
    let _ = writeln!(text, "{}: {} candidate arcs, {per_word:.1} a word", recipe.taking_part(), arcs.len());
    for (number, iteration) in trace.iter().enumerate() {
        let _ = write!(text, "{:4}  dual {:.3}", number + 1, iteration.dual);
        let mut disputed: Vec<usize> = iteration
            .items
            .iter()
            .flatten()
            .map(|&item| item as usize)
            .filter(|&item| iteration.items.iter().any(|items| !items.contains(&(item as u32))))
            .collect();
        disputed.sort_unstable();
        disputed.dedup();
        let broken = iteration.violated.len();
        let _ = write!(text, "  {broken} broken constraint{}", if broken == 1 { "" } else { "s" });
        if broken > 0 {
            for &id in disputed.iter().take(MOST) {
                let arc = arcs[id];
                let _ = write!(
                    text,
                    "  {}-{} {} → {}",
                    arc.head,
                    arc.dependent,
                    form(arc.head),
                    form(arc.dependent)
                );
            }
            if disputed.len() > MOST {
                let _ = write!(text, "  and {} more", disputed.len() - MOST);
            }
        }
        text.push('\n');
    }
    let end = match outcome.certificate {
        Certificate::Optimal => "agreed; no better graph exists among the candidates".to_owned(),
        Certificate::Within(gap) => format!("agreed; a better graph could be better by {gap:.3}"),
        Certificate::Agreed => "agreed; how good the graph is is not known".to_owned(),
        Certificate::Disagreed => {
            "not agreed; the choice with the fewest broken constraints was taken".to_owned()
        }
    };
    let _ = writeln!(text, "{end} ({} iterations)", outcome.iterations);
    text
}

/// The most arcs that a line names.
const MOST: usize = 4;
