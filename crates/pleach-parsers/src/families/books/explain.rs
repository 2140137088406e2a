//! How a sentence was parsed, for people: the edges of the pages and the iterations that bound them.

use pleach_decode::noncrossing::binding::violation;
use pleach_decode::noncrossing::{Candidates, Direction, Link, Node};
use pleach_decode::relax::{Certificate, Iteration, Outcome};
use pleach_graph::Sentence;
use std::fmt::Write;

/// So many violated constraints of an iteration are named.
const NAMED: usize = 4;

pub(super) fn explain(
    sentence: &Sentence,
    candidates: &Candidates,
    (pages, roots): (&[Vec<Link>], &[Node]),
    outcome: &Option<Outcome>,
    trace: &[Iteration],
) -> String {
    let mut text = String::new();
    let name = |link: Link| {
        let (left, right) = candidates.ends(link.edge);
        let arrow = match link.direction {
            Direction::Right => "->",
            Direction::Left => "<-",
            Direction::Both => "<->",
        };
        format!("{} {arrow} {}", word(sentence, left), word(sentence, right))
    };
    // Writing to a string can't fail.
    let _ = writeln!(text, "{} words, {} candidate edges", sentence.len(), candidates.len());
    for (number, iteration) in trace.iter().enumerate() {
        let edges: Vec<String> = iteration.items.iter().map(|items| items.len().to_string()).collect();
        let _ = write!(
            text,
            "iteration {}: dual {:.2}, {} edges, {} violated",
            number + 1,
            iteration.dual,
            edges.join(" + "),
            iteration.violated.len()
        );
        for (place, &constraint) in iteration.violated.iter().take(NAMED).enumerate() {
            let (link, page) = violation(constraint);
            let before = if place == 0 { ": " } else { "; " };
            let _ = write!(text, "{before}{} only on page {}", name(link), page + 1);
        }
        let more = iteration.violated.len().saturating_sub(NAMED);
        if more > 0 {
            let _ = write!(text, "; and {more} more");
        }
        let _ = writeln!(text);
    }
    if let Some(outcome) = outcome {
        let found = match outcome.certificate {
            Certificate::Optimal => "the best book".to_owned(),
            Certificate::Within(gap) => format!("a book within {gap:.2} of the best"),
            Certificate::Agreed => "pages that agree; the decoder being approximate, no proof".to_owned(),
            Certificate::Disagreed => "no pages that agree; the fewest violations were kept".to_owned(),
        };
        let _ = writeln!(text, "{found} after {} iterations, score {:.2}", outcome.iterations, outcome.value);
        if let Some(period) = outcome.period {
            let _ = writeln!(text, "iterates ran in circles of {period} ({} times)", outcome.circles);
        }
    }
    for (number, page) in pages.iter().enumerate() {
        let names: Vec<String> = page.iter().map(|&link| name(link)).collect();
        let _ = writeln!(text, "page {}: {}", number + 1, names.join(", "));
    }
    if !roots.is_empty() {
        let names: Vec<String> = roots.iter().map(|&node| word(sentence, node)).collect();
        let _ = writeln!(text, "on no page: root -> {}", names.join(", "));
    }
    text
}

fn word(sentence: &Sentence, node: Node) -> String {
    match usize::from(node).checked_sub(1).and_then(|place| sentence.tokens.get(place)) {
        Some(token) => format!("{}/{node}", token.form),
        None => "root".to_owned(),
    }
}
