//! Sentences that are too long for an engine are parsed in pieces, between which there are no arcs.

use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Token, Tree};

/// The pieces of a sentence, of at most `longest` words each.
fn cut(sentence: &Sentence, longest: usize) -> impl Iterator<Item = Sentence> {
    sentence.tokens.chunks(longest.max(1)).map(|tokens| {
        let mut piece = Sentence::default();
        piece.tokens.extend_from_slice(tokens);
        for token in &mut piece.tokens {
            (token.head, token.deprel) = (None, Text::default());
        }
        piece.graph = Graph::new(tokens.len());
        piece
    })
}

/// Parses sentences without empty nodes, those of more than `longest` words in pieces. `parse` gets only sentences that
/// are not too long; the trees that it gets are those of whole sentences, or none. What it writes into words is kept.
pub fn graphs_in_pieces(
    sentences: &mut [Sentence],
    trees: &[Tree],
    longest: usize,
    mut parse: impl FnMut(&mut [Sentence], &[Tree]) -> Vec<Graph>,
) -> Vec<Graph> {
    if sentences.iter().all(|sentence| sentence.len() <= longest) {
        return parse(sentences, trees);
    }
    let mut graphs = Vec::with_capacity(sentences.len());
    for (number, sentence) in sentences.iter_mut().enumerate() {
        if sentence.len() <= longest {
            let tree = trees.get(number..=number).unwrap_or_default();
            graphs.append(&mut parse(std::slice::from_mut(sentence), tree));
            continue;
        }
        let (mut arcs, mut offset, mut top) = (Vec::new(), 0, NodeId(0));
        for mut piece in cut(sentence, longest).collect::<Vec<_>>() {
            for graph in parse(std::slice::from_mut(&mut piece), &[]) {
                let moved = |node: NodeId| if node.is_root() { node } else { NodeId(node.0 + offset as u32) };
                arcs.extend(graph.arcs().iter().map(|arc| Arc {
                    head: moved(arc.head),
                    dependent: moved(arc.dependent),
                    label: arc.label.clone(),
                }));
            }
            for (token, parsed) in sentence.tokens[offset..].iter_mut().zip(piece.tokens) {
                // A parser that writes trees writes a head for every word; later roots hang on the first one.
                let (head, deprel) = match parsed.head {
                    Some(head) if head.is_root() => (Some(top), parsed.deprel.clone()),
                    Some(head) => (Some(NodeId(head.0 + offset as u32)), parsed.deprel.clone()),
                    None => (token.head, token.deprel.clone()),
                };
                *token = Token { head, deprel, ..parsed };
            }
            if offset == 0 {
                let root = sentence.tokens.iter().position(|token| token.head.is_some_and(NodeId::is_root));
                top = NodeId(root.map_or(0, |place| place as u32 + 1));
            }
            offset += longest.max(1);
        }
        graphs.push(Graph::from_arcs(sentence.len(), arcs));
    }
    graphs
}

/// The same for trees: the roots of later pieces hang on the first piece's root.
pub fn trees_in_pieces(
    sentences: &[&Sentence],
    longest: usize,
    mut parse: impl FnMut(&[&Sentence]) -> Vec<Tree>,
) -> Vec<Tree> {
    if sentences.iter().all(|sentence| sentence.len() <= longest) {
        return parse(sentences);
    }
    let mut trees = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        let mut whole = Tree::default();
        let mut top = 0;
        for piece in cut(sentence, longest) {
            let offset = whole.heads.len() as u16;
            for tree in parse(&[&piece]) {
                whole
                    .heads
                    .extend(tree.heads.iter().map(|&head| if head == 0 { top } else { head + offset }));
                whole.labels.extend(tree.labels);
            }
            if offset == 0 {
                top = whole.heads.iter().position(|&head| head == 0).map_or(0, |place| place as u16 + 1);
            }
        }
        trees.push(whole);
    }
    trees
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word hangs on the one before it, as far as the parser sees.
    fn chain(len: usize) -> Vec<(u32, u32)> {
        (0..len as u32).map(|word| (word, word + 1)).collect()
    }

    #[test]
    fn pieces_are_put_together_in_place() {
        let forms = |len: usize| Sentence::from_forms((0..len).map(|i| i.to_string()));
        let mut sentences = [forms(2), forms(7), forms(0)];
        let mut lengths = Vec::new();
        let graphs = graphs_in_pieces(&mut sentences, &[], 3, |sentences, _| {
            lengths.extend(sentences.iter().map(Sentence::len));
            let graph = |sentence: &Sentence| {
                let arcs = chain(sentence.len()).into_iter().map(|(head, dependent)| Arc {
                    head: NodeId(head),
                    dependent: NodeId(dependent),
                    label: Text::from("x"),
                });
                Graph::from_arcs(sentence.len(), arcs.collect())
            };
            sentences.iter().map(graph).collect()
        });
        assert_eq!(lengths, [2, 3, 3, 1, 0]);
        let pairs: Vec<(u32, u32)> =
            graphs[1].arcs().iter().map(|arc| (arc.head.0, arc.dependent.0)).collect();
        assert_eq!(pairs, [(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 6), (0, 7)]);
        assert_eq!(graphs.iter().map(Graph::len).collect::<Vec<_>>(), [2, 7, 0]);
        let trees = trees_in_pieces(&[&sentences[1]], 3, |sentences| {
            let len = sentences[0].len();
            vec![Tree { heads: (0..len as u16).collect(), labels: vec![Text::from("x"); len] }]
        });
        assert_eq!(trees[0].heads, [0, 1, 2, 1, 4, 5, 1]);
    }
}
