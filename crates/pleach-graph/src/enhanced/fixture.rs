//! Small sentences for the tests of this folder.

use crate::{Arc, Graph, NodeId, Sentence, Text, Token, TokenId};

/// A sentence from lines of `id form deps`; `form/lemma/UPOS` and `deps` are separated by spaces, arcs in
/// `deps` by `|`, and `_` stands for no arcs.
pub(super) fn sentence(lines: &str) -> Sentence {
    let mut sentence = Sentence::default();
    let mut deps = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let mut word = fields[1].splitn(3, '/').map(Text::from);
        let mut next = || word.next().unwrap_or_default();
        sentence.tokens.push(Token {
            id: id(fields[0]),
            form: next(),
            lemma: next(),
            upos: next(),
            ..Token::default()
        });
        deps.push(fields[2].to_owned());
    }
    let mut arcs = Vec::new();
    for (i, deps) in deps.iter().enumerate().filter(|(_, deps)| *deps != "_") {
        for dep in deps.split('|') {
            let (head, label) = dep.split_once(':').unwrap();
            let head = sentence.node(id(head)).unwrap();
            arcs.push(Arc { head, dependent: NodeId(i as u32 + 1), label: Text::from(label) });
        }
    }
    sentence.graph = Graph::from_arcs(sentence.len(), arcs);
    sentence
}

fn id(text: &str) -> TokenId {
    let (word, empty) = text.split_once('.').unwrap_or((text, "0"));
    TokenId { word: word.parse().unwrap(), empty: empty.parse().unwrap() }
}

/// The arcs as a file would show them: `head:label` per token, in order.
pub(super) fn deps(sentence: &Sentence) -> Vec<String> {
    let token = |node| {
        let arcs = sentence.graph.heads_of(node);
        let arcs: Vec<_> = arcs.map(|arc| format!("{}:{}", sentence.id_of(arc.head), arc.label)).collect();
        format!("{} {}", sentence.id_of(node), arcs.join("|"))
    };
    sentence.graph.tokens().map(token).collect()
}
