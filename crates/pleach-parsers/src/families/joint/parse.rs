//! From sentences to their analyses, whoever scores: tags, features and lemmas by the best choice, the best tree, and the graph of
//! all arcs above the threshold, with the best head for words that have none. Arcs that the tree has count for more in the graph.
//!
//! O(n²) for each sentence; a tree is exact (any spanning tree with one root), tags and the like are decided on their own.

use super::inventory::{Inventory, Wants};
use super::recipe::{JointRecipe, Layout};
use crate::engine::{Tags, WordEngine};
use crate::families::batch;
use crate::scorer::{Bound, ModelScorer};
use crate::workspace::Workspace;
use pleach_decode::part::{Part, PartScorer, best_choice};
use pleach_decode::tree::{Arcs, Root, SpanningTree};
use pleach_graph::encoded::LabelSets;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_graph::{Graph, Node, Sentence, Text, Tree};
use serde::{Deserialize, Serialize};

/// Longer sentences are cut into pieces: the scores of all arcs grow with the square of the length.
pub(super) const LONGEST: usize = 500;

/// How much higher an arc of the graph scores that the tree has too, in log-odds. In the treebank nearly all arcs of the tree
/// are arcs of the graph, which arcs that are decided each on its own don't know. Held out (960 training sentences of en_ewt, 3,862 for
/// training), 0 to 1: LF 70.32 to 71.69 (with all 12,544 sentences, raw text, dev: ELAS 83.02 to 83.12); words whose head in the tree is none in the graph: 7.7 to 0.65 %, in gold 0.70 %.
const IN_TREE: f32 = 1.0;

/// The description of a trained parser, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Card {
    pub recipe: JointRecipe,
    pub collapse: bool,
    pub delexicalise: bool,
    pub label_sets: Vec<Vec<String>>,
    pub tree_labels: Vec<Text>,
    pub words: Inventory,
}

/// A parser without its scorer.
#[derive(Debug)]
pub(super) struct Parse {
    pub recipe: JointRecipe,
    pub transform: Transform,
    pub sets: LabelSets,
    /// Of the tree; none when trees are not predicted.
    pub labels: Vec<Text>,
    pub inventory: Inventory,
}

/// The memory for parsing, one per thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    words: Vec<Words>,
    scoring: Workspace,
    guessing: Workspace,
    work: Work,
}

#[derive(Debug, Default)]
struct Work {
    graph: Arcs,
    tree: Arcs,
    spanning: SpanningTree,
    heads: Vec<u32>,
    arcs: Vec<(Node, Node)>,
    parts: Vec<Part>,
    row: Vec<f32>,
}

impl Parse {
    /// A parser over what a treebank has.
    pub fn new(
        recipe: JointRecipe,
        transform: Transform,
        sets: LabelSets,
        labels: Vec<Text>,
        inventory: Inventory,
    ) -> Self {
        Parse { recipe, transform, sets, labels, inventory }
    }

    /// The parser that a card describes.
    pub fn of(card: Card) -> Self {
        let transform = Transform { collapse: card.collapse, delexicalise: card.delexicalise };
        let sets = LabelSets::from_values(card.recipe.unlabelled, card.label_sets);
        Parse::new(card.recipe, transform, sets, card.tree_labels, card.words)
    }

    /// Its description.
    pub fn card(&self) -> Card {
        Card {
            recipe: self.recipe.clone(),
            collapse: self.transform.collapse,
            delexicalise: self.transform.delexicalise,
            label_sets: self.sets.values(),
            tree_labels: self.labels.clone(),
            words: self.inventory.clone(),
        }
    }

    /// What the scorer is asked.
    pub fn layout(&self) -> Layout {
        Layout { sets: self.sets.len(), labels: self.labels.len(), classes: self.inventory.len() }
    }

    /// Writes tags, features, lemmas and trees into sentences without empty nodes, and gives their graphs, transforms not
    /// undone. `guesses` is the stage whose tags the scorer looks at, if it does.
    pub fn graphs(
        &self,
        (scorer, guesses): (&dyn ModelScorer, Option<&dyn WordEngine>),
        sentences: &mut [Sentence],
        tags: Tags,
        space: &mut Space,
    ) -> Vec<Graph> {
        let Space { words, scoring, guessing, work } = space;
        let wants: Vec<Wants> =
            sentences.iter().map(|sentence| self.inventory.wants(sentence, tags)).collect();
        if let Some(guesses) = guesses {
            let without = sentences.iter_mut().zip(&wants).filter(|(_, wants)| wants.tags);
            without.for_each(|(sentence, _)| guesses.annotate(sentence, guessing));
        }
        let mut bound = scorer.bind(batch::fill(words, sentences.iter(), &[]), scoring);
        let analyse = |(number, sentence): (usize, &mut Sentence)| {
            bound.turn_to(number);
            let is_word = |word: &str| scorer.knows(word);
            let scores = |word: u16, row: &mut [f32]| bound.score(Part::word(word), row);
            self.inventory.write(sentence, wants[number], &is_word, scores);
            self.analyse(&mut *bound, sentence, work)
        };
        sentences.iter_mut().enumerate().map(analyse).collect()
    }

    /// Binds a scorer to a sentence that was analysed before.
    pub fn bind<'a>(
        scorer: &'a dyn ModelScorer,
        sentence: &Sentence,
        space: &'a mut Space,
    ) -> Box<dyn Bound + 'a> {
        scorer.bind(batch::fill(&mut space.words, std::iter::once(sentence), &[]), &mut space.scoring)
    }

    fn analyse(&self, scorer: &mut dyn PartScorer, sentence: &mut Sentence, work: &mut Work) -> Graph {
        let (nodes, layout) = (sentence.len() + 1, self.layout());
        self.score_arcs(scorer, nodes, work);
        let Work { graph, tree, spanning, heads, arcs, parts, row } = work;
        heads.clear();
        heads.resize(nodes, 0);
        let with_tree = layout.labels > 0;
        if with_tree {
            spanning.decode(tree, Root::Single, heads);
            (1..nodes).for_each(|word| graph.add(heads[word] as usize, word, IN_TREE));
        }
        arcs.clear();
        for dependent in 1..nodes {
            let before = arcs.len();
            let scores = graph.heads_of(dependent);
            let above = (0..nodes).filter(|&head| scores[head] > self.recipe.threshold);
            arcs.extend(above.map(|head| (head as Node, dependent as Node)));
            if arcs.len() == before {
                arcs.push((best_choice(scores).0 as Node, dependent as Node));
            }
        }
        parts.clear();
        parts.extend(arcs.iter().map(|&(head, dependent)| Part::label(head, dependent)));
        if with_tree {
            parts.extend((1..nodes).map(|word| Part::label(heads[word] as Node, word as Node)));
        }
        scorer.expect(parts);
        row.resize(layout.all_labels(), 0.0);
        if with_tree {
            let mut found = Tree::default();
            for word in 1..nodes {
                scorer.score(Part::label(heads[word] as Node, word as Node), row);
                found.heads.push(heads[word] as u16);
                found.labels.push(self.labels[best_choice(&row[layout.tree_labels()]).0].clone());
            }
            found.write(sentence);
        }
        let labelled = arcs.iter().flat_map(|&(head, dependent)| {
            scorer.score(Part::label(head, dependent), row);
            let set = best_choice(&row[layout.graph_labels()]).0 as u16 + 1;
            self.sets.decode((head, dependent, set))
        });
        Graph::from_arcs(sentence.len(), labelled.collect())
    }

    fn score_arcs(&self, scorer: &mut dyn PartScorer, nodes: usize, work: &mut Work) {
        let mut scores = [0.0; 2];
        let channels = self.layout().channels();
        work.graph.reset(nodes, f32::NEG_INFINITY);
        work.tree.reset(nodes, f32::NEG_INFINITY);
        for dependent in 1..nodes {
            for head in (0..nodes).filter(|&head| head != dependent) {
                scorer.score(Part::arc(head as Node, dependent as Node), &mut scores[..channels]);
                work.graph.set(head, dependent, scores[Layout::GRAPH]);
                work.tree.set(head, dependent, scores[Layout::TREE]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_decode::part::Kind;

    /// Likes the tree 0 → 1 → {2, 3} and, where arcs of a graph are asked for, others.
    struct Toy;

    impl PartScorer for Toy {
        fn scores(&self, _: Kind) -> bool {
            true
        }

        fn score(&mut self, part: Part, scores: &mut [f32]) {
            scores.fill(0.0);
            if part.kind == Kind::ARC {
                let (head, dependent) = (part.nodes[0], part.nodes[1]);
                let threshold = JointRecipe::default().threshold;
                if let Some(tree) = scores.get_mut(Layout::TREE) {
                    *tree = if (head, dependent) == (0, 1) || head == 1 { 5.0 } else { 0.0 };
                }
                // The graph has 3 → 2 for sure; 1 → 2 falls short of the threshold, 1 → 3 by too much.
                scores[Layout::GRAPH] = match (head, dependent) {
                    (0, 1) | (3, 2) | (2, 3) => threshold + 1.0,
                    (1, 2) => threshold - 0.5 * IN_TREE,
                    (1, 3) => threshold - 1.5 * IN_TREE,
                    _ => -9.0,
                };
            }
        }
    }

    #[test]
    fn arcs_of_the_tree_count_for_more_in_the_graph() {
        let sets = || LabelSets::from_values(false, vec![vec!["x".into()]]);
        let parse = |labels: Vec<Text>| {
            let inventory = Inventory::default();
            let parse = Parse::new(JointRecipe::default(), Transform::default(), sets(), labels, inventory);
            let mut sentence = Sentence::from_forms(["a", "b", "c"]);
            let graph = parse.analyse(&mut Toy, &mut sentence, &mut Work::default());
            let mut arcs: Vec<(usize, usize)> =
                graph.arcs().iter().map(|arc| (arc.head.index(), arc.dependent.index())).collect();
            arcs.sort_unstable();
            arcs
        };
        assert_eq!(parse(vec!["y".into()]), [(0, 1), (1, 2), (2, 3), (3, 2)]);
        assert_eq!(parse(Vec::new()), [(0, 1), (2, 3), (3, 2)]);
    }
}
