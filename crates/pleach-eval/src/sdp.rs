//! The scores of the SDP shared tasks: SemEval-2014 Task 8 (Oepen et al. 2014) and SemEval-2015 Task 18
//! (Oepen et al. 2015), as the toolkit's `Scorer` computes them.
//!
//! Graphs with tops; linear in the number of arcs. Beside the arcs there are two predicate-wise scores over
//! the verbs that are predicates: a *complete predication* is right when all its arguments are, a *semantic
//! frame* when its sense is right too. Each file's own tags say which predicates are verbs.

use crate::ArcCounts;
use crate::graph::{Breakdown, GraphScores};
use crate::punctuation::is_sdp_punctuation;
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Token};
use std::borrow::Cow;

/// Which labels are core arguments, and so belong to a predication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arguments {
    /// All labels; also right for DM.
    #[default]
    All,
    /// The arguments of verbs, adjectives, prepositions and coordinations of PAS.
    Pas,
    /// The labels of PSD that end in `-arg`.
    Psd,
}

impl Arguments {
    /// Whether a label is a core argument.
    pub fn contain(self, label: &str) -> bool {
        match self {
            Arguments::All => true,
            Arguments::Pas => PAS_ARGUMENTS.contains(&label),
            Arguments::Psd => label.ends_with("-arg"),
        }
    }
}

const PAS_ARGUMENTS: [&str; 17] = [
    "adj_arg1",
    "adj_arg12",
    "adj_mod_arg1",
    "adj_mod_arg12",
    "coord_arg12",
    "prep_arg12",
    "prep_arg123",
    "prep_mod_arg12",
    "prep_mod_arg123",
    "verb_arg1",
    "verb_arg12",
    "verb_arg123",
    "verb_arg1234",
    "verb_mod_arg1",
    "verb_mod_arg12",
    "verb_mod_arg123",
    "verb_mod_arg1234",
];

/// What to score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SdpOptions {
    /// Leaves out arcs that start or end in punctuation (`.`, `,`, `:`, `(`, `)` by tag).
    pub exclude_punctuation: bool,
    /// The labels that make up predications.
    pub arguments: Arguments,
}

/// The scores of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SdpScores {
    options: SdpOptions,
    /// Tokens seen.
    pub tokens: u64,
    /// Arcs and exact matches.
    pub arcs: GraphScores,
    /// Groups of arcs.
    pub breakdown: Breakdown,
    /// Predicates with all their arguments right.
    pub predications: ArcCounts,
    /// Predicates with their sense and all their arguments right.
    pub frames: ArcCounts,
}

impl SdpScores {
    /// No sentences yet.
    pub fn new(options: SdpOptions) -> Self {
        SdpScores { options, ..Self::default() }
    }

    /// Counts one sentence with the same tokens in gold and in the system's output.
    pub fn add(&mut self, gold: &Sentence, system: &Sentence) {
        self.tokens += gold.len() as u64;
        let (gold_graph, system_graph) = (self.scored(gold), self.scored(system));
        self.arcs.add(&gold_graph, &system_graph);
        self.breakdown.add(&gold_graph, &system_graph);
        let (gold, system) = (frames(gold, self.options.arguments), frames(system, self.options.arguments));
        for node in 0..gold.len().max(system.len()) {
            let gold = gold.get(node).and_then(Option::as_ref);
            let system = system.get(node).and_then(Option::as_ref);
            count(&mut self.predications, gold, system, |a, b| a.arguments == b.arguments);
            count(&mut self.frames, gold, system, |a, b| a == b);
        }
    }

    /// The graph without the arcs that are left out.
    fn scored<'a>(&self, sentence: &'a Sentence) -> Cow<'a, Graph> {
        if !self.options.exclude_punctuation {
            return Cow::Borrowed(&sentence.graph);
        }
        let punctuation = |node: NodeId| sentence.token(node).is_some_and(is_sdp_punctuation);
        let mut graph = sentence.graph.clone();
        graph.retain(|arc| !punctuation(arc.head) && !punctuation(arc.dependent));
        Cow::Owned(graph)
    }

    /// Adds what another scorer has counted.
    pub fn merge(&mut self, other: &SdpScores) {
        self.tokens += other.tokens;
        self.arcs.merge(&other.arcs);
        self.breakdown.merge(&other.breakdown);
        self.predications += other.predications;
        self.frames += other.frames;
    }
}

/// A verb with its sense and its core arguments, in order.
#[derive(PartialEq)]
struct Frame<'a> {
    sense: &'a Text,
    arguments: Vec<(NodeId, &'a Text)>,
}

/// The frame of each token that is a scorable predicate.
fn frames(sentence: &Sentence, arguments: Arguments) -> Vec<Option<Frame<'_>>> {
    let scorable = |token: &Token| token.predicate && token.tag().starts_with('V');
    let mut frames: Vec<_> = sentence
        .tokens
        .iter()
        .map(|token| scorable(token).then(|| Frame { sense: &token.frame, arguments: Vec::new() }))
        .collect();
    for Arc { head, dependent, label } in sentence.graph.arcs() {
        if let Some(frame) = frames.get_mut(head.index().wrapping_sub(1)).and_then(Option::as_mut)
            && arguments.contain(label)
        {
            frame.arguments.push((*dependent, label));
        }
    }
    frames
}

fn count<'a>(
    counts: &mut ArcCounts,
    gold: Option<&Frame<'a>>,
    system: Option<&Frame<'a>>,
    same: impl Fn(&Frame<'a>, &Frame<'a>) -> bool,
) {
    counts.gold += u64::from(gold.is_some());
    counts.system += u64::from(system.is_some());
    counts.correct += u64::from(gold.zip(system).is_some_and(|(gold, system)| same(gold, system)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens as (form, tag, is a predicate, sense).
    fn sentence(tokens: &[(&str, &str, bool, &str)], arcs: &[(u32, u32, &str)]) -> Sentence {
        let mut sentence = Sentence::from_forms(tokens.iter().map(|token| token.0));
        for (token, &(_, tag, predicate, sense)) in sentence.tokens.iter_mut().zip(tokens) {
            (token.xpos, token.predicate, token.frame) = (tag.into(), predicate, sense.into());
        }
        for &(head, dependent, label) in arcs {
            sentence.graph.insert(NodeId(head), NodeId(dependent), Text::from(label));
        }
        sentence
    }

    const GOLD: [(&str, &str, bool, &str); 6] = [
        ("He", "PRP", false, ""),
        ("tried", "VBD", true, "try:1"),
        ("to", "TO", false, ""),
        ("sing", "VB", true, "sing:1"),
        ("songs", "NNS", true, "song:1"),
        (".", ".", false, ""),
    ];
    const GOLD_ARCS: [(u32, u32, &str); 5] =
        [(0, 2, "root"), (2, 1, "ACT-arg"), (2, 4, "PAT-arg"), (4, 1, "ACT-arg"), (4, 5, "MANN")];

    fn counts(gold: u64, system: u64, correct: u64) -> ArcCounts {
        ArcCounts { gold, system, correct }
    }

    #[test]
    fn predications_and_frames_by_hand() {
        let mut tokens = GOLD;
        tokens[1].3 = "try:2";
        // Also a verb of its own, and another label where the noun is not an argument of PSD.
        tokens[2] = ("to", "VB", true, "");
        let mut arcs = GOLD_ARCS;
        arcs[4].2 = "LOC";
        let (gold, system) = (sentence(&GOLD, &GOLD_ARCS), sentence(&tokens, &arcs));
        let mut all = SdpScores::new(SdpOptions::default());
        all.add(&gold, &system);
        // Verbs of gold: 2 and 4; of the system: 2, 3 and 4. Complete: 2; its sense is wrong.
        assert_eq!(all.predications, counts(2, 3, 1));
        assert_eq!(all.frames, counts(2, 3, 0));
        let mut psd = SdpScores::new(SdpOptions { arguments: Arguments::Psd, ..SdpOptions::default() });
        psd.add(&gold, &system);
        assert_eq!(psd.predications, counts(2, 3, 2));
        assert_eq!(psd.frames, counts(2, 3, 1));
        assert_eq!(psd.arcs.labelled(), counts(5, 5, 4));
        let mut both = all.clone();
        both.merge(&all);
        all.add(&gold, &system);
        assert_eq!(both, all);
    }

    #[test]
    fn punctuation_goes_by_its_tag() {
        let mut arcs = GOLD_ARCS.to_vec();
        arcs.extend([(0, 6, "root"), (6, 5, "x"), (5, 6, "x")]);
        let (gold, system) = (sentence(&GOLD, &GOLD_ARCS), sentence(&GOLD, &arcs));
        let mut scores = SdpScores::new(SdpOptions { exclude_punctuation: true, ..SdpOptions::default() });
        scores.add(&gold, &system);
        assert_eq!(scores.arcs.labelled(), counts(5, 5, 5));
        let mut scores = SdpScores::new(SdpOptions::default());
        scores.add(&gold, &system);
        assert_eq!(scores.arcs.labelled(), counts(5, 8, 5));
    }

    #[test]
    fn core_arguments() {
        assert!(Arguments::Pas.contain("verb_mod_arg123") && !Arguments::Pas.contain("noun_arg1"));
        assert!(Arguments::Psd.contain("PAT-arg") && !Arguments::Psd.contain("MANN"));
        assert!(Arguments::All.contain("loc"));
    }
}
