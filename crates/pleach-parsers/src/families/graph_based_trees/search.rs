//! From a sentence to its best tree: score, prune, score again, decode, label.
//!
//! Every arc gets a cheap score; the heads of the best tree by it and the best few of every word are kept. Only these
//! are scored with labels, siblings and grandchildren and decoded. Labels are maximised out for decoding; once the
//! tree is known they are chosen again, with what is around an arc. In training, costs are added to the scores of
//! everything that is not gold, and gold arcs are always kept.
//!
//! The labels of the search and the later ones learn apart: the scores of labels by arcs alone must be good in
//! themselves, since relaxations of several models (tree approximation, merging) see no others.
//!
//! With local losses (`local.rs`) words choose heads, and arcs choose labels, by probabilities whose logarithms are added;
//! there is no other filter then.
//!
//! Parts that the scorer has no opinion on cost nothing: without siblings and grandchildren the search is Eisner's or
//! Chu-Liu-Edmonds.

use super::local::log_softmax;
use super::recipe::{GraphBasedRecipe, Loss, Trees};
use crate::families::sieve::{Passed, Sieve};
use pleach_decode::part::{Part, PartScorer, best_choice};
use pleach_decode::tree::around::{GRANDCHILD_LABEL, SIBLING_LABEL};
use pleach_decode::tree::rearrange::rearrange;
use pleach_decode::tree::{Eisner, Root, SecondOrder, SpanningTree, TreeParts, TreeScores};
use pleach_graph::Node;
use pleach_graph::words::Words;

/// A tree: the head and the label of every node, the root's own place first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::families) struct Analysis {
    pub heads: Vec<u32>,
    pub labels: Vec<u16>,
}

/// Finds trees; holds the memory for it.
#[derive(Debug, Default)]
pub(in crate::families) struct Search {
    /// The tree that was found.
    pub best: Analysis,
    /// Its labels by the arcs alone, as the search saw them.
    pub first_labels: Vec<u16>,
    /// The heads of the best tree by the filter alone.
    pub filtered: Vec<u32>,
    /// The scores of all arcs; the candidates and the scores of their factors.
    pub scores: TreeScores,
    eisner: Eisner,
    spanning: SpanningTree,
    second: SecondOrder,
    /// The best label of each candidate by the arc alone.
    candidate_labels: Vec<u16>,
    candidates: Vec<(u32, u32)>,
    nearest: Vec<(f32, u32)>,
    /// Those of one arc's labels.
    row: Vec<f32>,
    passed: Passed,
    view: TreeParts,
}

/// What a search is about.
#[derive(Clone, Copy, Debug)]
pub(in crate::families) struct Problem<'a> {
    pub recipe: &'a GraphBasedRecipe,
    /// The number of labels.
    pub labels: usize,
    /// How many heads a word keeps at most.
    pub heads: usize,
    /// The number of words.
    pub words: usize,
    /// The right tree, when training.
    pub gold: Option<&'a Analysis>,
    /// What arcs go through before they are scored, if they do.
    pub sieve: Option<(&'a Sieve, &'a Words)>,
}

impl Problem<'_> {
    fn is_local(&self) -> bool {
        self.recipe.loss == Loss::Local
    }

    fn root(&self) -> Root {
        if self.recipe.single_root { Root::Single } else { Root::Many }
    }

    /// What is added to the score of an arc in training.
    fn head_cost(&self, head: usize, dependent: usize) -> f32 {
        let wrong = |gold: &Analysis| gold.heads[dependent] as usize != head;
        if self.gold.is_some_and(wrong) { self.recipe.margin } else { 0.0 }
    }

    /// Adds costs to the scores of labels in training.
    fn add_label_costs(&self, dependent: usize, scores: &mut [f32]) {
        let Some(gold) = self.gold else { return };
        let right = usize::from(gold.labels[dependent]);
        for (label, score) in scores.iter_mut().enumerate() {
            *score += if label == right { 0.0 } else { self.recipe.margin / 2.0 };
        }
    }
}

impl Search {
    /// Finds the best tree of the sentence that the scorer is bound to.
    pub fn run(&mut self, scorer: &mut dyn PartScorer, problem: &Problem<'_>) {
        if self.prepare_first(scorer, problem, |_, _, _| ()) {
            // Rearranged trees have arcs that cross.
            self.scores.score_second_order(scorer, problem.recipe.trees == Trees::Rearranged);
            self.decode(problem);
            self.label(scorer, problem);
        }
    }

    /// Chooses and scores the parts of a sentence, but for second-order ones; `look` sees every candidate (head,
    /// dependent) with the score of its arc and those of its labels. False when there are no words.
    pub fn prepare_first(
        &mut self,
        scorer: &mut dyn PartScorer,
        problem: &Problem<'_>,
        look: impl FnMut((usize, usize), f32, &[f32]),
    ) -> bool {
        let nodes = problem.words + 1;
        for heads in [&mut self.best.heads, &mut self.filtered] {
            heads.clear();
            heads.resize(nodes, 0);
        }
        for labels in [&mut self.best.labels, &mut self.first_labels] {
            labels.clear();
            labels.resize(nodes, 0);
        }
        self.sift(problem);
        let passed = problem.sieve.map(|_| &self.passed);
        self.scores.score_arcs(scorer, problem.words, |head, dependent| {
            passed.is_none_or(|passed| passed.has(head, dependent))
        });
        if problem.is_local() {
            self.weigh_heads(nodes);
        }
        self.prune(scorer, problem);
        self.score_candidates(scorer, problem, look);
        nodes > 1
    }

    /// Sends all arcs through the sieve, if there is one; gold ones pass.
    fn sift(&mut self, problem: &Problem<'_>) {
        let Some((sieve, words)) = problem.sieve else { return };
        sieve.sift(words, &mut self.passed);
        if let Some(gold) = problem.gold {
            (1..gold.heads.len()).for_each(|word| self.passed.add(gold.heads[word] as usize, word));
        }
    }

    /// Makes what is scored of a word's heads logarithms of probabilities; they are the filter too.
    fn weigh_heads(&mut self, nodes: usize) {
        let TreeScores { filter, tree, .. } = &mut self.scores;
        for dependent in 1..nodes {
            self.row.clear();
            self.row.extend_from_slice(tree.heads_of(dependent));
            log_softmax(&mut self.row);
            for (head, &score) in self.row.iter().enumerate() {
                tree.set(head, dependent, score);
                filter.set(head, dependent, score);
            }
        }
    }

    /// Chooses the arcs that are looked at closely.
    fn prune(&mut self, scorer: &mut dyn PartScorer, problem: &Problem<'_>) {
        let Search { scores, filtered, candidates, nearest, passed, .. } = self;
        let passed = problem.sieve.map(|_| &*passed);
        let nodes = problem.words + 1;
        for dependent in 1..nodes {
            for head in 0..nodes {
                let cost = problem.head_cost(head, dependent);
                if cost != 0.0 {
                    scores.filter.add(head, dependent, cost);
                }
            }
        }
        match problem.recipe.trees {
            Trees::Spanning => self.spanning.decode(&scores.filter, problem.root(), filtered),
            _ => {
                self.eisner.decode(&scores.filter, problem.root(), filtered);
            }
        }
        candidates.clear();
        for dependent in 1..nodes {
            let passes = |head: usize| passed.is_none_or(|passed| passed.has(head, dependent));
            if !passes(filtered[dependent] as usize) {
                scores.score_arc(scorer, filtered[dependent] as usize, dependent);
            }
            let scores = scores.filter.heads_of(dependent).iter().enumerate();
            let scores = scores.filter(|&(head, _)| head != dependent && passes(head));
            nearest.clear();
            nearest.extend(scores.map(|(head, &score)| (score, head as u32)));
            let better = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            if nearest.len() > problem.heads {
                nearest.select_nth_unstable_by(problem.heads - 1, better);
                nearest.truncate(problem.heads);
            }
            let best = nearest.iter().fold(f32::NEG_INFINITY, |best, &(score, _)| best.max(score));
            let least = best - problem.recipe.gap * problem.recipe.unit();
            nearest.retain(|&(score, _)| score >= least);
            let kept = nearest.iter().map(|&(_, head)| head).chain([filtered[dependent]]);
            let gold = problem.gold.map(|gold| gold.heads[dependent]);
            candidates.extend(kept.chain(gold).map(|head| (head, dependent as u32)));
        }
        scores.set_candidates(scorer, candidates);
    }

    fn score_candidates(
        &mut self,
        scorer: &mut dyn PartScorer,
        problem: &Problem<'_>,
        mut look: impl FnMut((usize, usize), f32, &[f32]),
    ) {
        self.scores.expect_labels(scorer);
        let TreeScores { tree, parts, .. } = &mut self.scores;
        self.row.resize(problem.labels, 0.0);
        self.candidate_labels.clear();
        for arc in 0..parts.arcs.len() {
            let (head, dependent) = (parts.arcs.head(arc), parts.arcs.dependent(arc));
            scorer.score(Part::label(head as Node, dependent as Node), &mut self.row);
            if problem.is_local() {
                log_softmax(&mut self.row);
            }
            problem.add_label_costs(dependent, &mut self.row);
            look((head, dependent), tree.get(head, dependent), &self.row);
            let (label, score) = best_choice(&self.row);
            self.candidate_labels.push(label as u16);
            parts.scores[arc] = tree.get(head, dependent) + score + problem.head_cost(head, dependent);
        }
    }

    fn decode(&mut self, problem: &Problem<'_>) {
        let (root, heads) = (problem.root(), &mut self.best.heads);
        let TreeScores { tree, parts, .. } = &mut self.scores;
        if parts.is_second_order() {
            if self.second.decode(parts, root, heads).is_none() {
                // The chart is too large for this sentence; the filter's tree always is among the candidates.
                heads.copy_from_slice(&self.filtered);
            }
        } else {
            tree.reset(problem.words + 1, f32::NEG_INFINITY);
            for arc in 0..parts.arcs.len() {
                tree.set(parts.arcs.head(arc), parts.arcs.dependent(arc), parts.scores[arc]);
            }
            match problem.recipe.trees {
                Trees::Spanning => self.spanning.decode(tree, root, heads),
                _ => {
                    self.eisner.decode(tree, root, heads);
                }
            }
        }
        if problem.recipe.trees == Trees::Rearranged {
            rearrange(parts, root, problem.recipe.threshold, heads);
        }
    }

    fn label(&mut self, scorer: &mut dyn PartScorer, problem: &Problem<'_>) {
        let Search { best, scores, view, row, .. } = self;
        view.fill(&best.heads);
        let again = scorer.scores(SIBLING_LABEL) || scorer.scores(GRANDCHILD_LABEL);
        for dependent in 1..best.heads.len() {
            let arc = scores.parts.arcs.find(best.heads[dependent] as usize, dependent);
            let first = arc.map_or(0, |arc| self.candidate_labels[arc]);
            self.first_labels[dependent] = first;
            best.labels[dependent] = if again {
                scores.score_labels(scorer, view, dependent, row);
                problem.add_label_costs(dependent, row);
                best_choice(row).0 as u16
            } else {
                first
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::workspace::Workspace;
    use crate::{CATALOGUE, SHELF};
    use pleach_decode::part::Kind;
    use pleach_graph::Sentence;

    const LABELS: usize = 3;

    /// Whole numbers made of the part; siblings and grandchildren only in second order.
    struct Toy {
        seed: u64,
        order: u8,
    }

    impl PartScorer for Toy {
        fn scores(&self, kind: Kind) -> bool {
            kind.0 < 2 || self.order == 2
        }

        fn score(&mut self, part: Part, scores: &mut [f32]) {
            assert!(self.scores(part.kind));
            for (choice, score) in scores.iter_mut().enumerate() {
                let [h, d, x, _] = part.nodes.map(u64::from);
                let place = (u64::from(part.kind.0) << 8 | choice as u64) << 48 | h << 32 | d << 16 | x;
                *score = Random::new(self.seed, place).below(41) as f32 - 20.0;
            }
        }
    }

    fn is_wanted(heads: &[u32], trees: Trees) -> bool {
        let up = |mut node: usize, top: usize| {
            for _ in 0..heads.len() {
                if node == top {
                    return true;
                }
                node = heads[node] as usize;
            }
            false
        };
        let projective = |word: usize| {
            let head = heads[word] as usize;
            (head.min(word)..head.max(word)).all(|between| between == 0 || up(between, head))
        };
        (1..heads.len()).all(|word| up(word, 0) && (trees == Trees::Spanning || projective(word)))
            && heads[1..].iter().filter(|&&head| head == 0).count() == 1
    }

    /// With all heads kept, no tree of the class beats the one that is found, whatever the scorer has an opinion on.
    #[test]
    fn the_best_tree_is_found() {
        let mut search = Search::default();
        for (seed, preset) in
            (0..24).flat_map(|seed| ["eisner", "eisner2", "cle"].map(|preset| (seed, preset)))
        {
            let mut recipe = GraphBasedRecipe::preset(preset).unwrap();
            recipe.gap = 1e9;
            // A scorer of first order in a recipe of second order is enough for a tree.
            let order = if seed % 3 == 0 { 1 } else { recipe.order };
            let words = seed as usize % 5;
            let mut toy = Toy { seed, order };
            let problem =
                Problem { recipe: &recipe, labels: LABELS, heads: 9, words, gold: None, sieve: None };
            search.run(&mut toy, &problem);
            assert_eq!(search.best.heads.len(), words + 1);
            if words == 0 {
                continue;
            }
            assert_eq!(search.scores.parts.is_second_order(), order == 2);
            let found = search.scores.parts.total(&search.best.heads);
            assert!(is_wanted(&search.best.heads, recipe.trees));
            for heads in all_trees(words, recipe.trees) {
                assert!(search.scores.parts.total(&heads) <= found, "{preset} {seed}: {heads:?}");
            }
            // The labels are the best ones by all that scores them.
            let mut view = TreeParts::default();
            view.fill(&search.best.heads);
            let mut row = [0.0; LABELS];
            for word in 1..=words {
                TreeScores::default().score_labels(&mut toy, &view, word, &mut row);
                assert_eq!(usize::from(search.best.labels[word]), best_choice(&row).0);
            }
        }
    }

    /// Behind a sieve there still is a tree of the class; it has arcs that did not pass only where the filter found no other, and
    /// no tree of arcs that passed beats it.
    #[test]
    fn a_sieve_leaves_a_tree() {
        let data: Vec<(Words, Vec<(u32, u32)>)> = (0..120_usize)
            .map(|number| {
                let words = Words::of(&Sentence::from_forms(vec!["a"; 3 + number % 3]), None, false);
                let arcs = (1..=words.len() as u32).map(|word| (word - 1, word)).collect();
                (words, arcs)
            })
            .collect();
        // What lets a fifth through leaves many words one head, and trees must be made of others.
        let examples = || data.iter().map(|(words, arcs)| (words, arcs.iter().copied()));
        let sieve = Sieve::learn(0.2, examples).unwrap();
        let (mut search, mut passed, mut pruned) = (Search::default(), Passed::default(), 0);
        for (seed, preset) in
            (0..24_u64).flat_map(|seed| ["eisner", "eisner2", "cle"].map(|preset| (seed, preset)))
        {
            let mut recipe = GraphBasedRecipe::preset(preset).unwrap();
            recipe.gap = 1e9;
            let words = &data[seed as usize % 3].0;
            let problem = Problem {
                recipe: &recipe,
                labels: LABELS,
                heads: 9,
                words: words.len(),
                gold: None,
                sieve: Some((&sieve, words)),
            };
            search.run(&mut Toy { seed, order: recipe.order }, &problem);
            assert!(is_wanted(&search.best.heads, recipe.trees), "{preset} {seed}");
            sieve.sift(words, &mut passed);
            let passes =
                |word: usize, head: u32| passed.has(head as usize, word) || search.filtered[word] == head;
            let found = search.scores.parts.total(&search.best.heads);
            assert!(found.is_finite());
            for heads in all_trees(words.len(), recipe.trees) {
                match (1..heads.len()).all(|word| passes(word, heads[word])) {
                    true => assert!(search.scores.parts.total(&heads) <= found, "{preset} {seed}: {heads:?}"),
                    false => pruned += 1,
                }
            }
        }
        assert!(pruned > 1000);
    }

    /// All trees of a class over so many words.
    fn all_trees(words: usize, trees: Trees) -> impl Iterator<Item = Vec<u32>> {
        let nodes = words as u32 + 1;
        let heads = move |mut code: u32| {
            let mut heads = vec![0];
            for _ in 0..words {
                heads.push(code % nodes);
                code /= nodes;
            }
            heads
        };
        (0..nodes.pow(words as u32)).map(heads).filter(move |heads| is_wanted(heads, trees))
    }

    /// The probabilities of a network, here one with the weights that it begins with, are decoded exactly too.
    #[test]
    fn networks_are_decoded_exactly() {
        const WORDS: usize = 4;
        let words = Words::of(&Sentence::from_forms(["a", "b", "c", "d"]), None, false);
        for (seed, preset) in (1..5).flat_map(|seed| ["eisner-bilstm", "cle-bilstm"].map(|name| (seed, name)))
        {
            let mut recipe = SHELF.preset(preset).unwrap();
            let sizes =
                [("hidden", 6), ("arc_width", 5), ("label_width", 4), ("characters", 0), ("at_least", 1)];
            for (key, value) in sizes.into_iter().chain([("seed", seed)]) {
                recipe.set(key, value).unwrap();
            }
            let typed = GraphBasedRecipe { gap: 1e9, ..recipe.typed().unwrap() };
            let structure = super::super::structure(&typed, LABELS);
            let mut scorer = CATALOGUE.create_scorer(&recipe, &structure).unwrap();
            scorer.plan(1, &mut std::iter::once(&words)).unwrap();
            let (frozen, mut workspace) = (scorer.freeze(), Workspace::default());
            let mut bound = frozen.bind(vec![&words], &mut workspace);
            let mut search = Search::default();
            let problem =
                Problem { recipe: &typed, labels: LABELS, heads: 9, words: WORDS, gold: None, sieve: None };
            search.run(&mut *bound, &problem);
            // The logarithm of the probability of each head, and of the best label with it.
            let mut worth = [[f64::NEG_INFINITY; WORDS + 1]; WORDS + 1];
            for dependent in 1..=WORDS {
                let mut arcs = [f64::NEG_INFINITY; WORDS + 1];
                for head in (0..=WORDS).filter(|&head| head != dependent) {
                    let mut row = [0.0; 2];
                    bound.score(Part::arc(head as Node, dependent as Node), &mut row);
                    arcs[head] = f64::from(row[1]);
                }
                let all = arcs.iter().map(|score| score.exp()).sum::<f64>().ln();
                for head in (0..=WORDS).filter(|&head| head != dependent) {
                    let mut row = [0.0; LABELS];
                    bound.score(Part::label(head as Node, dependent as Node), &mut row);
                    let labels = row.iter().map(|&score| f64::from(score).exp()).sum::<f64>().ln();
                    let best = f64::from(best_choice(&row).1);
                    worth[head][dependent] = arcs[head] - all + best - labels;
                }
            }
            let total =
                |heads: &[u32]| (1..=WORDS).map(|word| worth[heads[word] as usize][word]).sum::<f64>();
            let found = total(&search.best.heads);
            let best =
                all_trees(WORDS, typed.trees).map(|heads| total(&heads)).fold(f64::NEG_INFINITY, f64::max);
            assert!((found - best).abs() < 1e-4, "{preset} {seed}: {found} {best}");
        }
    }
}
