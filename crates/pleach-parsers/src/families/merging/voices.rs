//! Three tree models with one scorer (`sun-2019` section 4.5 with one shared BiLSTM).
//!
//! Arcs have a choice for each tree. Labels are one list for all: what an arc says, and which trees, its own among them,
//! make the edge. That does not depend on the tree that is asked, so that the labels of an arc are scored once for three
//! trees; a tree looks at those that it can give.

use super::tagged::Tagged;
use crate::families::offers::OfferModel;
use crate::scorer::{Bound, Learner, PartShape, Structure};
use crate::trees::Said;
use pleach_decode::merge::TREES;
use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
use pleach_decode::tree::around::TREE;
use pleach_graph::Text;
use pleach_graph::words::Words;
use std::collections::BTreeMap;

/// Where the labels of three trees are in the list of all.
#[derive(Debug)]
pub(super) struct Voices {
    count: usize,
    places: [Vec<u16>; TREES],
}

impl Voices {
    /// Numbers the labels of three trees.
    pub fn new(labels: [&[Text]; TREES]) -> Self {
        let mut numbers: BTreeMap<(Said, u32), u16> = BTreeMap::new();
        let mut tree = 0;
        let places = labels.map(|labels| {
            let place = |name: &Text| {
                let Tagged { said, tag } = Tagged::parse(name);
                // A tree never sets its own bit; nothing is said by nobody.
                let makers = if said.is_nothing() { 0 } else { tag | 1 << tree };
                let next = numbers.len() as u16;
                *numbers.entry((said, makers)).or_insert(next)
            };
            let places = labels.iter().map(place).collect();
            tree += 1;
            places
        });
        Voices { count: numbers.len(), places }
    }

    /// What the shared scorer is asked; `model` is one of the three.
    pub fn structure(&self, model: &OfferModel) -> Structure {
        let [arcs, labels] = model.templates();
        let parts = vec![
            PartShape::new(Kind::ARC, TREES, 0, arcs),
            PartShape::new(Kind::LABEL, self.count, 1, labels),
        ];
        Structure { actions: None, parts }
    }

    /// The scores of a part as one tree sees it.
    fn score(
        &self,
        tree: usize,
        scorer: &mut dyn PartScorer,
        part: Part,
        scores: &mut [f32],
        row: &mut Vec<f32>,
    ) {
        if part.kind == Kind::ARC {
            let mut all = [0.0; TREES];
            scorer.score(part, &mut all);
            scores.fill(0.0);
            scores[usize::from(TREE)] = all[tree];
        } else if part.kind == Kind::LABEL {
            row.resize(self.count, 0.0);
            scorer.score(part, row);
            let places = self.places[tree].iter().map(|&place| row[usize::from(place)]);
            scores.iter_mut().zip(places).for_each(|(score, own)| *score = own);
        }
    }
}

fn is_shared(kind: Kind) -> bool {
    kind == Kind::ARC || kind == Kind::LABEL
}

/// The scorers of three tree models, turned to one sentence: one for each, or one that they share.
pub(super) struct Scorers<'a> {
    bound: Vec<Box<dyn Bound + 'a>>,
    voices: Option<&'a Voices>,
    row: Vec<f32>,
    words: Vec<&'a Words>,
    sentence: usize,
}

impl<'a> Scorers<'a> {
    /// As many scorers as it takes, bound to the same sentences.
    pub fn new(bound: Vec<Box<dyn Bound + 'a>>, voices: Option<&'a Voices>, words: Vec<&'a Words>) -> Self {
        Scorers { bound, voices, row: Vec::new(), words, sentence: 0 }
    }

    /// The words of the sentence that was turned to.
    pub fn words(&self) -> &'a Words {
        self.words[self.sentence]
    }

    /// Goes on to another sentence.
    pub fn turn_to(&mut self, sentence: usize) {
        self.sentence = sentence;
        self.bound.iter_mut().for_each(|scorer| scorer.turn_to(sentence));
    }

    /// What scores the parts of a tree.
    pub fn of(&mut self, tree: usize) -> TreeScorer<'_, 'a> {
        let Scorers { bound, voices, row, .. } = self;
        let place = if voices.is_some() { 0 } else { tree };
        TreeScorer { scorer: &mut *bound[place], voices: *voices, tree, row }
    }
}

/// Scores the parts of one of three trees.
pub(super) struct TreeScorer<'s, 'a> {
    scorer: &'s mut (dyn Bound + 'a),
    voices: Option<&'a Voices>,
    tree: usize,
    row: &'s mut Vec<f32>,
}

impl PartScorer for TreeScorer<'_, '_> {
    fn scores(&self, kind: Kind) -> bool {
        self.scorer.scores(kind) && (self.voices.is_none() || is_shared(kind))
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        match self.voices {
            None => self.scorer.score(part, scores),
            Some(voices) => voices.score(self.tree, &mut Parts(&mut *self.scorer), part, scores, self.row),
        }
    }

    fn expect(&mut self, parts: &[Part]) {
        self.scorer.expect(parts);
    }
}

/// A bound scorer that is only asked for parts.
struct Parts<'s, 'a>(&'s mut (dyn Bound + 'a));

impl PartScorer for Parts<'_, '_> {
    fn scores(&self, kind: Kind) -> bool {
        self.0.scores(kind)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        self.0.score(part, scores);
    }
}

/// A shared learner as one tree sees it.
pub(super) struct TreeLearner<'l> {
    pub learner: &'l mut dyn Learner,
    pub voices: &'l Voices,
    pub tree: usize,
    pub row: &'l mut Vec<f32>,
}

impl PartScorer for TreeLearner<'_> {
    fn scores(&self, kind: Kind) -> bool {
        is_shared(kind) && self.learner.scores(kind)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        self.voices.score(self.tree, &mut *self.learner, part, scores, self.row);
    }

    fn expect(&mut self, parts: &[Part]) {
        self.learner.expect(parts);
    }
}

impl PartLearner for TreeLearner<'_> {
    fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
        let choice = if part.kind == Kind::ARC {
            self.tree as u16
        } else {
            self.voices.places[self.tree][usize::from(choice)]
        };
        self.learner.change_part(part, choice, amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::graph_based_trees::{Analysis, LocalSpace, learn_locally};
    use crate::scorer::toy::{self, Toy};

    /// Tree 0 says that tree 1 (bit 1) has it too, and tree 1 that tree 0 (bit 0) has.
    fn labels() -> [Vec<Text>; TREES] {
        let texts = |labels: &[&str]| labels.iter().copied().map(Text::from).collect();
        [texts(&["None", "a#0", "a#2"]), texts(&["None", "a#1", "b~R#0"]), texts(&["a#0"])]
    }

    /// The same statement by the same trees is one label, whoever is asked; everything else is apart.
    #[test]
    fn labels_are_shared_by_those_who_make_them() {
        let labels = labels();
        let voices = Voices::new(labels.each_ref().map(Vec::as_slice));
        let nothing = Tagged::default().name();
        assert_eq!(nothing.as_str(), "None");
        let [first, second, third] = &voices.places;
        assert_eq!(first[0], second[0]);
        assert_eq!(first[2], second[1]);
        assert_ne!(first[1], third[0]);
        assert_eq!(voices.count, 5);
    }

    /// Three trees that learn locally make the sum of their losses small, over the choices that they share.
    #[test]
    fn changes_are_the_negative_gradient() {
        let labels = labels();
        let voices = Voices::new(labels.each_ref().map(Vec::as_slice));
        let golds = [([0, 2, 0], [0, 2, 0]), ([0, 0, 1], [0, 1, 2]), ([0, 2, 0], [0, 0, 0])]
            .map(|(heads, labels)| Analysis { heads: heads.to_vec(), labels: labels.to_vec() });
        let (mut toy, mut row) = (Toy::default(), Vec::new());
        for (tree, gold) in golds.iter().enumerate() {
            let (learner, row) = (&mut toy as &mut dyn Learner, &mut row);
            let mut learner = TreeLearner { learner, voices: &voices, tree, row };
            learn_locally(&mut learner, labels[tree].len(), gold, &mut LocalSpace::default());
        }
        toy.check_gradient(|toy| {
            let value = |part: Part, choice: usize| f64::from(toy.value(&(toy::part(part), choice as u32)));
            let mut loss = 0.0;
            for (tree, Analysis { heads, labels }) in golds.iter().enumerate() {
                for word in 1..heads.len() as u16 {
                    let right = heads[usize::from(word)] as u16;
                    let score = |head: u16| value(Part::arc(head, word), tree);
                    let others = (0..heads.len() as u16).filter(|&head| head != word);
                    loss += others.map(|head| score(head).exp()).sum::<f64>().ln() - score(right);
                    let score = |place: u16| value(Part::label(right, word), place.into());
                    let places = &voices.places[tree];
                    let label = places[usize::from(labels[usize::from(word)])];
                    loss += places.iter().map(|&place| score(place).exp()).sum::<f64>().ln() - score(label);
                }
            }
            loss
        });
    }
}
