//! What an input says beyond its words: annotation that the model doesn't make is not passed on as if it had.
//!
//! Tags, features and lemmas are another matter, see [`Tags`](crate::Tags).

use pleach_graph::enhanced::{COMMENT, drop_empty_nodes};
use pleach_graph::{Graph, Sentence, Text};

/// The comment of a sentence whose annotation was kept: what of it is the input's.
pub const KEPT: &str = "kept_from_input";

/// What a model makes, and so takes the place of what the input has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Makes {
    /// Basic trees.
    pub trees: bool,
    /// Deep graphs.
    pub graphs: bool,
}

impl Makes {
    /// Clears what the model doesn't make, or says in a comment that it is kept. What it does make is left to it.
    pub fn settle(self, sentence: &mut Sentence, keep: bool) {
        remove_comment(sentence, KEPT);
        if self.graphs || !keep {
            // Nodes that were folded into the labels of a graph mean nothing without it.
            remove_comment(sentence, COMMENT);
        }
        match keep {
            true => self.note(sentence),
            false => self.clear(sentence),
        }
    }

    fn clear(self, sentence: &mut Sentence) {
        if !self.graphs {
            drop_empty_nodes(sentence);
            sentence.graph = Graph::new(sentence.len());
        }
        for token in &mut sentence.tokens {
            if !self.trees {
                token.head = None;
                token.deprel = Text::default();
            }
            token.frame = Text::default();
            token.predicate = false;
        }
        sentence.phrase = None;
    }

    fn note(self, sentence: &mut Sentence) {
        let tokens = &sentence.tokens;
        let tree = tokens.iter().any(|token| token.head.is_some() || !token.deprel.is_empty());
        let kept = [
            ("HEAD DEPREL", !self.trees && tree),
            ("DEPS", !self.graphs && (!sentence.graph.is_empty() || sentence.has_empty_nodes())),
            ("FRAME", tokens.iter().any(|token| !token.frame.is_empty())),
            ("PRED", tokens.iter().any(|token| token.predicate)),
            ("brackets", sentence.phrase.is_some()),
        ];
        let kept: Vec<&str> = kept.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        if !kept.is_empty() {
            sentence.set_comment(KEPT, &kept.join(" "));
        }
    }
}

/// Takes away comments of the form `# key = …`.
fn remove_comment(sentence: &mut Sentence, key: &str) {
    sentence.comments.retain(|line| {
        let rest = line.trim_start_matches('#').trim_start().strip_prefix(key);
        !rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::{NodeId, Token, TokenId};

    /// Two words and an empty node, with everything that a file can say.
    fn annotated() -> Sentence {
        let mut sentence = Sentence::from_forms(["a", "b"]);
        let id = TokenId { word: 2, empty: 1 };
        sentence.tokens.push(Token { id, ..Token::new(2, "e") });
        sentence.graph = Graph::new(3);
        sentence.graph.insert(NodeId(1), NodeId(2), "x".into());
        sentence.graph.insert(NodeId(3), NodeId(2), "y".into());
        let token = &mut sentence.tokens[1];
        (token.head, token.deprel, token.frame, token.predicate) =
            (Some(NodeId(1)), "x".into(), "b.01".into(), true);
        sentence.comments = vec!["# sent_id = s".into(), format!("# {COMMENT} = {{}}")];
        sentence
    }

    #[test]
    fn what_a_model_does_not_make_goes() {
        let mut graph = annotated();
        Makes { trees: false, graphs: true }.settle(&mut graph, false);
        assert!(graph.tokens.iter().all(|token| token.head.is_none() && token.deprel.is_empty()));
        assert_eq!((graph.graph.arcs().len(), graph.len()), (2, 3), "the model's own business");
        let mut tree = annotated();
        Makes { trees: true, graphs: false }.settle(&mut tree, false);
        assert_eq!((tree.graph.arcs().len(), tree.len()), (0, 2));
        assert_eq!(tree.tokens[1].head, Some(NodeId(1)));
        for sentence in [graph, tree] {
            assert_eq!(sentence.comments, ["# sent_id = s"]);
            assert!(sentence.tokens.iter().all(|token| token.frame.is_empty() && !token.predicate));
        }
    }

    #[test]
    fn what_is_kept_is_noted_once() {
        let mut sentence = annotated();
        for _ in 0..2 {
            Makes { trees: true, graphs: false }.settle(&mut sentence, true);
        }
        let note = format!("# {KEPT} = DEPS FRAME PRED");
        assert_eq!(sentence.comments.iter().filter(|line| **line == note).count(), 1);
        assert_eq!(sentence.comments.len(), 3, "a graph that stays keeps what was folded into it");
        assert_eq!(sentence.graph.arcs().len(), 2);
        let mut bare = Sentence::from_forms(["a"]);
        Makes { trees: true, graphs: false }.settle(&mut bare, true);
        assert!(bare.comments.is_empty());
    }
}
