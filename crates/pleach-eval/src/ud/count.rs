//! Counting what is right in a stretch of two files whose words are aligned.

use super::side::{Head, Side, SurfaceToken, Word};
use super::{COMPARED, Measure, UdScores};
use crate::ArcCounts;
use pleach_graph::Text;
use std::borrow::Cow;

/// Adds a stretch to the scores.
pub(super) fn count(
    scores: &mut UdScores,
    gold: &Side,
    system: &Side,
    pairs: &[(usize, usize)],
    keep_units: bool,
) {
    let token = |token: &SurfaceToken| (token.start, token.end);
    let tokens = same_spans(gold.tokens.iter().map(token), system.tokens.iter().map(token));
    scores.at(Measure::Tokens).counts += tokens;
    let sentences = same_spans(
        gold.sentences.iter().map(|sentence| (sentence.start, sentence.end)),
        system.sentences.iter().map(|sentence| (sentence.start, sentence.end)),
    );
    scores.at(Measure::Sentences).counts += sentences;

    let mut gold_of = vec![None; system.words.len()];
    for &(g, s) in pairs {
        gold_of[s] = Some(g);
    }
    let no_head = |side: &Side| side.words.iter().any(|word| word.head == Head::Missing);
    scores.without_tree |= no_head(gold) || no_head(system);

    let content = |words: &[Word]| words.iter().filter(|word| word.is_content()).count() as u64;
    let deps = |words: &[Word]| words.iter().map(|word| word.deps.len() as u64).sum::<u64>();
    let aligned_content = pairs.iter().filter(|&&(g, _)| gold.words[g].is_content()).count() as u64;
    for measure in &Measure::ALL[Measure::Words as usize..] {
        let score = scores.at(*measure);
        let (gold_total, system_total, aligned) = match measure {
            Measure::Clas | Measure::Mlas | Measure::Blex => {
                (content(&gold.words), content(&system.words), Some(aligned_content))
            }
            Measure::Elas | Measure::Eulas => (deps(&gold.words), deps(&system.words), None),
            Measure::Words => (gold.words.len() as u64, system.words.len() as u64, None),
            _ => (gold.words.len() as u64, system.words.len() as u64, Some(pairs.len() as u64)),
        };
        score.counts.gold += gold_total;
        score.counts.system += system_total;
        if let Some(aligned) = aligned {
            *score.aligned.get_or_insert(0) += aligned;
        }
    }

    let mut units = keep_units.then(|| Units::new(gold, system));
    let comparer = Comparer { gold: &gold.words, system: &system.words, gold_of: &gold_of };
    for &(g, s) in pairs {
        for measure in &Measure::ALL[Measure::Words as usize..] {
            let right = comparer.right(*measure, g, s);
            scores.at(*measure).counts.correct += right;
            if let Some(units) = &mut units
                && let Some(place) = COMPARED.iter().position(|compared| compared == measure)
            {
                units.of(gold.words[g].start)[place].correct += right;
            }
        }
    }
    if let Some(units) = units {
        scores.units.extend(units.units);
    }
}

/// Spans that start and end alike; both lists are in order.
fn same_spans(
    gold: impl ExactSizeIterator<Item = (u64, u64)>,
    system: impl ExactSizeIterator<Item = (u64, u64)>,
) -> ArcCounts {
    let mut counts = ArcCounts { gold: gold.len() as u64, system: system.len() as u64, correct: 0 };
    let (mut gold, mut system) = (gold.peekable(), system.peekable());
    while let (Some(&g), Some(&s)) = (gold.peek(), system.peek()) {
        counts.correct += u64::from(g == s);
        if g.0 <= s.0 {
            gold.next();
        }
        if s.0 <= g.0 {
            system.next();
        }
    }
    counts
}

struct Comparer<'a> {
    gold: &'a [Word],
    system: &'a [Word],
    gold_of: &'a [Option<usize>],
}

impl Comparer<'_> {
    /// How much is right about two words that are the same: 0 or 1, or a number of arcs.
    fn right(&self, measure: Measure, g: usize, s: usize) -> u64 {
        let (gold, system) = (&self.gold[g], &self.system[s]);
        let head = || self.translate(system.head) == Some(gold.head);
        let las = || gold.deprel == system.deprel && head();
        let tags = || gold.upos == system.upos && gold.feats == system.feats;
        let lemma = || gold.lemma.is_empty() || gold.lemma == system.lemma;
        let right = match measure {
            Measure::Tokens | Measure::Sentences => false,
            Measure::Words => true,
            Measure::Upos => gold.upos == system.upos,
            Measure::Xpos => gold.xpos == system.xpos,
            Measure::Ufeats => gold.feats == system.feats,
            Measure::AllTags => tags() && gold.xpos == system.xpos,
            Measure::Lemmas => lemma(),
            Measure::Uas => head(),
            Measure::Las => las(),
            Measure::Elas => return self.arcs(gold, system, |label| Cow::Borrowed(label)),
            Measure::Eulas => return self.arcs(gold, system, without_subtypes),
            Measure::Clas => gold.is_content() && las(),
            Measure::Mlas => gold.is_content() && las() && tags() && self.function_words(gold, system),
            Measure::Blex => gold.is_content() && las() && lemma(),
        };
        u64::from(right)
    }

    /// A head in the system's file as a head in gold; `None` when no gold word is the same.
    fn translate(&self, head: Head) -> Option<Head> {
        match head {
            Head::Missing => None,
            Head::Root => Some(Head::Root),
            Head::Word(word) => self.gold_of[word].map(Head::Word),
        }
    }

    fn function_words(&self, gold: &Word, system: &Word) -> bool {
        let same = |(&g, &s): (&usize, &usize)| {
            let (gold, system) = (&self.gold[g], &self.system[s]);
            self.gold_of[s] == Some(g)
                && (&gold.deprel, &gold.upos, &gold.feats) == (&system.deprel, &system.upos, &system.feats)
        };
        gold.function_words.len() == system.function_words.len()
            && gold.function_words.iter().zip(&system.function_words).all(same)
    }

    /// The number of (gold, system) arcs with the same head and label.
    fn arcs<'b>(&self, gold: &'b Word, system: &'b Word, label: impl Fn(&'b Text) -> Cow<'b, str>) -> u64 {
        let mut gold: Vec<_> = gold.deps.iter().map(|(head, l)| (*head, label(l))).collect();
        let system = system.deps.iter().filter_map(|(head, l)| Some((self.translate(*head)?, label(l))));
        let mut system: Vec<_> = system.collect();
        gold.sort_unstable();
        system.sort_unstable();
        let mut right = 0;
        let mut rest = &system[..];
        for group in gold.chunk_by(|a, b| a == b) {
            rest = &rest[rest.partition_point(|arc| *arc < group[0])..];
            let fitting = rest.partition_point(|arc| *arc == group[0]);
            right += (group.len() * fitting) as u64;
        }
        right
    }
}

/// A label with the subtypes of all its steps cut off.
fn without_subtypes(label: &Text) -> Cow<'_, str> {
    if !label.contains(':') {
        return Cow::Borrowed(label);
    }
    let steps: Vec<&str> = label.split('>').map(crate::tree::universal).collect();
    Cow::Owned(steps.join(">"))
}

/// The counts of each gold sentence; a system word belongs to the gold sentence in which it starts.
struct Units<'a> {
    gold: &'a Side,
    units: Vec<[ArcCounts; COMPARED.len()]>,
}

impl<'a> Units<'a> {
    fn new(gold: &'a Side, system: &Side) -> Self {
        let mut units = Units { gold, units: vec![Default::default(); gold.sentences.len()] };
        let size = |word: &Word, measure| match measure {
            Measure::Elas | Measure::Eulas => word.deps.len() as u64,
            _ => 1,
        };
        for word in &gold.words {
            for (counts, measure) in units.of(word.start).iter_mut().zip(COMPARED) {
                counts.gold += size(word, measure);
            }
        }
        for word in &system.words {
            for (counts, measure) in units.of(word.start).iter_mut().zip(COMPARED) {
                counts.system += size(word, measure);
            }
        }
        units
    }

    fn of(&mut self, offset: u64) -> &mut [ArcCounts; COMPARED.len()] {
        let at = self.gold.sentences.partition_point(|sentence| sentence.end <= offset);
        &mut self.units[at]
    }
}
