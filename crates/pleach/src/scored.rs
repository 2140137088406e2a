//! Sentences that are to be scored, and the metric that fits them.

use pleach_eval::Metric;
use pleach_formats::Format;
use pleach_graph::Sentence;
use std::collections::VecDeque;

/// How many sentences are looked at to see whether there are graphs.
const LOOK_AHEAD: usize = 64;

/// The sentences of a source, the first of which may have been looked at.
#[derive(Debug)]
pub struct Scored<I: Iterator> {
    rest: I,
    ahead: VecDeque<I::Item>,
    format: Option<Format>,
}

impl<I: Iterator<Item = Result<Sentence, E>>, E> Scored<I> {
    /// Sentences that come from a file of a format, or from elsewhere.
    pub fn new(rest: I, format: Option<Format>) -> Self {
        Scored { rest, ahead: VecDeque::new(), format }
    }

    /// Whether one of the first sentences has a graph.
    fn have_graphs(&mut self) -> bool {
        while self.ahead.len() < LOOK_AHEAD {
            let Some(sentence) = self.rest.next() else { break };
            let found = sentence.as_ref().is_ok_and(|sentence| !sentence.graph.is_empty());
            let failed = sentence.is_err();
            self.ahead.push_back(sentence);
            if found || failed {
                return found;
            }
        }
        false
    }
}

impl<I: Iterator> Iterator for Scored<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        self.ahead.pop_front().or_else(|| self.rest.next())
    }
}

/// The metric that fits sources which are to be compared: by their formats, else by whether all of them have graphs.
pub fn fitting_metric<I: Iterator<Item = Result<Sentence, E>>, E>(inputs: &mut [Scored<I>]) -> Metric {
    let any = |inputs: &[Scored<I>], formats: &[Format]| {
        inputs.iter().any(|input| input.format.is_some_and(|format| formats.contains(&format)))
    };
    if any(inputs, &[Format::Sdp2014, Format::Sdp2015, Format::Mrp, Format::Parg]) {
        Metric::Sdp
    } else if any(inputs, &[Format::Semeval16]) {
        Metric::Semeval16
    } else if inputs.iter_mut().all(Scored::have_graphs) {
        if any(inputs, &[Format::Conll09]) { Metric::Sdp } else { Metric::Eud }
    } else {
        Metric::Tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{Graph, NodeId};

    /// A sentence for every letter: with a graph, without one, or an error.
    fn source(letters: &str, format: Option<Format>) -> Scored<std::vec::IntoIter<Result<Sentence, char>>> {
        let sentence = |letter| match letter {
            'g' => {
                let mut sentence = Sentence::from_forms(["a"]);
                sentence.graph = Graph::new(1);
                sentence.graph.insert(NodeId::ROOT, NodeId(1), "root".into());
                Ok(sentence)
            }
            't' => Ok(Sentence::from_forms(["a", "b"])),
            other => Err(other),
        };
        Scored::new(letters.chars().map(sentence).collect::<Vec<_>>().into_iter(), format)
    }

    #[test]
    fn formats_and_graphs_decide() {
        let conllu = Some(Format::Conllu);
        for (first, second, format, metric) in [
            ("g", "ttg", conllu, Metric::Eud),
            ("g", "ttt", conllu, Metric::Tree),
            ("g", "t!g", conllu, Metric::Tree),
            ("g", "g", None, Metric::Eud),
            ("g", "g", Some(Format::Conll09), Metric::Sdp),
            ("t", "t", Some(Format::Mrp), Metric::Sdp),
            ("t", "t", Some(Format::Semeval16), Metric::Semeval16),
        ] {
            let mut inputs = [source(first, format), source(second, format)];
            assert_eq!(fitting_metric(&mut inputs), metric, "{first} {second} {format:?}");
        }
    }

    #[test]
    fn what_was_looked_at_still_comes() {
        let mut inputs = [source("ttg!t", None)];
        assert_eq!(fitting_metric(&mut inputs), Metric::Eud);
        let [input] = inputs;
        let lengths: Vec<_> = input.map(|sentence| sentence.map(|sentence| sentence.len())).collect();
        assert_eq!(lengths, [Ok(2), Ok(2), Ok(1), Err('!'), Ok(2)]);
    }
}
