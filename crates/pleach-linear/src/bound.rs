//! A linear model bound to sentences: what searches and decoders ask.
//!
//! Complexity: O(templates) look-ups a question, less what is kept within a sentence (see [`Scoring`]).

use crate::foreseen::Foreseen;
use crate::model::LinearModel;
use crate::scoring::{Rows, Scoring};
use pleach_decode::part::{Kind, Part, PartScorer};
use pleach_graph::words::Words;
use pleach_graph::{NONE, Node};
use pleach_transition::configuration::{Configuration, List, SiteView};
use pleach_transition::scorer::{Place, Question, Questions, Scorer, Side};
use pleach_transition::state::{Links, State};
use std::ops::{AddAssign, Range};

/// An arc that a graph system may make, as templates see it: its nodes are `h` and `d`, all other lists those of the
/// configuration.
#[derive(Clone, Copy, Debug)]
struct ArcView<'a> {
    state: &'a State,
    nodes: [Node; 2],
    fleeting: bool,
}

impl<'a> ArcView<'a> {
    fn new(state: &'a State, side: Side, fleeting: bool) -> Self {
        let (head, dependent) = side.arc(state);
        ArcView { state, nodes: [head, dependent], fleeting }
    }
}

impl Configuration for ArcView<'_> {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        match list {
            List::Part => self.nodes.get(index).copied().unwrap_or(NONE),
            list => self.state.start(list, index),
        }
    }

    #[inline]
    fn links(&self, node: Node) -> Option<&Links> {
        Configuration::links(self.state, node)
    }

    #[inline]
    fn arc(&self, a: Node, b: Node) -> u32 {
        self.state.arc(a, b)
    }

    #[inline]
    fn is_unique(&self, _: usize) -> bool {
        self.fleeting
    }
}

/// A configuration of a graph system in greedy search: two nodes hardly ever meet twice.
#[derive(Clone, Copy, Debug)]
struct Fleeting<'a>(&'a State);

impl Configuration for Fleeting<'_> {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        self.0.start(list, index)
    }

    #[inline]
    fn links(&self, node: Node) -> Option<&Links> {
        Configuration::links(self.0, node)
    }

    #[inline]
    fn arc(&self, a: Node, b: Node) -> u32 {
        self.0.arc(a, b)
    }

    #[inline]
    fn is_unique(&self, nodes: usize) -> bool {
        nodes >= 2
    }
}

/// What is kept of the current sentences, one entry a set of templates or a sentence; used again and again.
#[derive(Clone, Debug)]
pub struct Memory<S> {
    /// By sentence.
    actions: Vec<Scoring<S>>,
    /// The labels of arcs, by sentence.
    labels: Vec<Scoring<S>>,
    /// By kind.
    parts: Vec<Foreseen<S>>,
}

impl<S> Default for Memory<S> {
    fn default() -> Self {
        Memory { actions: Vec::new(), labels: Vec::new(), parts: Vec::new() }
    }
}

/// A linear model bound to one or several sentences.
#[derive(Debug)]
pub struct Bound<'a, R: Rows> {
    pub(crate) model: &'a LinearModel,
    rows: R,
    pub(crate) sentences: Vec<&'a Words>,
    pub(crate) memory: &'a mut Memory<R::Sum>,
    /// The sentence whose parts are scored.
    pub(crate) sentence: usize,
    fleeting: bool,
}

impl<'a, R: Rows> Bound<'a, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    /// The weights.
    pub(crate) fn rows(&self) -> &R {
        &self.rows
    }

    /// Binds a model with its weights to sentences.
    pub fn new(
        model: &'a LinearModel,
        rows: R,
        sentences: Vec<&'a Words>,
        memory: &'a mut Memory<R::Sum>,
    ) -> Self {
        let sets = [(&model.actions, &mut memory.actions), (&model.labels, &mut memory.labels)];
        for (_, scorings) in sets.into_iter().filter(|(templates, _)| templates.is_some()) {
            if scorings.len() < sentences.len() {
                scorings.resize_with(sentences.len(), Scoring::default);
            }
            scorings[..sentences.len()].iter_mut().for_each(Scoring::begin);
        }
        if memory.parts.len() < model.parts.len() {
            memory.parts.resize_with(model.parts.len(), Default::default);
        }
        memory.parts.iter_mut().for_each(Foreseen::forget);
        Bound { model, rows, sentences, memory, sentence: 0, fleeting: false }
    }

    /// Goes on to the parts of another sentence.
    pub fn turn_to(&mut self, sentence: usize) {
        if self.sentence != sentence {
            self.sentence = sentence;
            self.memory.parts.iter_mut().for_each(Foreseen::forget);
        }
    }

    /// The features of a place.
    pub(crate) fn place_keys(&mut self, question: Question<'_>) -> &[u64] {
        let sentence = question.sentence;
        let words = self.sentences[sentence];
        if let Place::Arc(state, side) = question.place {
            let Some(templates) = &self.model.labels else { return &[] };
            return self.memory.labels[sentence].keys(templates, words, &ArcView::new(state, side, false));
        }
        let Some(templates) = &self.model.actions else { return &[] };
        let scoring = &mut self.memory.actions[sentence];
        match question.place {
            Place::Arc(..) => &[],
            Place::Graph(state) => scoring.keys(templates, words, state),
            Place::Tree(state, site) => {
                let view = SiteView { state, site, fleeting: self.fleeting };
                scoring.keys(templates, words, &view)
            }
        }
    }

    /// The features of a part.
    pub(crate) fn part_keys(&mut self, part: Part) -> &[u64] {
        let kind = usize::from(part.kind.0);
        let Some(Some(set)) = self.model.parts.get(kind) else { return &[] };
        self.memory.parts[kind].keys(set, self.sentences[self.sentence], part)
    }
}

impl<R: Rows> Bound<'_, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    /// Answers questions about one sentence, all of them about actions or all about labels.
    fn answer_together(&mut self, questions: &dyn Questions, numbers: Range<usize>, scores: &mut [f32]) {
        let Question { sentence, place } = questions.get(numbers.start);
        let (words, fleeting, rows) = (self.sentences[sentence], self.fleeting, &self.rows);
        let (templates, scorings) = match place {
            Place::Arc(..) => (&self.model.labels, &mut self.memory.labels),
            Place::Graph(_) | Place::Tree(..) => (&self.model.actions, &mut self.memory.actions),
        };
        let Some(templates) = templates else { return scores.fill(0.0) };
        let scoring = &mut scorings[sentence];
        if numbers.len() == 1 {
            return match place {
                Place::Arc(state, side) => {
                    scoring.score(rows, templates, words, &ArcView::new(state, side, fleeting), scores);
                }
                Place::Graph(state) if fleeting => {
                    scoring.score(rows, templates, words, &Fleeting(state), scores);
                }
                Place::Graph(state) => scoring.score(rows, templates, words, state, scores),
                Place::Tree(state, site) => {
                    scoring.score(rows, templates, words, &SiteView { state, site, fleeting }, scores);
                }
            };
        }
        scoring.open(scores.len() / numbers.len().max(1));
        for number in numbers {
            match questions.get(number).place {
                Place::Arc(state, side) => {
                    scoring.push(rows, templates, words, &ArcView::new(state, side, fleeting));
                }
                Place::Graph(state) if fleeting => scoring.push(rows, templates, words, &Fleeting(state)),
                Place::Graph(state) => scoring.push(rows, templates, words, state),
                Place::Tree(state, site) => {
                    scoring.push(rows, templates, words, &SiteView { state, site, fleeting });
                }
            }
        }
        scoring.close(rows, scores);
    }
}

impl<R: Rows> Scorer for Bound<'_, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        if questions.len() == 1 {
            return self.answer_together(questions, 0..1, rows);
        }
        let width = (rows.len() / questions.len().max(1)).max(1);
        let about = |number| {
            let Question { sentence, place } = questions.get(number);
            (sentence, matches!(place, Place::Arc(..)))
        };
        // Those about one sentence are answered together.
        let mut from = 0;
        while from < questions.len() {
            let same = |&number: &usize| about(number) == about(from);
            let end = (from + 1..questions.len()).take_while(same).last().map_or(from + 1, |last| last + 1);
            self.answer_together(questions, from..end, &mut rows[from * width..end * width]);
            from = end;
        }
    }

    fn reach(&self) -> usize {
        self.model.actions.as_ref().map_or(0, |templates| templates.reach())
    }

    fn expect_few_repeats(&mut self) {
        self.fleeting = true;
    }
}

impl<R: Rows> PartScorer for Bound<'_, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    fn scores(&self, kind: Kind) -> bool {
        self.model.parts.get(usize::from(kind.0)).is_some_and(Option::is_some)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        let kind = usize::from(part.kind.0);
        let Some(Some(set)) = self.model.parts.get(kind) else { return scores.fill(0.0) };
        let words = self.sentences[self.sentence];
        self.memory.parts[kind].score(&self.rows, set, words, part, scores);
    }

    fn score_together(&mut self, parts: &[Part], scores: &mut [f32]) {
        let Some(first) = parts.first() else { return };
        let kind = usize::from(first.kind.0);
        let Some(Some(set)) = self.model.parts.get(kind) else { return scores.fill(0.0) };
        let words = self.sentences[self.sentence];
        self.memory.parts[kind].score_together(&self.rows, set, words, parts, scores);
    }

    fn expect(&mut self, parts: &[Part]) {
        let (model, memory) = (&self.model.parts, &mut self.memory.parts);
        let scored = |part: &&Part| matches!(model.get(usize::from(part.kind.0)), Some(Some(_)));
        for part in parts.iter().filter(scored) {
            memory[usize::from(part.kind.0)].expect_others();
        }
        for part in parts.iter().filter(scored) {
            memory[usize::from(part.kind.0)].expect(*part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Learner;
    use crate::lesson::Lesson;
    use crate::model::{Set, Subject};
    use pleach_graph::Sentence;
    use pleach_transition::action::Edge;
    use pleach_transition::scorer::Learn;

    fn model() -> LinearModel {
        let set = |of, templates: &str| Set { of, templates: templates.into(), once: false };
        let templates = "h.w d.w\nd.w dir(h,d)\nd.w d.lset";
        LinearModel::new(vec![
            set(Subject::Actions, "s0.w b0.w\nb0.w\nb0.w b0.lset"),
            set(Subject::Labels, templates),
        ])
        .unwrap()
    }

    fn state(linked: bool) -> State {
        let mut state = State::default();
        state.reset(3);
        state.stack.extend([1, 2]);
        state.buffer.push(3);
        if linked {
            state.link(1, 3, Edge { left: 2, right: 0 });
        }
        state
    }

    /// A row of choices and a row of labels for each side.
    fn rows(scorer: &mut impl Scorer, state: &State) -> Vec<Vec<f32>> {
        let places = [Place::Graph(state), Place::Arc(state, Side::Left), Place::Arc(state, Side::Right)];
        let row = |place| {
            let mut row = vec![0.0; 4];
            scorer.answer(&Question { sentence: 0, place }, &mut row);
            row
        };
        places.map(row).to_vec()
    }

    #[test]
    fn labels_have_weights_of_their_own() {
        let (model, mut words, mut memory) = (model(), Words::default(), Memory::default());
        words.fill(&Sentence::from_forms(["a", "b", "c"]), false);
        let mut learner = Learner::default();
        let (plain, linked) = (state(false), state(true));
        let before = {
            let bound = Bound::new(&model, &learner, vec![&words], &mut memory);
            let mut lesson = Lesson::new(bound);
            let before = rows(&mut lesson, &linked);
            lesson.change_action(Question::arc(&linked, Side::Left), 3, 1.0);
            lesson.change_action(Question::state(&linked), 2, 5.0);
            lesson
                .into_taught()
                .changes
                .into_iter()
                .for_each(|(key, label, by)| learner.update(key, label, by));
            before
        };
        assert_eq!(before, vec![vec![0.0; 4]; 3]);
        let mut kept = Bound::new(&model, &learner, vec![&words], &mut memory);
        let after = rows(&mut kept, &linked);
        assert_eq!(after[0], [0.0, 0.0, 15.0, 0.0]);
        assert_eq!(after[1], [0.0, 0.0, 0.0, 3.0]);
        // The other side has another dependent.
        assert_eq!(after[2], [0.0; 4]);
        // What hangs on the front changes the features of choices.
        assert_eq!(rows(&mut kept, &plain)[0], [0.0, 0.0, 10.0, 0.0]);
        let mut memory = Memory::default();
        let mut fleeting = Bound::new(&model, &learner, vec![&words], &mut memory);
        fleeting.expect_few_repeats();
        for state in [&linked, &plain, &linked] {
            assert_eq!(rows(&mut fleeting, state), rows(&mut kept, state));
        }
    }
}
