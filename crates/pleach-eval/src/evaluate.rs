//! Scoring whole files: gold and one or two systems read in step, sentence by sentence.
//!
//! Memory does not grow with the files, but for a few numbers per sentence when two systems are compared,
//! and for text that is cut into sentences differently (see [`crate::ud`]).

use crate::ArcCounts;
use crate::graph::GraphScores;
use crate::mismatch::{Compared, Mismatch, check_ends, check_tokens};
use crate::sdp::{SdpOptions, SdpScores};
use crate::semeval16::Semeval16Scores;
use crate::significance::{Bootstrap, Difference, Unit};
use crate::tree::{NoTree, TreeScores};
use crate::ud::{self, File, Measure, UdError, UdScorer, UdScores};
use pleach_graph::Sentence;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Whose rules to score by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// SemEval-2014 Task 8 and SemEval-2015 Task 18; any graphs.
    Sdp,
    /// SemEval-2016 Task 9.
    Semeval16,
    /// IWPT 2020 and 2021 (enhanced dependencies) with the scores of CoNLL 2018.
    Eud,
    /// Attachment scores of trees.
    Tree,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 4] = [Metric::Sdp, Metric::Semeval16, Metric::Eud, Metric::Tree];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Sdp => "sdp",
            Metric::Semeval16 => "semeval16",
            Metric::Eud => "eud",
            Metric::Tree => "tree",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no metric.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown metric `{0}`; known are sdp, semeval16, eud, tree")]
pub struct UnknownMetric(pub String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Metric::ALL.into_iter().find(|metric| metric.name() == name);
        found.ok_or_else(|| UnknownMetric(name.to_owned()))
    }
}

/// How to score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whose rules.
    pub metric: Metric,
    /// For [`Metric::Sdp`].
    pub sdp: SdpOptions,
    /// For [`Metric::Semeval16`]: count punctuation too, which the official score does not.
    pub semeval16_punctuation: bool,
    /// How two systems are compared.
    pub bootstrap: Bootstrap,
}

impl Options {
    /// The official settings of a metric.
    pub fn new(metric: Metric) -> Self {
        Options {
            metric,
            sdp: SdpOptions::default(),
            semeval16_punctuation: false,
            bootstrap: Bootstrap::default(),
        }
    }
}

/// Why files could not be scored.
#[derive(Debug)]
pub enum EvalError<E> {
    /// A file could not be read.
    Read(E),
    /// A system's output does not fit gold; systems are counted from 0.
    Mismatch {
        /// Which system.
        system: usize,
        /// The first difference.
        error: Mismatch,
    },
    /// Gold has no trees.
    NoTree(NoTree),
    /// The text cannot be aligned.
    Ud {
        /// Which system.
        system: usize,
        /// What is wrong.
        error: UdError,
    },
}

/// The scores of one system.
#[derive(Clone, Debug)]
pub enum Scores {
    /// By [`Metric::Sdp`].
    Sdp(Box<SdpScores>),
    /// By [`Metric::Semeval16`].
    Semeval16(Semeval16Scores),
    /// By [`Metric::Eud`].
    Ud(Box<UdScores>),
    /// By [`Metric::Tree`].
    Tree(TreeScores),
}

impl Scores {
    fn new(options: &Options) -> Self {
        match options.metric {
            Metric::Sdp => Scores::Sdp(Box::new(SdpScores::new(options.sdp))),
            Metric::Semeval16 => Scores::Semeval16(Semeval16Scores::new(options.semeval16_punctuation)),
            Metric::Tree => Scores::Tree(TreeScores::new()),
            Metric::Eud => Scores::Ud(Box::default()),
        }
    }

    /// Counts one sentence; [`Scores::Ud`] is filled by its own scorer.
    fn add(&mut self, gold: &Sentence, system: &Sentence) -> Result<(), NoTree> {
        match self {
            Scores::Sdp(scores) => scores.add(gold, system),
            Scores::Semeval16(scores) => scores.add(gold, system),
            Scores::Tree(scores) => return scores.add(gold, system),
            Scores::Ud(_) => {}
        }
        Ok(())
    }

    /// The numbers by which two systems are compared.
    fn compared(&self) -> Vec<(&'static str, ArcCounts)> {
        let of = |tokens, correct| ArcCounts { gold: tokens, system: tokens, correct };
        match self {
            Scores::Sdp(scores) => vec![("LF", scores.arcs.labelled()), ("UF", scores.arcs.unlabelled())],
            Scores::Semeval16(scores) => vec![
                ("LF", scores.labelled),
                ("UF", scores.unlabelled),
                ("NLF", scores.non_local_labelled),
                ("NUF", scores.non_local_unlabelled),
            ],
            Scores::Tree(scores) => vec![
                ("LAS", of(scores.all.tokens, scores.all.labelled)),
                ("UAS", of(scores.all.tokens, scores.all.heads)),
            ],
            Scores::Ud(_) => Vec::new(),
        }
    }
}

/// Two systems side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// For each measure the difference.
    pub differences: Vec<(&'static str, Difference)>,
    /// How it was tested.
    pub bootstrap: Bootstrap,
    /// How much the labelled arcs of the systems have in common: `2·|A ∩ B| / (|A| + |B|)` (Zhang et al.
    /// 2016, §5.4.1). The smaller, the more diverse they are.
    pub labelled_overlap: f64,
    /// The same for unlabelled arcs; not for [`Metric::Eud`], where arcs are compared with labels only.
    pub unlabelled_overlap: Option<f64>,
}

/// The result for all systems.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Whose rules.
    pub metric: Metric,
    /// One or two systems.
    pub systems: Vec<Scores>,
    /// When there are two.
    pub comparison: Option<Comparison>,
}

/// Scores one system, or two, against gold.
///
/// # Errors
/// When a sentence cannot be read, or the files do not have the same text.
pub fn evaluate<'a, E>(
    options: &Options,
    gold: Source<'_, E>,
    first: Source<'a, E>,
    second: Option<Source<'a, E>>,
) -> Result<Evaluation, EvalError<E>> {
    let mut systems = vec![first];
    systems.extend(second);
    match options.metric {
        Metric::Eud => by_characters(options, gold, &mut systems),
        _ => in_step(options, gold, &mut systems),
    }
}

/// A file that is read.
type Source<'a, E> = &'a mut dyn Iterator<Item = Result<Sentence, E>>;

fn next<E>(source: &mut Source<'_, E>) -> Result<Option<Sentence>, EvalError<E>> {
    source.next().transpose().map_err(EvalError::Read)
}

fn in_step<E>(
    options: &Options,
    mut gold: Source<'_, E>,
    systems: &mut [Source<'_, E>],
) -> Result<Evaluation, EvalError<E>> {
    let compared = match options.metric {
        Metric::Tree => Compared::Words,
        _ => Compared::Nodes,
    };
    // Empty nodes that gold and system have put in different places can't be compared: as for ELAS, they are
    // folded into the labels of the arcs that pass through them.
    let read = |source: &mut Source<'_, E>| -> Result<Option<Sentence>, EvalError<E>> {
        let mut sentence = next(source)?;
        if compared == Compared::Nodes
            && let Some(sentence) = sentence.as_mut().filter(|sentence| sentence.has_empty_nodes())
        {
            pleach_graph::enhanced::collapse(sentence);
        }
        Ok(sentence)
    };
    let two = systems.len() > 1;
    let mut scores = vec![Scores::new(options); systems.len()];
    let mut units: Vec<Vec<Unit>> = Vec::new();
    let mut overlap = GraphScores::new();
    for number in 1.. {
        let gold = read(&mut gold)?;
        let mut sentences = Vec::with_capacity(systems.len());
        let mut deltas = Vec::with_capacity(systems.len());
        for (i, system) in systems.iter_mut().enumerate() {
            let mismatch = |error| EvalError::Mismatch { system: i, error };
            let sentence = read(system)?;
            let Some((gold, sentence)) =
                check_ends(number, gold.as_ref(), sentence.as_ref()).map_err(mismatch)?
            else {
                continue;
            };
            check_tokens(number, gold, sentence, compared).map_err(mismatch)?;
            let before = scores[i].compared();
            scores[i].add(gold, sentence).map_err(EvalError::NoTree)?;
            if two {
                let after = scores[i].compared().into_iter();
                deltas.push(after.zip(before).map(|(a, b)| a.1 - b.1).collect::<Vec<_>>());
                sentences.push(sentence.clone());
            }
        }
        if gold.is_none() {
            break;
        }
        if let ([first, second], [a, b]) = (&deltas[..], &sentences[..]) {
            units.resize(first.len(), Vec::new());
            for (units, (&first, &second)) in units.iter_mut().zip(first.iter().zip(second)) {
                units.push(Unit { first, second });
            }
            match options.metric {
                Metric::Tree => overlap.add(&a.tree().unwrap_or_default(), &b.tree().unwrap_or_default()),
                _ => overlap.add(&a.graph, &b.graph),
            }
        }
    }
    let comparison = two.then(|| {
        let names = scores[0].compared().into_iter().map(|(name, _)| name);
        let units = units.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
        Comparison {
            differences: names.zip(units).map(|(name, u)| (name, options.bootstrap.compare(u))).collect(),
            bootstrap: options.bootstrap,
            labelled_overlap: overlap.lf(),
            unlabelled_overlap: Some(overlap.uf()),
        }
    });
    Ok(Evaluation { metric: options.metric, systems: scores, comparison })
}

/// Reads gold sentence by sentence, and of each system as much text as gold has.
fn by_characters<E>(
    options: &Options,
    mut gold: Source<'_, E>,
    systems: &mut [Source<'_, E>],
) -> Result<Evaluation, EvalError<E>> {
    let two = systems.len() > 1;
    let mut scorers: Vec<UdScorer> = systems.iter().map(|_| UdScorer::new(two)).collect();
    // The second system against the first.
    let mut overlap = UdScorer::new(false);
    loop {
        let sentence = next(&mut gold)?;
        for (i, (system, scorer)) in systems.iter_mut().zip(&mut scorers).enumerate() {
            let failed = |error| EvalError::Ud { system: i, error };
            if let Some(sentence) = &sentence {
                scorer.push(File::Gold, sentence).map_err(failed)?;
            }
            // After the end of gold, whatever comes is too much.
            while sentence.is_none() || scorer.behind() == File::System {
                let Some(read) = next(system)? else { break };
                scorer.push(File::System, &read).map_err(failed)?;
                if two {
                    let file = if i == 0 { File::Gold } else { File::System };
                    overlap.push(file, &read).map_err(failed)?;
                }
                if sentence.is_none() {
                    break;
                }
            }
        }
        if sentence.is_none() {
            break;
        }
    }
    let mut scores: Vec<UdScores> = Vec::new();
    for (system, scorer) in scorers.into_iter().enumerate() {
        scores.push(scorer.finish().map_err(|error| EvalError::Ud { system, error })?);
    }
    let comparison = match &scores[..] {
        [first, second] => {
            let overlap = overlap.finish().map_err(|error| EvalError::Ud { system: 1, error })?;
            let measures = ud::COMPARED.into_iter().enumerate();
            let measures =
                measures.filter(|(_, measure)| first.get(*measure).and(second.get(*measure)).is_some());
            let differences = measures.map(|(place, measure)| {
                let units = first.units.iter().zip(&second.units);
                let units: Vec<Unit> =
                    units.map(|(a, b)| Unit { first: a[place], second: b[place] }).collect();
                (measure.name(), options.bootstrap.compare(&units))
            });
            Some(Comparison {
                differences: differences.collect(),
                bootstrap: options.bootstrap,
                labelled_overlap: overlap.get(Measure::Elas).map_or(0.0, |score| score.counts.f()),
                unlabelled_overlap: None,
            })
        }
        _ => None,
    };
    let systems = scores.into_iter().map(|scores| Scores::Ud(Box::new(scores))).collect();
    Ok(Evaluation { metric: options.metric, systems, comparison })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Details;
    use pleach_graph::{NodeId, Text};
    use std::convert::Infallible;

    fn sentence(forms: &[&str], heads: &[u32]) -> Sentence {
        let mut sentence = Sentence::from_forms(forms.iter().copied());
        for (token, &head) in sentence.tokens.iter_mut().zip(heads) {
            (token.head, token.deprel) = (Some(NodeId(head)), Text::from("x"));
        }
        sentence.graph = sentence.tree().unwrap();
        sentence
    }

    fn run(metric: Metric, files: [&[Sentence]; 3]) -> Result<Evaluation, EvalError<Infallible>> {
        let [mut gold, mut first, mut second] = files.map(|file| file.iter().cloned().map(Ok));
        evaluate(&Options::new(metric), &mut gold, &mut first, Some(&mut second))
    }

    #[test]
    fn all_metrics_compare_two_systems() {
        let gold = [sentence(&["a", "b", "c"], &[2, 0, 2]), sentence(&["d", "e"], &[0, 1])];
        let first = [sentence(&["a", "b", "c"], &[2, 0, 1]), sentence(&["d", "e"], &[0, 1])];
        let second = [sentence(&["a", "b", "c"], &[3, 0, 1]), sentence(&["d", "e"], &[2, 0])];
        for (metric, name) in
            [(Metric::Sdp, "LF"), (Metric::Semeval16, "UF"), (Metric::Eud, "ELAS"), (Metric::Tree, "LAS")]
        {
            let result = run(metric, [&gold, &first, &second]).unwrap();
            let comparison = result.comparison.as_ref().unwrap();
            let (_, difference) = comparison.differences.iter().find(|(found, _)| *found == name).unwrap();
            assert_eq!((difference.first, difference.second), (0.8, 0.2), "{metric}");
            // The systems share 0>b and 1>c.
            assert_eq!(comparison.labelled_overlap, 0.4, "{metric}");
            let report = result.report(Details::default());
            assert_eq!(report.json()["systems"].as_array().unwrap().len(), 2);
            assert!(report.to_string().contains("paired bootstrap"));
        }
    }

    #[test]
    fn empty_nodes_need_not_stand_in_the_same_place() {
        let with_empty_node = |after: usize| {
            let mut sentence = Sentence::from_forms(["a", "b", "c"]);
            let id = pleach_graph::TokenId { word: after as u32, empty: 1 };
            sentence.tokens.insert(after, pleach_graph::Token { id, ..Default::default() });
            sentence.graph = pleach_graph::Graph::new(4);
            let (empty, last) = (NodeId(after as u32 + 1), NodeId(4));
            sentence.graph.insert(NodeId(1), empty, Text::from("conj"));
            sentence.graph.insert(empty, last, Text::from("obj"));
            sentence
        };
        let (gold, system) = ([with_empty_node(1)], [with_empty_node(2)]);
        let result = run(Metric::Sdp, [&gold, &system, &gold]).unwrap();
        assert_eq!(result.comparison.unwrap().differences[0].1.first, 1.0);
    }

    #[test]
    fn the_system_that_does_not_fit_is_named() {
        let gold = [sentence(&["a", "b"], &[2, 0]), sentence(&["c"], &[0])];
        for metric in Metric::ALL {
            let error = run(metric, [&gold, &gold, &gold[..1]]).unwrap_err();
            let (EvalError::Mismatch { system, error }
            | EvalError::Ud { system, error: UdError::Mismatch(error) }) = error
            else {
                panic!("{error:?}");
            };
            assert_eq!(system, 1);
            assert!(matches!(error, Mismatch::SystemEnds { have: 1, .. }), "{error}");
            let error = run(metric, [&gold[..1], &gold, &gold]).unwrap_err();
            let (EvalError::Mismatch { system, error }
            | EvalError::Ud { system, error: UdError::Mismatch(error) }) = error
            else {
                panic!("{error:?}");
            };
            assert_eq!(system, 0);
            assert!(matches!(error, Mismatch::GoldEnds { have: 1, .. }), "{error}");
        }
    }
}
