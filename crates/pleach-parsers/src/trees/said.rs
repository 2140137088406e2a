//! What an arc of a pseudo tree says of the graph (`zhang-2016` section 4, `sun-2019` section 4.2), and its name.
//!
//! `X` is an arc of the graph, `X~R` an arc of the graph the other way round, `X~Y~R` both, `None` no arc at all. Several
//! labels of one arc are joined by `&`. Names are for files and for the labels of tree models; a `\` before a character
//! that means something (`& ~ # \`, the first one of a label `None` or `_`) takes the meaning from it.
//!
//! Invariant: the name of anything that is said gives exactly that back, whatever the labels are.

use pleach_graph::{Arc, Graph, NodeId, Text};

/// Behind the label of an arc that goes the other way in the graph.
const REVERSED: &str = "~R";
/// The name of a tree arc that is none in the graph.
const UNLINKED: &str = "None";
/// Between the labels of one arc.
const JOINED: char = '&';
/// Between the labels along a tree arc and those against it.
const BOTH: char = '~';
/// Takes the meaning from the next character.
const ESCAPE: char = '\\';

/// What a tree arc says: which arcs of the graph it stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Said {
    /// The graph has no arc there.
    #[default]
    Nothing,
    /// The graph has an arc like the tree's, with these labels.
    Along(Vec<Text>),
    /// The graph has an arc the other way round, with these labels.
    Against(Vec<Text>),
    /// The graph has both: the labels of the one like the tree's, and those of the other one.
    Both(Vec<Text>, Vec<Text>),
}

impl Said {
    /// With the labels along a tree arc and those against it; without any there is no arc.
    pub fn new(along: Vec<Text>, against: Vec<Text>) -> Self {
        match (along.is_empty(), against.is_empty()) {
            (true, true) => Said::Nothing,
            (false, true) => Said::Along(along),
            (true, false) => Said::Against(against),
            (false, false) => Said::Both(along, against),
        }
    }

    /// What is between two nodes of a graph, as said by a tree arc from `head` to `dependent`.
    pub fn of(graph: &Graph, head: NodeId, dependent: NodeId) -> Self {
        let labels = |head: NodeId, dependent: NodeId| graph.labels(head, dependent).cloned().collect();
        let against = if head.is_root() { Vec::new() } else { labels(dependent, head) };
        Said::new(labels(head, dependent), against)
    }

    /// Whether it says nothing.
    pub fn is_nothing(&self) -> bool {
        *self == Said::Nothing
    }

    /// The labels along the tree arc.
    pub fn along(&self) -> &[Text] {
        match self {
            Said::Along(labels) | Said::Both(labels, _) => labels,
            Said::Nothing | Said::Against(_) => &[],
        }
    }

    /// The labels against it.
    pub fn against(&self) -> &[Text] {
        match self {
            Said::Against(labels) | Said::Both(_, labels) => labels,
            Said::Nothing | Said::Along(_) => &[],
        }
    }

    /// The same as seen from the other end.
    pub fn turned(self) -> Self {
        match self {
            Said::Nothing => Said::Nothing,
            Said::Along(labels) => Said::Against(labels),
            Said::Against(labels) => Said::Along(labels),
            Said::Both(along, against) => Said::Both(against, along),
        }
    }

    /// The arcs that it stands for, when said by a tree arc from `head` to `dependent`; nothing can point at the root.
    pub fn arcs(&self, head: NodeId, dependent: NodeId) -> impl Iterator<Item = Arc> + '_ {
        let arc = |head: NodeId, dependent: NodeId| {
            move |label: &Text| Arc { head, dependent, label: label.clone() }
        };
        let against = if head.is_root() { &[] } else { self.against() };
        self.along().iter().map(arc(head, dependent)).chain(against.iter().map(arc(dependent, head)))
    }

    /// Its name.
    pub fn name(&self) -> Text {
        let mut name = Text::default();
        match self {
            Said::Nothing => name.push_str(UNLINKED),
            Said::Along(labels) => {
                // CoNLL-U would read a lone line as nothing.
                if let [label] = &labels[..]
                    && (label == UNLINKED || label == "_")
                {
                    name.push(ESCAPE);
                }
                join(labels, &mut name);
            }
            Said::Against(labels) => {
                join(labels, &mut name);
                name.push_str(REVERSED);
            }
            Said::Both(along, against) => {
                join(along, &mut name);
                name.push(BOTH);
                join(against, &mut name);
                name.push_str(REVERSED);
            }
        }
        name
    }

    /// What a name says. Every text is a name: a character that means nothing where it stands is itself.
    pub fn parse(name: &str) -> Self {
        if name == UNLINKED {
            return Said::Nothing;
        }
        let reversed =
            name.strip_suffix(REVERSED).filter(|rest| places(name, BOTH).last() == Some(rest.len()));
        let Some(labels) = reversed else { return Said::Along(split(name)) };
        match places(labels, BOTH).next() {
            Some(place) => Said::Both(split(&labels[..place]), split(&labels[place + 1..])),
            None => Said::Against(split(labels)),
        }
    }
}

/// The places of a one-byte character where it has its meaning.
pub(crate) fn places(name: &str, meaning: char) -> impl Iterator<Item = usize> + '_ {
    let mut escaped = false;
    name.char_indices().filter_map(move |(place, c)| {
        let plain = !escaped;
        escaped = plain && c == ESCAPE;
        (plain && c == meaning).then_some(place)
    })
}

fn join(labels: &[Text], name: &mut Text) {
    for (number, label) in labels.iter().enumerate() {
        if number > 0 {
            name.push(JOINED);
        }
        for c in label.chars() {
            if matches!(c, JOINED | BOTH | ESCAPE | '#') {
                name.push(ESCAPE);
            }
            name.push(c);
        }
    }
}

fn split(labels: &str) -> Vec<Text> {
    let mut all = Vec::new();
    let mut start = 0;
    for end in places(labels, JOINED).chain([labels.len()]) {
        all.push(unescape(&labels[start..end]));
        start = end + 1;
    }
    all
}

fn unescape(label: &str) -> Text {
    let mut text = Text::default();
    let mut chars = label.chars().peekable();
    while let Some(c) = chars.next() {
        // Older names have no escapes: before any other character the sign stands for itself.
        let escapes = |next: &char| matches!(*next, JOINED | BOTH | ESCAPE | '#' | '_' | 'N');
        match chars.next_if(|next| c == ESCAPE && escapes(next)) {
            Some(next) => text.push(next),
            None => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(labels: &[&str]) -> Vec<Text> {
        labels.iter().map(|&label| Text::from(label)).collect()
    }

    /// Labels that look like names, and sets of them, in all ways.
    #[test]
    fn names_give_back_what_was_said() {
        let labels = [
            "", "a", "a&b", "None", "x~R", "_", "~", "~R", "&", "\\", "a\\", "\\&", "x#5", "R", "\\None",
            "é&", "None~R", "x~y~R",
        ];
        let mut sets: Vec<Vec<Text>> = labels.iter().map(|label| set(&[label])).collect();
        sets.extend(labels.iter().flat_map(|a| labels.iter().map(move |b| set(&[a, b]))));
        sets.push(Vec::new());
        let mut names = std::collections::BTreeSet::new();
        for along in &sets {
            for against in sets.iter().step_by(3).chain([&Vec::new()]) {
                let said = Said::new(along.clone(), against.clone());
                let name = said.name();
                assert_eq!(Said::parse(&name), said, "{name}");
                assert_ne!(name, "_", "files have another meaning for it");
                names.insert(name);
            }
        }
        assert!(names.len() > sets.len() * sets.len() / 4);
    }

    #[test]
    fn ordinary_labels_are_their_own_names() {
        let said = Said::Both(set(&["acl:relcl"]), set(&["nsubj", "obl:[case]"]));
        assert_eq!(said.name(), "acl:relcl~nsubj&obl:[case]~R");
        assert_eq!(Said::Nothing.name(), "None");
        assert_eq!(Said::parse("conj>nsubj~R"), Said::Against(set(&["conj>nsubj"])));
        assert_eq!(Said::parse("C:\\x"), Said::Along(set(&["C:\\x"])));
    }

    #[test]
    fn nothing_points_at_the_root() {
        let said = Said::Both(set(&["a"]), set(&["b", "c"]));
        assert_eq!(said.arcs(NodeId(0), NodeId(2)).count(), 1);
        let arcs: Vec<Arc> = said.clone().turned().arcs(NodeId(2), NodeId(1)).collect();
        assert!(said.arcs(NodeId(1), NodeId(2)).all(|arc| arcs.contains(&arc)) && arcs.len() == 3);
    }
}
