//! A sentence with all that its file said.
//!
//! The field names are CoNLL-U's. An empty [`Text`] means "not given" (`_` in the column formats); the form
//! alone is verbatim, since `_` is a word that people write.

use crate::phrase::Phrase;
use crate::{Graph, NodeId, Text};
use std::borrow::Cow;
use std::fmt;

/// The name of a token in its file: `8` for a word, `8.1` for the first empty node after word 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId {
    /// The word's number, or that of the word before an empty node (0 before the first word).
    pub word: u32,
    /// 0 for a word, 1, 2, … for empty nodes.
    pub empty: u32,
}

impl TokenId {
    /// The id of a word.
    pub fn word(number: u32) -> Self {
        TokenId { word: number, empty: 0 }
    }

    /// Whether this names an empty node.
    pub fn is_empty_node(self) -> bool {
        self.empty > 0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.empty {
            0 => write!(f, "{}", self.word),
            empty => write!(f, "{}.{}", self.word, empty),
        }
    }
}

/// A word or an empty node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// The number in the file.
    pub id: TokenId,
    /// The word form, verbatim.
    pub form: Text,
    /// The lemma.
    pub lemma: Text,
    /// The coarse tag: UPOS, or CPOSTAG.
    pub upos: Text,
    /// The fine tag: XPOS, POSTAG or POS.
    pub xpos: Text,
    /// Morphological features as the file has them (`Case=Nom|Number=Sing`).
    pub feats: Text,
    /// The head in the basic tree: `Some(NodeId::ROOT)` for the root, `None` when not given.
    pub head: Option<NodeId>,
    /// The relation to `head`.
    pub deprel: Text,
    /// MISC as the file has it (`SpaceAfter=No|…`).
    pub misc: Text,
    /// The frame, sense or supertag: SDP 2015 FRAME, CoNLL-2009 PRED, a CCG category.
    pub frame: Text,
    /// Marked as a predicate (SDP PRED, CoNLL-2009 FILLPRED), whether or not it has arguments.
    pub predicate: bool,
    /// Where the token stands in [`Sentence::text`], in characters: start and end.
    pub anchor: Option<(u32, u32)>,
    /// Columns that only one format knows, in that format's order (CoNLL-2009 PLEMMA, PPOS, …).
    pub extra: Vec<Text>,
}

impl Token {
    /// A word with its number and form.
    pub fn new(number: u32, form: impl Into<Text>) -> Self {
        Token { id: TokenId::word(number), form: form.into(), ..Token::default() }
    }

    /// The tag a parser sees: the fine one, else the coarse one.
    pub fn tag(&self) -> &Text {
        if self.xpos.is_empty() { &self.upos } else { &self.xpos }
    }

    /// Whether MISC says that no space follows.
    pub fn space_after(&self) -> bool {
        !self.misc.split('|').any(|item| item == "SpaceAfter=No")
    }
}

/// A multiword token (`3-4`): one surface token over several words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Multiword {
    /// The first word's number.
    pub first: u32,
    /// The last word's number.
    pub last: u32,
    /// The surface form.
    pub form: Text,
    /// LEMMA, UPOS, XPOS and FEATS, which are nearly always empty here.
    pub columns: [Text; 4],
    /// MISC.
    pub misc: Text,
}

/// One sentence: tokens, surface tokens, comments, a basic tree and a deep graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    /// Comment lines in CoNLL-U's form, `#` included (`# sent_id = x`); other formats' ids become that too.
    pub comments: Vec<String>,
    /// Words and empty nodes in file order; the token of node `i` is `tokens[i - 1]`.
    pub tokens: Vec<Token>,
    /// Multiword tokens, sorted by first word.
    pub multiwords: Vec<Multiword>,
    /// The deep graph over `tokens`: DEPS, SDP columns, APREDs, …
    pub graph: Graph,
    /// The bracketed tree, for phrase-structure files.
    pub phrase: Option<Box<Phrase>>,
    /// What only a JSON format knows (MRP `flavor`, `version`, `time` …), in file order.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Sentence {
    /// A sentence from word forms.
    pub fn from_forms<T: Into<Text>>(forms: impl IntoIterator<Item = T>) -> Self {
        let tokens: Vec<Token> =
            forms.into_iter().enumerate().map(|(i, form)| Token::new(i as u32 + 1, form)).collect();
        Sentence { graph: Graph::new(tokens.len()), tokens, ..Sentence::default() }
    }

    /// The number of tokens, empty nodes included.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The form of a node for people to read: `ROOT` for the root, `?` beyond the sentence.
    pub fn form(&self, node: NodeId) -> &str {
        match node.is_root() {
            true => "ROOT",
            false => self.token(node).map_or("?", |token| token.form.as_str()),
        }
    }

    /// The token of a node; `None` for the root and beyond the sentence.
    pub fn token(&self, node: NodeId) -> Option<&Token> {
        self.tokens.get(node.index().wrapping_sub(1))
    }

    /// The node that a file's id names (`0` is the root), by binary search.
    pub fn node(&self, id: TokenId) -> Option<NodeId> {
        if id == TokenId::default() {
            return Some(NodeId::ROOT);
        }
        // Without empty nodes the number is the place.
        let guess = id.word as usize;
        if id.empty == 0 && guess >= 1 && self.tokens.get(guess - 1).is_some_and(|token| token.id == id) {
            return Some(NodeId(id.word));
        }
        self.tokens.binary_search_by_key(&id, |token| token.id).ok().map(|place| NodeId(place as u32 + 1))
    }

    /// The id that a file gives to a node.
    pub fn id_of(&self, node: NodeId) -> TokenId {
        self.token(node).map_or(TokenId::default(), |token| token.id)
    }

    /// Whether there are empty nodes.
    pub fn has_empty_nodes(&self) -> bool {
        self.tokens.iter().any(|token| token.id.is_empty_node())
    }

    /// The value of a comment `# key = value`.
    pub fn comment(&self, key: &str) -> Option<&str> {
        self.comments.iter().find_map(|line| {
            let rest = line.trim_start_matches('#').trim_start().strip_prefix(key)?;
            Some(rest.trim_start().strip_prefix('=')?.trim())
        })
    }

    /// Sets a comment `# key = value`, in place of an older one.
    pub fn set_comment(&mut self, key: &str, value: &str) {
        let line = format!("# {key} = {value}");
        let place = self.comments.iter().position(|comment| {
            let rest = comment.trim_start_matches('#').trim_start().strip_prefix(key);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        });
        match place {
            Some(place) => self.comments[place] = line,
            None => self.comments.push(line),
        }
    }

    /// The sentence's name in its file.
    pub fn sent_id(&self) -> Option<&str> {
        self.comment("sent_id")
    }

    /// The raw text, when the file gives it.
    pub fn text(&self) -> Option<&str> {
        self.comment("text")
    }

    /// The deep graph over the words alone: empty nodes and their arcs are left out.
    pub fn word_graph(&self) -> Cow<'_, Graph> {
        if !self.has_empty_nodes() {
            return Cow::Borrowed(&self.graph);
        }
        let mut words = 0;
        let place = |token: &Token| {
            words += u32::from(!token.id.is_empty_node());
            (!token.id.is_empty_node()).then_some(NodeId(words))
        };
        let places: Vec<Option<NodeId>> =
            std::iter::once(Some(NodeId::ROOT)).chain(self.tokens.iter().map(place)).collect();
        let arcs = self.graph.arcs().iter().filter_map(|arc| {
            let (head, dependent) = (places[arc.head.index()]?, places[arc.dependent.index()]?);
            Some(crate::Arc { head, dependent, label: arc.label.clone() })
        });
        let arcs = arcs.collect();
        Cow::Owned(Graph::from_arcs(places.iter().flatten().count() - 1, arcs))
    }

    /// The basic tree as a graph, when every word has a head; empty nodes have none.
    pub fn tree(&self) -> Option<Graph> {
        let mut arcs = Vec::with_capacity(self.len());
        for (i, token) in self.tokens.iter().enumerate() {
            if token.id.is_empty_node() {
                continue;
            }
            let dependent = NodeId(i as u32 + 1);
            arcs.push(crate::Arc { head: token.head?, dependent, label: token.deprel.clone() });
        }
        Some(Graph::from_arcs(self.len(), arcs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_and_replaced() {
        let mut s = Sentence::from_forms(["a"]);
        s.comments.push("# text_en = no".into());
        s.comments.push("#text=x = y".into());
        assert_eq!(s.text(), Some("x = y"));
        s.set_comment("text", "z");
        assert_eq!(s.comments, ["# text_en = no", "# text = z"]);
    }

    #[test]
    fn nodes_and_ids_with_empty_nodes() {
        let mut s = Sentence::from_forms(["a", "b"]);
        s.tokens.insert(1, Token { id: TokenId { word: 1, empty: 1 }, ..Token::default() });
        assert_eq!(s.node(TokenId::word(2)), Some(NodeId(3)));
        assert_eq!(s.node(TokenId { word: 1, empty: 1 }), Some(NodeId(2)));
        assert_eq!(s.node(TokenId::word(3)), None);
        assert_eq!(s.node(TokenId::default()), Some(NodeId::ROOT));
        assert_eq!(s.id_of(NodeId(2)).to_string(), "1.1");
    }

    #[test]
    fn the_graph_of_the_words_has_no_empty_nodes() {
        let mut s = Sentence::from_forms(["a", "b"]);
        s.tokens.insert(1, Token { id: TokenId { word: 1, empty: 1 }, ..Token::default() });
        s.graph = Graph::new(3);
        for (head, dependent) in [(0, 1), (1, 2), (2, 3), (1, 3)] {
            s.graph.insert(NodeId(head), NodeId(dependent), "x".into());
        }
        let words = s.word_graph();
        assert_eq!((words.len(), words.arcs().len()), (2, 2));
        assert!(words.has_edge(NodeId(1), NodeId(2)) && words.has_edge(NodeId::ROOT, NodeId(1)));
    }
}
