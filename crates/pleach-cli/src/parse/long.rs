//! Sentences that are too long to be parsed at once, as lists and broken files have them: they are parsed in pieces.
//!
//! Time and memory of some parsers grow with the square of the length, or faster; and no parser was trained on
//! sentences of thousands of words. So a long sentence stays one sentence, but has no arcs from one piece to another.

use pleach::{Parser, Workspace, drop_empty_nodes};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Token, TokenId};

/// Parses a sentence, in pieces if it has more than `most` words; whether that was so.
pub fn parse(parser: &Parser, sentence: &mut Sentence, most: usize, workspace: &mut Workspace) -> bool {
    if sentence.len() <= most {
        parser.parse(sentence, workspace);
        return false;
    }
    let graphs = parser.gives_graphs();
    if graphs {
        // A graph parser makes empty nodes anew; from here on every empty node is a new one.
        drop_empty_nodes(sentence);
    }
    let mut joined = Joined { places: vec![NodeId::ROOT], ..Joined::default() };
    for tokens in sentence.tokens.chunks(most) {
        let piece = joined.piece(tokens);
        let mut parsed = piece.clone();
        parser.parse(&mut parsed, workspace);
        joined.add(parsed, &piece, |token| graphs && token.id.is_empty_node());
    }
    let Joined { mut tokens, arcs, places, left, .. } = joined;
    // A parser that gives no trees leaves those that are there, also across pieces.
    for (old, &place) in sentence.tokens.iter().zip(&places[1..]).filter(|_| left) {
        tokens[place.index() - 1].head = old.head.and_then(|head| places.get(head.index()).copied());
    }
    sentence.tokens = tokens;
    if graphs {
        sentence.graph = Graph::from_arcs(sentence.tokens.len(), arcs);
    }
    true
}

/// The pieces that are done.
#[derive(Default)]
struct Joined {
    tokens: Vec<Token>,
    arcs: Vec<Arc>,
    /// Where the nodes of the sentence are now, the root first.
    places: Vec<NodeId>,
    /// Words in the pieces.
    words: u32,
    /// Whether the parser has left all heads as they were.
    left: bool,
}

impl Joined {
    /// The next piece as a sentence of its own. Heads beyond it are not given.
    fn piece(&self, tokens: &[Token]) -> Sentence {
        let before = self.places.len() as u32 - 1;
        let end = before + tokens.len() as u32;
        let inside = |head: NodeId| match head {
            NodeId::ROOT => Some(head),
            NodeId(place) => (before < place && place <= end).then(|| NodeId(place - before)),
        };
        let own = |token: &Token| {
            let mut token = token.clone();
            token.id.word -= self.words;
            token.head = token.head.and_then(inside);
            token
        };
        let graph = Graph::new(tokens.len());
        Sentence { tokens: tokens.iter().map(own).collect(), graph, ..Sentence::default() }
    }

    /// Adds a parsed piece; `given` is what it was before.
    fn add(&mut self, parsed: Sentence, given: &Sentence, is_new: impl Fn(&Token) -> bool) {
        let start = self.tokens.len() as u32;
        let shift = |node: NodeId| if node.is_root() { node } else { NodeId(node.0 + start) };
        let heads = |sentence: &Sentence| -> Vec<(Option<TokenId>, Text)> {
            let old = sentence.tokens.iter().filter(|token| !is_new(token));
            let id = |node: NodeId| sentence.token(node).map_or(TokenId::default(), |token| token.id);
            old.map(|token| (token.head.map(id), token.deprel.clone())).collect()
        };
        self.left = (self.left || start == 0) && heads(&parsed) == heads(given);
        let words = given.tokens.iter().filter(|token| !token.id.is_empty_node()).count();
        for mut token in parsed.tokens {
            if !is_new(&token) {
                self.places.push(NodeId(self.tokens.len() as u32 + 1));
            }
            token.id.word += self.words;
            token.head = token.head.map(shift);
            self.tokens.push(token);
        }
        self.arcs.extend(parsed.graph.into_arcs().into_iter().map(|arc| Arc {
            head: shift(arc.head),
            dependent: shift(arc.dependent),
            ..arc
        }));
        self.words += words as u32;
    }
}
