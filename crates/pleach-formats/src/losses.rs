//! What a target format had no place for.

use crate::mrp::OWN_KEYS;
use pleach_graph::Sentence;
use std::collections::BTreeMap;
use std::fmt;

/// Keys of [`Sentence::extra`] with this prefix are notes of a reader to the writer of the same format, about
/// the layout of the file; no other format loses anything by leaving them out.
pub(crate) const NOTE: &str = "pleach:";

/// A kind of information that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// Empty nodes, with their arcs.
    EmptyNodes,
    /// Arcs of the deep graph.
    Arcs,
    /// Second and later labels on one ordered pair, where the target has one.
    SeveralLabels,
    /// Labels of arcs from the root other than the one the target implies.
    RootLabels,
    /// Basic trees (HEAD and DEPREL), counted by sentence.
    Trees,
    /// Bracketed trees.
    Phrases,
    /// Multiword tokens.
    Multiwords,
    /// Words of sentences whose target keeps only those that arcs mention.
    Forms,
    /// Lemmas.
    Lemmas,
    /// Coarse tags (UPOS).
    CoarseTags,
    /// Fine tags (XPOS).
    FineTags,
    /// Morphological features.
    Features,
    /// MISC columns.
    Misc,
    /// Frames, senses and categories.
    Frames,
    /// Marks of predicates without arguments.
    PredicateMarks,
    /// Character anchors.
    Anchors,
    /// Comment lines other than the id.
    Comments,
    /// Sentence ids.
    Ids,
    /// Columns that only the source format knows.
    ExtraColumns,
    /// JSON attributes that only the source format knows.
    Attributes,
}

impl Loss {
    /// The name in JSON and, with its plural, in messages.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Loss::EmptyNodes => ("empty node", "empty nodes"),
            Loss::Arcs => ("arc of the graph", "arcs of the graph"),
            Loss::SeveralLabels => ("further label on a pair", "further labels on a pair"),
            Loss::RootLabels => ("label of a root arc", "labels of root arcs"),
            Loss::Trees => ("basic tree", "basic trees"),
            Loss::Phrases => ("bracketed tree", "bracketed trees"),
            Loss::Multiwords => ("multiword token", "multiword tokens"),
            Loss::Forms => ("word without arcs", "words without arcs"),
            Loss::Lemmas => ("lemma", "lemmas"),
            Loss::CoarseTags => ("coarse tag", "coarse tags"),
            Loss::FineTags => ("fine tag", "fine tags"),
            Loss::Features => ("feature column", "feature columns"),
            Loss::Misc => ("MISC column", "MISC columns"),
            Loss::Frames => ("frame", "frames"),
            Loss::PredicateMarks => {
                ("mark of a predicate without arguments", "marks of predicates without arguments")
            }
            Loss::Anchors => ("character anchor", "character anchors"),
            Loss::Comments => ("comment", "comments"),
            Loss::Ids => ("sentence id", "sentence ids"),
            Loss::ExtraColumns => ("extra column", "extra columns"),
            Loss::Attributes => ("JSON attribute", "JSON attributes"),
        }
    }

    /// The kind's name, in the plural.
    pub fn name(self) -> &'static str {
        self.names().1
    }
}

/// Counts of what was left out; empty when everything found its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(BTreeMap<Loss, u64>);

impl Losses {
    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How much of one kind was lost.
    pub fn count(&self, loss: Loss) -> u64 {
        self.0.get(&loss).copied().unwrap_or(0)
    }

    /// All kinds of which something was lost.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64)> {
        self.0.iter().map(|(&loss, &count)| (loss, count))
    }

    /// Counts `count` losses of a kind.
    pub fn add(&mut self, loss: Loss, count: u64) {
        if count > 0 {
            *self.0.entry(loss).or_insert(0) += count;
        }
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Losses) {
        other.iter().for_each(|(loss, count)| self.add(loss, count));
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (loss, count)) in self.iter().enumerate() {
            let (one, many) = loss.names();
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{count} {}", if count == 1 { one } else { many })?;
        }
        Ok(())
    }
}

/// Which comments a format keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    /// None at all.
    None,
    /// The sentence's id.
    Id,
    /// The id and the raw text.
    IdAndText,
    /// All of them.
    All,
}

/// What a format has a place for. Arcs, their labels and empty nodes are for the writers to count, since
/// each has its own way with them.
#[derive(Clone, Copy)]
pub struct Carries {
    /// Which comments.
    pub comments: Comments,
    /// Multiword tokens.
    pub multiwords: bool,
    /// Basic trees.
    pub tree: bool,
    /// Bracketed trees.
    pub phrase: bool,
    /// Lemmas.
    pub lemma: bool,
    /// Coarse tags.
    pub upos: bool,
    /// Fine tags.
    pub xpos: bool,
    /// Morphological features.
    pub feats: bool,
    /// MISC columns.
    pub misc: bool,
    /// Frames, senses and categories.
    pub frame: bool,
    /// Marks of predicates, arguments or not.
    pub predicate: bool,
    /// Character anchors.
    pub anchor: bool,
    /// How many of the last columns of [`Token::extra`](pleach_graph::Token::extra) have a place.
    pub extra: usize,
    /// JSON attributes of the source.
    pub attributes: bool,
}

impl Carries {
    /// Words and arcs only.
    pub const NOTHING: Carries = Carries {
        comments: Comments::None,
        multiwords: false,
        tree: false,
        phrase: false,
        lemma: false,
        upos: false,
        xpos: false,
        feats: false,
        misc: false,
        frame: false,
        predicate: false,
        anchor: false,
        extra: 0,
        attributes: false,
    };

    /// Counts what of the sentence has no place.
    pub fn count(&self, sentence: &Sentence, losses: &mut Losses) {
        if !sentence.comments.is_empty() && self.comments != Comments::All {
            // Each key has room for one value; what comes second has none.
            let (mut id, mut text) = (self.comments != Comments::None, self.comments == Comments::IdAndText);
            for line in &sentence.comments {
                let (room, loss) = match comment_key(line) {
                    Some("sent_id") => (std::mem::take(&mut id), Loss::Ids),
                    Some("text") => (std::mem::take(&mut text), Loss::Comments),
                    _ => (false, Loss::Comments),
                };
                losses.add(loss, u64::from(!room));
            }
        }
        if !self.multiwords {
            losses.add(Loss::Multiwords, sentence.multiwords.len() as u64);
        }
        if !self.phrase && sentence.phrase.is_some() {
            losses.add(Loss::Phrases, 1);
        }
        if !self.attributes && !sentence.extra.is_empty() {
            let own = |key: &&String| key.starts_with(NOTE) || OWN_KEYS.contains(&key.as_str());
            let lost = sentence.extra.keys().filter(|key| !own(key)).count();
            losses.add(Loss::Attributes, lost as u64);
        }
        let mut counts = [0_u64; 9];
        let mut tree = false;
        let mut has_arguments = Vec::new();
        if !self.predicate && sentence.tokens.iter().any(|token| token.predicate) {
            has_arguments.resize(sentence.len() + 1, false);
            sentence.graph.arcs().iter().for_each(|arc| has_arguments[arc.head.index()] = true);
        }
        for (i, token) in sentence.tokens.iter().enumerate() {
            tree |= token.head.is_some();
            counts[0] += u64::from(!self.lemma && !token.lemma.is_empty());
            // A format with one column for tags takes the coarse one where there is no fine one.
            let only_tag = self.xpos && token.xpos.is_empty();
            counts[1] += u64::from(!self.upos && !token.upos.is_empty() && !only_tag);
            counts[2] += u64::from(!self.xpos && !token.xpos.is_empty());
            counts[3] += u64::from(!self.feats && !token.feats.is_empty());
            counts[4] += u64::from(!self.misc && !token.misc.is_empty());
            counts[5] += u64::from(!self.frame && !token.frame.is_empty());
            counts[6] += u64::from(!self.anchor && token.anchor.is_some());
            counts[7] +=
                token.extra.iter().rev().skip(self.extra).filter(|column| !column.is_empty()).count() as u64;
            let without = || has_arguments.get(i + 1) == Some(&false);
            counts[8] += u64::from(!self.predicate && token.predicate && without());
        }
        let kinds = [
            Loss::Lemmas,
            Loss::CoarseTags,
            Loss::FineTags,
            Loss::Features,
            Loss::Misc,
            Loss::Frames,
            Loss::Anchors,
            Loss::ExtraColumns,
            Loss::PredicateMarks,
        ];
        for (kind, count) in kinds.into_iter().zip(counts) {
            losses.add(kind, count);
        }
        losses.add(Loss::Trees, u64::from(tree && !self.tree));
    }
}

/// The key of a comment `# key = value`.
pub(crate) fn comment_key(line: &str) -> Option<&str> {
    line.trim_start_matches('#').split_once('=').map(|(key, _)| key.trim())
}
