//! From treebank sentences to what is learnt from.

use super::inventory::Inventory;
use super::learn::Gold;
use super::more::More;
use super::parse::{LONGEST, Parse};
use super::recipe::JointRecipe;
use crate::families::data::DataError;
use crate::train::{Corpus, TrainError};
use crate::transform::choose_transform;
use pleach_graph::encoded::{LabelSets, NumberedArc};
use pleach_graph::enhanced::drop_empty_nodes;
use pleach_graph::words::Words;
use pleach_graph::{Sentence, Text, Tree};
use std::collections::BTreeSet;

/// A treebank made ready, and the parser that fits it.
pub(super) struct Data {
    pub parse: Parse,
    /// Those of the treebank, and then those of more text.
    pub examples: Vec<(Words, Gold)>,
    /// How many of them are the treebank's.
    pub own: usize,
    /// As they came.
    pub dev: Vec<Sentence>,
    pub tokens: usize,
    pub arcs: usize,
    /// Self-loops, which are not learnt.
    pub lost: usize,
}

impl Data {
    /// Transforms the graphs and numbers everything that can be chosen.
    ///
    /// `guessed` has the training sentences with the tags that the scorer looks at, if not those of the treebank. `more` are
    /// learnt from too, but what there is to choose from is the treebank's.
    pub fn prepare(
        recipe: &JointRecipe,
        corpus: Corpus,
        guessed: Option<Vec<Sentence>>,
        more: More,
    ) -> Result<Self, TrainError> {
        let Corpus { mut train, dev } = corpus;
        let guesses = guessed.is_some();
        let mut seen = guessed.unwrap_or_else(|| train.clone());
        for sentence in &mut seen {
            drop_empty_nodes(sentence);
            hide(recipe, guesses, sentence);
        }
        let fits = |sentence: &Sentence| !sentence.is_empty() && sentence.len() <= LONGEST;
        seen.retain(fits);
        let transform = choose_transform(recipe.collapse, recipe.delexicalise, &train);
        for sentence in &mut train {
            transform.apply(sentence);
            drop_empty_nodes(sentence);
        }
        train.retain(fits);
        let mut sets = LabelSets::new(recipe.unlabelled);
        let trees: Vec<Option<Tree>> = match recipe.learns("tree") {
            true => train.iter().map(Tree::of).collect(),
            false => vec![None; train.len()],
        };
        let labels: BTreeSet<&Text> = trees.iter().flatten().flat_map(|tree| &tree.labels).collect();
        let labels: Vec<Text> = labels.into_iter().cloned().collect();
        let inventory = Inventory::new(recipe, &train);
        DataError::check_actions(inventory.len())?;
        let label = |label: &Text| labels.binary_search(label).ok().map(|place| place as u16);
        let gold = |arcs: Vec<NumberedArc>, tree: &Option<Tree>, words| {
            let arcs = arcs.into_iter().filter(|(head, dependent, _)| head != dependent);
            let mut arcs: Vec<_> = arcs.map(|(head, dependent, set)| (dependent, head, set)).collect();
            arcs.sort_unstable();
            let tree = tree.iter().flat_map(|tree| tree.heads.iter().copied().zip(&tree.labels));
            let tree: Option<Vec<_>> = tree.map(|(head, name)| Some((head, label(name)?))).collect();
            tree.map(|tree| Gold { arcs, tree, words })
        };
        let (mut examples, mut tokens, mut all, mut lost) = (Vec::with_capacity(train.len()), 0, 0, 0);
        let said = inventory.gold(&train);
        for (number, (((sentence, tree), seen), said)) in
            train.iter().zip(&trees).zip(&seen).zip(said).enumerate()
        {
            let arcs = sets.encode(&sentence.graph).map_err(|source| DataError::encode(number, source))?;
            tokens += sentence.len();
            all += sentence.graph.arcs().len();
            lost += sentence.graph.arcs().iter().filter(|arc| arc.head == arc.dependent).count();
            examples.extend(gold(arcs, tree, said).map(|gold| (Words::of(seen, None, false), gold)));
        }
        if all == 0 {
            return Err(DataError::NoArcs.into());
        }
        let own = examples.len();
        // A sentence without arcs was not parsed.
        let parsed = more.pairs().filter(|(sentence, _)| fits(sentence) && !sentence.graph.arcs().is_empty());
        let (parsed, seen): (Vec<Sentence>, Vec<Sentence>) = parsed
            .map(|(mut sentence, mut seen)| {
                hide(recipe, guesses, &mut seen);
                transform.apply(&mut sentence);
                drop_empty_nodes(&mut sentence);
                (sentence, seen)
            })
            .unzip();
        for ((sentence, seen), said) in parsed.iter().zip(&seen).zip(inventory.gold(&parsed)) {
            let tree = if recipe.learns("tree") { Tree::of(sentence) } else { None };
            let known = sets.encode_known(&sentence.graph).and_then(|arcs| gold(arcs, &tree, said));
            examples.extend(known.map(|gold| (Words::of(seen, None, false), gold)));
        }
        DataError::check_actions(sets.len() + labels.len() + 1)?;
        let parse = Parse::new(recipe.clone(), transform, sets, labels, inventory);
        Ok(Data { parse, examples, own, dev, tokens, arcs: all, lost })
    }
}

/// Takes out of a sentence what is to be predicted: a scorer that saw it would learn nothing else. Guessed tags stay.
fn hide(recipe: &JointRecipe, guesses: bool, sentence: &mut Sentence) {
    for token in &mut sentence.tokens {
        if recipe.learns("tags") && !guesses {
            (token.upos, token.xpos) = (Text::default(), Text::default());
        }
        if recipe.learns("features") {
            token.feats = Text::default();
        }
        if recipe.learns("lemmas") {
            token.lemma = Text::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::NodeId;

    #[test]
    fn what_is_predicted_is_not_seen() {
        let mut sentence = Sentence::from_forms(["a"]);
        sentence.graph.insert(NodeId(0), NodeId(1), "root".into());
        let token = &mut sentence.tokens[0];
        (token.upos, token.feats, token.lemma) = ("X".into(), "A=B".into(), "b".into());
        let seen = |recipe: &JointRecipe, guessed: Option<Vec<Sentence>>| {
            let corpus = Corpus { train: vec![sentence.clone()], dev: Vec::new() };
            let data = Data::prepare(recipe, corpus, guessed, More::default()).unwrap();
            let words = &data.examples[0].0;
            assert_eq!(
                data.examples[0].1.words.iter().flatten().count(),
                data.parse.inventory.questions().len()
            );
            words.clone()
        };
        let shown = |words: Words| format!("{words:?}");
        let all = JointRecipe::default();
        let bare = Words::of(&Sentence::from_forms(["a"]), None, false);
        assert_eq!(shown(seen(&all, None)), shown(bare));
        let mut guess = Sentence::from_forms(["a"]);
        guess.tokens[0].upos = "Y".into();
        assert_eq!(shown(seen(&all, Some(vec![guess.clone()]))), shown(Words::of(&guess, None, false)));
        let none = JointRecipe { also: String::new(), ..all.clone() };
        assert_eq!(shown(seen(&none, None)), shown(Words::of(&sentence, None, false)));
        assert_ne!(shown(seen(&none, None)), shown(seen(&all, None)));
    }
}
