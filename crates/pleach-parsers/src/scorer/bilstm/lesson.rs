//! What a batch teaches a network: signs for choices become gradients of scores.

use super::answers::{self, Answers, Shape, pair, push_nodes, push_slots, reach};
use super::positions;
use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
use pleach_neural::NeuralError;
use pleach_neural::network::{ArcScores, Pair, Pass};
use pleach_transition::scorer::{Learn, Question, Questions, Scorer};

/// A pass under training; one of its sentences learns at a time.
pub struct Lesson<'p, 'a> {
    shape: &'p Shape,
    pass: &'p mut Pass<'a>,
    answers: Answers,
    sentence: usize,
    /// Amounts are changes of scores for a whole sentence; the loss is a mean over the words of the batch.
    weight: f32,
    arcs: Vec<ArcScores>,
    pairs: Vec<Pair>,
    /// The place of the current sentence's pairs among those that learn.
    pair_at: Vec<u32>,
    labels: Vec<f32>,
    /// The gradients of the choices of all words; empty until one learns.
    words: Vec<f32>,
    rows: Vec<u32>,
    actions: Vec<f32>,
    classes: usize,
    /// Rows of words and the gradients of their choices, by kind of higher order.
    groups: Vec<(Vec<u32>, Vec<f32>)>,
    /// The sum of all amounts: what is left to learn, as a number to watch.
    moved: f64,
    /// Whether all scores so far were numbers: losses need not show that they are not.
    finite: bool,
}

impl<'p, 'a> Lesson<'p, 'a> {
    /// Nothing is learnt yet; `weight` is what one word counts, `classes` the number of actions.
    pub fn new(shape: &'p Shape, pass: &'p mut Pass<'a>, weight: f32, classes: usize) -> Self {
        let arcs = vec![ArcScores::zeros(pass.batch().lengths()); shape.channels];
        Lesson {
            shape,
            pass,
            answers: Answers::default(),
            sentence: 0,
            weight,
            arcs,
            pairs: Vec::new(),
            pair_at: Vec::new(),
            labels: Vec::new(),
            words: Vec::new(),
            rows: Vec::new(),
            actions: Vec::new(),
            classes,
            groups: vec![Default::default(); shape.groups.len()],
            moved: 0.0,
            finite: true,
        }
    }

    /// Goes on to another sentence.
    pub fn turn_to(&mut self, sentence: usize) {
        self.sentence = sentence;
        self.answers.turn_to();
        self.pair_at.clear();
    }

    /// Gives all gradients to the pass; how much was moved.
    pub fn finish(self) -> Result<f64, NeuralError> {
        if let Some(error) = self.answers.failed {
            return Err(error);
        }
        if !self.finite {
            return Ok(f64::NAN);
        }
        let touched = |gradient: &ArcScores| gradient.data.iter().any(|&cell| cell != 0.0);
        for (channel, gradient) in self.arcs.iter().enumerate().filter(|(_, gradient)| touched(gradient)) {
            self.pass.arcs_gradient(channel, gradient)?;
        }
        if !self.pairs.is_empty() {
            self.pass.labels_gradient(&self.pairs, &self.labels)?;
        }
        if !self.words.is_empty() {
            self.pass.tags_gradient(0, &self.words)?;
        }
        if !self.rows.is_empty() {
            self.pass.positions_gradient(0, &self.rows, &self.actions)?;
        }
        for (group, (rows, gradient)) in
            self.groups.iter().enumerate().filter(|(_, (rows, _))| !rows.is_empty())
        {
            self.pass.positions_gradient(self.shape.first_group + group, rows, gradient)?;
        }
        Ok(self.moved)
    }

    fn change_arc(&mut self, part: Part, channel: usize, gradient: f32) {
        let nodes = self.pass.batch().lengths()[self.sentence];
        let cell = usize::from(part.nodes[1]) * nodes + usize::from(part.nodes[0]);
        self.arcs[channel].sentence_mut(self.sentence)[cell] += gradient;
    }

    fn label_row(&mut self, part: Part) -> &mut [f32] {
        let nodes = self.pass.batch().lengths()[self.sentence];
        self.pair_at.resize(nodes * nodes, 0);
        let cell = usize::from(part.nodes[1]) * nodes + usize::from(part.nodes[0]);
        if self.pair_at[cell] == 0 {
            self.pairs.push(pair(self.sentence, &part));
            self.pair_at[cell] = self.pairs.len() as u32;
            self.labels.resize(self.pairs.len() * self.shape.labels, 0.0);
        }
        &mut self.labels[(self.pair_at[cell] as usize - 1) * self.shape.labels..][..self.shape.labels]
    }
}

impl Scorer for Lesson<'_, '_> {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        // A lesson is about one sentence; searches call it the first one.
        let sentence = self.sentence;
        self.answers.actions(self.shape, self.pass, &Moved { questions, sentence }, rows);
        self.finite &= rows.iter().all(|score| score.is_finite());
    }

    fn reach(&self) -> usize {
        reach(self.shape)
    }
}

/// The same questions about another sentence.
struct Moved<'q> {
    questions: &'q dyn Questions,
    sentence: usize,
}

impl Questions for Moved<'_> {
    fn len(&self) -> usize {
        self.questions.len()
    }

    fn get(&self, number: usize) -> Question<'_> {
        Question { sentence: self.sentence, ..self.questions.get(number) }
    }
}

impl Learn for Lesson<'_, '_> {
    fn change_action(&mut self, question: Question<'_>, action: u32, amount: f32) {
        let slots = self.shape.positions.len();
        let before = self.rows.len();
        push_slots(self.shape, self.pass, self.sentence, question.place, &mut self.rows);
        // Losses over all actions of a place come one action after the other.
        let same = before >= slots && self.rows[before - slots..before] == self.rows[before..];
        if same {
            self.rows.truncate(before);
        } else {
            self.actions.resize(self.rows.len() / slots.max(1) * self.classes, 0.0);
        }
        let row = self.actions.len() - self.classes;
        self.moved += f64::from(amount.abs());
        let Some(&made) = self.shape.made.get(action as usize) else {
            self.actions[row + action as usize] -= amount * self.weight;
            return;
        };
        self.actions[row + usize::from(made.class)] -= amount * self.weight;
        for (arc, label) in positions::arcs(question.place).into_iter().zip([made.left, made.right]) {
            if let Some(arc) = arc.filter(|_| label > 0) {
                let gradient = -amount * self.weight;
                self.change_arc(arc, 0, gradient);
                self.label_row(arc)[usize::from(label)] += gradient;
            }
        }
    }
}

impl PartScorer for Lesson<'_, '_> {
    fn scores(&self, kind: Kind) -> bool {
        answers::scores(self.shape, kind)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        self.answers.part(self.shape, self.pass, self.sentence, part, scores);
        self.finite &= scores.iter().all(|score| score.is_finite());
    }

    fn expect(&mut self, parts: &[Part]) {
        self.answers.expect(self.shape, self.pass, self.sentence, parts);
    }
}

impl PartLearner for Lesson<'_, '_> {
    fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
        let gradient = -amount * self.weight;
        self.moved += f64::from(amount.abs());
        match part.kind {
            Kind::ARC => {
                let Some(channel) = usize::from(choice).checked_sub(self.shape.unused) else { return };
                self.change_arc(part, channel, gradient);
            }
            Kind::LABEL => self.label_row(part)[usize::from(choice)] += gradient,
            Kind::WORD => {
                let (batch, classes) = (self.pass.batch(), self.shape.classes);
                self.words.resize(batch.rows() * classes, 0.0);
                let row = batch.row(self.sentence, part.nodes[0].into());
                self.words[row * classes + usize::from(choice)] += gradient;
            }
            kind => {
                let Some(group) = self.shape.group(kind) else { return };
                let (rows, gradients) = &mut self.groups[group];
                push_nodes(self.pass, self.sentence, &part, rows);
                let row = gradients.len();
                gradients.resize(row + self.shape.groups[group].1, 0.0);
                gradients[row + usize::from(choice)] = gradient;
            }
        }
    }
}
