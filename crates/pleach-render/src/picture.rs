//! What is drawn: words, links between them and brackets over them, free of any geometry.
//!
//! A picture shows one link for each ordered pair of words; several labels of one pair stand on the same
//! link. The root is no word: links from it are drawn as marks on their dependents.

use crate::text;
use pleach_graph::{Graph, NodeId, Sentence, Text};

/// The longest form, label or tag that is shown in full, in terminal cells.
const LONGEST: i32 = 48;

/// The longest line of text that is shown in full, in terminal cells.
const LONGEST_TEXT: i32 = 4000;

/// How gold and system relate, in a comparison; everything is `Same` in the picture of one sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// In both, or nothing is compared.
    #[default]
    Same,
    /// Only in the gold standard.
    Missing,
    /// Only in the system's output.
    Spurious,
    /// The two words are linked in both, with different labels.
    Relabelled,
}

/// A word or an empty node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The number in the file (`8`, `8.1`).
    pub id: String,
    /// The form, safe to be shown.
    pub form: String,
    /// The lemma, for searching.
    pub lemma: String,
    /// The part of speech: the coarse one, else the fine one.
    pub tag: String,
    /// Whether this is an empty node.
    pub empty: bool,
    /// Whether the word itself stands in another line of a wrapped picture, and this is a reference to it.
    pub away: bool,
    /// Whether gold and system both have it (only empty nodes may differ).
    pub mark: Mark,
}

/// One label of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The relation, safe to be shown.
    pub text: String,
    /// Who has it.
    pub mark: Mark,
}

/// All arcs of one ordered pair of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The governor; the root for tops.
    pub head: NodeId,
    /// The dependent.
    pub dependent: NodeId,
    /// The labels, at least one.
    pub labels: Vec<Label>,
    /// Who has the link.
    pub mark: Mark,
}

impl Link {
    /// The labels as they are shown: `nsubj, obj`; in a comparison `−nsubj, +obj`, so that nothing depends
    /// on colour alone.
    pub fn caption(&self) -> String {
        let mut caption = String::new();
        for label in &self.labels {
            if !caption.is_empty() {
                caption.push_str(", ");
            }
            caption.push_str(match label.mark {
                Mark::Missing => "−",
                Mark::Spurious => "+",
                Mark::Same | Mark::Relabelled => "",
            });
            caption.push_str(&label.text);
        }
        text::clip(&caption, LONGEST)
    }
}

/// A multiword token over neighbouring words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// The first word.
    pub first: NodeId,
    /// The last word.
    pub last: NodeId,
    /// The surface form.
    pub form: String,
}

/// Which arcs of a sentence are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// The deep graph, or the basic tree when there is none.
    #[default]
    Auto,
    /// The deep graph.
    Graph,
    /// The basic tree: HEAD and DEPREL.
    Tree,
}

/// A sentence as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The sentence's name in its file.
    pub name: Option<String>,
    /// The raw text, when the file gives it.
    pub text: Option<String>,
    /// The words in reading order; the word of node `i` is `words[i - 1]`.
    pub words: Vec<Word>,
    /// The links, sorted by dependent and head.
    pub links: Vec<Link>,
    /// The multiword tokens.
    pub brackets: Vec<Bracket>,
    /// Whether the words run from right to left.
    pub right_to_left: bool,
}

impl Picture {
    /// The picture of one sentence.
    pub fn new(sentence: &Sentence, basis: Basis) -> Picture {
        let graph = arcs(sentence, basis);
        let words: Vec<Word> = sentence.tokens.iter().map(word).collect();
        let mut links: Vec<Link> = Vec::new();
        for arc in graph.arcs() {
            let label = Label { text: shown(&arc.label), mark: Mark::Same };
            match links.last_mut() {
                Some(link) if (link.head, link.dependent) == (arc.head, arc.dependent) => {
                    link.labels.push(label)
                }
                _ => links.push(Link {
                    head: arc.head,
                    dependent: arc.dependent,
                    labels: vec![label],
                    mark: Mark::Same,
                }),
            }
        }
        let place = |id: u32| sentence.node(pleach_graph::TokenId::word(id)).filter(|node| !node.is_root());
        let brackets = sentence
            .multiwords
            .iter()
            .filter_map(|m| {
                let (first, last) = (place(m.first)?, place(m.last)?);
                (first <= last).then(|| Bracket { first, last, form: shown(&m.form) })
            })
            .collect();
        Picture {
            name: sentence.sent_id().map(|id| text::clip(&text::visible(id), 200)),
            text: sentence.text().map(|text| text::clip(&text::visible(text), LONGEST_TEXT)),
            right_to_left: text::right_to_left(words.iter().map(|word| word.form.as_str())),
            words,
            links,
            brackets,
        }
    }

    /// Whether gold and system differ anywhere; false for the picture of one sentence.
    pub fn differs(&self) -> bool {
        self.links.iter().any(|link| link.mark != Mark::Same)
            || self.words.iter().any(|word| word.mark != Mark::Same)
    }

    /// The sentence as a line of text, for titles and for readers that can't see.
    pub fn line(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        let forms: Vec<&str> =
            self.words.iter().filter(|word| !word.empty).map(|word| word.form.as_str()).collect();
        forms.join(" ")
    }
}

/// The arcs that are drawn: the deep graph or the basic tree.
pub(crate) fn arcs(sentence: &Sentence, basis: Basis) -> Graph {
    if basis == Basis::Graph || (basis == Basis::Auto && !sentence.graph.is_empty()) {
        return sentence.graph.clone();
    }
    // Partial trees are drawn too, so `Sentence::tree` won't do.
    let mut tree = Graph::new(sentence.len());
    let mut arcs = Vec::new();
    for (node, token) in tree.tokens().zip(&sentence.tokens) {
        if let Some(head) = token.head.filter(|head| head.index() <= sentence.len()) {
            arcs.push(pleach_graph::Arc { head, dependent: node, label: token.deprel.clone() });
        }
    }
    if !arcs.is_empty() {
        tree = Graph::from_arcs(sentence.len(), arcs);
    }
    tree
}

/// A token as a word of the picture.
pub(crate) fn word(token: &pleach_graph::Token) -> Word {
    let empty = token.id.is_empty_node();
    let id = token.id.to_string();
    let form = match token.form.as_str() {
        "" | "_" if empty => id.clone(),
        _ => shown(&token.form),
    };
    let tag = if token.upos.is_empty() { &token.xpos } else { &token.upos };
    Word { id, form, lemma: shown(&token.lemma), tag: shown(tag), empty, away: false, mark: Mark::Same }
}

/// Text that is safe to be shown and not too long.
pub(crate) fn shown(text: &Text) -> String {
    text::clip(&text::visible(text), LONGEST)
}
