//! What a network says of the sentences of a batch, kept as far as it is asked for more than once.

use super::positions::{self, Position};
use crate::scorer::Made;
use pleach_decode::part::{Kind, Part};
use pleach_graph::NONE;
use pleach_neural::NeuralError;
use pleach_neural::network::{self, ArcScores, Pair, Pass};
use pleach_transition::scorer::{Place, Questions};

/// What is asked of a network, for a structure.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The channels of arcs that are there, behind those that are never used.
    pub unused: usize,
    /// How many channels the network has.
    pub channels: usize,
    /// How many labels.
    pub labels: usize,
    /// How many choices a word has.
    pub classes: usize,
    /// What is looked at for actions.
    pub positions: Vec<Position>,
    /// What actions are put together from; nothing where positions score them whole.
    pub made: Vec<Made>,
    /// The kinds of parts of higher order and the choices of each …
    pub groups: Vec<(Kind, usize)>,
    /// … and the head of the first kind; the others follow.
    pub first_group: usize,
}

impl Shape {
    /// The place of a kind among those of higher order.
    pub fn group(&self, kind: Kind) -> Option<usize> {
        self.groups.iter().position(|&(own, _)| own == kind)
    }
}

/// The scores so far.
#[derive(Debug, Default)]
pub struct Answers {
    /// By channel, for all sentences.
    arcs: Vec<ArcScores>,
    /// For each cell of the current sentence's matrix, the number of its row of labels plus one.
    label_at: Vec<u32>,
    label_rows: Vec<f32>,
    /// The choices of all words, for all sentences.
    words: Option<Vec<f32>>,
    pairs: Vec<Pair>,
    rows: Vec<u32>,
    foreseen: Foreseen,
    /// The first thing that went wrong; scores are 0 from there on.
    pub failed: Option<NeuralError>,
}

/// Parts of higher order that will be asked for one after the other, and their scores.
#[derive(Debug, Default)]
struct Foreseen {
    parts: Vec<Part>,
    /// As many for each as its kind has choices.
    scores: Vec<f32>,
    next: usize,
}

impl Foreseen {
    fn clear(&mut self) {
        self.parts.clear();
        self.scores.clear();
        self.next = 0;
    }

    /// The scores of a part, if it is the next one.
    fn take(&mut self, part: Part) -> Option<&[f32]> {
        let place = self.next;
        if self.parts.get(place) != Some(&part) {
            return None;
        }
        self.next += 1;
        let choices = self.scores.len() / self.parts.len();
        Some(&self.scores[place * choices..][..choices])
    }
}

impl Answers {
    /// Forgets the labels of the last sentence.
    pub fn turn_to(&mut self) {
        self.label_at.clear();
        self.label_rows.clear();
        self.foreseen.clear();
    }

    /// Gives the memory of all scores back, and that of the pass.
    pub fn finish(&mut self, pass: &mut Pass<'_>) {
        let arcs = self.arcs.drain(..).map(|scores| scores.data);
        let rows = [std::mem::take(&mut self.label_rows)];
        arcs.chain(self.words.take()).chain(rows).for_each(|scores| pass.give(scores));
        pass.finish();
    }

    /// The scores of an arc's channels, of its labels, or of a word's choices.
    pub fn part(
        &mut self,
        shape: &Shape,
        pass: &mut Pass<'_>,
        sentence: usize,
        part: Part,
        scores: &mut [f32],
    ) {
        scores.fill(0.0);
        let (head, dependent) = (usize::from(part.nodes[0]), usize::from(part.nodes[1]));
        let done = match part.kind {
            Kind::ARC => self.read_arcs(shape, pass).map(|()| {
                for (score, channel) in scores.iter_mut().skip(shape.unused).zip(&self.arcs) {
                    *score = channel.score(sentence, head, dependent);
                }
            }),
            Kind::LABEL => self.label_row(shape, pass, sentence, part).map(|row| {
                let row = &self.label_rows[row * shape.labels..][..shape.labels];
                scores.iter_mut().zip(row).for_each(|(score, &own)| *score = own);
            }),
            Kind::WORD => self.read_words(pass).map(|()| {
                let row = pass.batch().row(sentence, head) * shape.classes;
                let row = self.words.iter().flat_map(|words| &words[row..row + shape.classes]);
                scores.iter_mut().zip(row).for_each(|(score, &own)| *score = own);
            }),
            kind => shape.group(kind).map_or(Ok(()), |group| {
                if let Some(row) = self.foreseen.take(part) {
                    scores.iter_mut().zip(row).for_each(|(score, &own)| *score = own);
                    return Ok(());
                }
                self.rows.clear();
                push_nodes(pass, sentence, &part, &mut self.rows);
                let row = pass.positions(shape.first_group + group, &self.rows)?;
                scores.iter_mut().zip(row).for_each(|(score, own)| *score = own);
                Ok(())
            }),
        };
        if let Err(error) = done {
            self.failed.get_or_insert(error);
        }
    }

    /// Computes the labels of many arcs at once, or the scores of many parts of one kind of higher order.
    pub fn expect(&mut self, shape: &Shape, pass: &mut Pass<'_>, sentence: usize, parts: &[Part]) {
        if let Some(group) = parts.first().and_then(|part| shape.group(part.kind)) {
            self.foresee(shape.first_group + group, pass, sentence, parts);
            return;
        }
        let nodes = pass.batch().lengths()[sentence];
        self.label_at.resize(nodes * nodes, 0);
        self.pairs.clear();
        let known = self.label_rows.len() / shape.labels.max(1);
        for part in parts.iter().filter(|part| part.kind == Kind::LABEL) {
            let cell = usize::from(part.nodes[1]) * nodes + usize::from(part.nodes[0]);
            if self.label_at[cell] == 0 {
                self.pairs.push(pair(sentence, part));
                self.label_at[cell] = (known + self.pairs.len()) as u32;
            }
        }
        if self.pairs.is_empty() {
            return;
        }
        match pass.labels(&self.pairs) {
            Ok(rows) if known == 0 => pass.give(std::mem::replace(&mut self.label_rows, rows)),
            Ok(rows) => {
                self.label_rows.extend_from_slice(&rows);
                pass.give(rows);
            }
            Err(error) => {
                self.label_rows.resize((known + self.pairs.len()) * shape.labels, 0.0);
                self.failed.get_or_insert(error);
            }
        }
    }

    fn foresee(&mut self, head: usize, pass: &mut Pass<'_>, sentence: usize, parts: &[Part]) {
        self.foreseen.clear();
        self.rows.clear();
        parts.iter().for_each(|part| push_nodes(pass, sentence, part, &mut self.rows));
        match pass.positions(head, &self.rows) {
            Ok(scores) => {
                self.foreseen.parts.extend_from_slice(parts);
                self.foreseen.scores = scores;
            }
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }

    fn read_arcs(&mut self, shape: &Shape, pass: &mut Pass<'_>) -> Result<(), NeuralError> {
        while self.arcs.len() < shape.channels {
            self.arcs.push(pass.arcs(self.arcs.len())?);
        }
        Ok(())
    }

    fn read_words(&mut self, pass: &mut Pass<'_>) -> Result<(), NeuralError> {
        if self.words.is_none() {
            self.words = Some(pass.tags(0)?);
        }
        Ok(())
    }

    /// The number of an arc's row of labels.
    fn label_row(
        &mut self,
        shape: &Shape,
        pass: &mut Pass<'_>,
        sentence: usize,
        part: Part,
    ) -> Result<usize, NeuralError> {
        self.expect(shape, pass, sentence, &[part]);
        let nodes = pass.batch().lengths()[sentence];
        let cell = usize::from(part.nodes[1]) * nodes + usize::from(part.nodes[0]);
        Ok(self.label_at[cell] as usize - 1)
    }

    /// The scores of actions at places.
    pub fn actions(
        &mut self,
        shape: &Shape,
        pass: &mut Pass<'_>,
        questions: &dyn Questions,
        rows: &mut [f32],
    ) {
        self.rows.clear();
        for number in 0..questions.len() {
            let question = questions.get(number);
            push_slots(shape, pass, question.sentence, question.place, &mut self.rows);
        }
        let done = pass.positions(0, &self.rows).and_then(|scores| {
            if shape.made.is_empty() {
                rows.copy_from_slice(&scores);
                return Ok(());
            }
            self.put_together(shape, pass, questions, &scores, rows)
        });
        if let Err(error) = done {
            rows.fill(0.0);
            self.failed.get_or_insert(error);
        }
    }

    /// Adds up what actions are made of: their classes, which have `scores`, the arcs between two nodes and their labels.
    fn put_together(
        &mut self,
        shape: &Shape,
        pass: &mut Pass<'_>,
        questions: &dyn Questions,
        scores: &[f32],
        rows: &mut [f32],
    ) -> Result<(), NeuralError> {
        self.read_arcs(shape, pass)?;
        self.pairs.clear();
        for number in 0..questions.len() {
            let question = questions.get(number);
            let arcs = positions::arcs(question.place);
            self.pairs.extend(arcs.iter().flatten().map(|arc| pair(question.sentence, arc)));
        }
        let labels = pass.labels(&self.pairs)?;
        let mut known = self.pairs.iter().zip(labels.chunks_exact(shape.labels));
        let classes = scores.len() / questions.len().max(1);
        for (number, row) in rows.chunks_exact_mut(shape.made.len()).enumerate() {
            let there = positions::arcs(questions.get(number).place).map(|arc| arc.is_some());
            let sides = there.map(|there| {
                let (&Pair { sentence, head, dependent }, labels) =
                    if there { known.next()? } else { return None };
                Some((self.arcs[0].score(sentence as usize, head as usize, dependent as usize), labels))
            });
            let worth = |side: Option<(f32, &[f32])>, label: u16| match (side, label) {
                (Some((arc, labels)), 1..) => arc + labels[usize::from(label)],
                _ => 0.0,
            };
            let classes = &scores[number * classes..][..classes];
            for (score, made) in row.iter_mut().zip(&shape.made) {
                *score = classes[usize::from(made.class)]
                    + worth(sides[0], made.left)
                    + worth(sides[1], made.right);
            }
        }
        Ok(())
    }
}

/// An arc of a sentence.
pub fn pair(sentence: usize, part: &Part) -> Pair {
    let [head, dependent, ..] = part.nodes;
    Pair { sentence: sentence as u32, head: head.into(), dependent: dependent.into() }
}

/// Adds the rows of the nodes that are looked at.
pub fn push_slots(shape: &Shape, pass: &Pass<'_>, sentence: usize, place: Place<'_>, rows: &mut Vec<u32>) {
    rows.extend(shape.positions.iter().map(|position| match position.node(place) {
        NONE => network::NONE,
        node => pass.batch().row(sentence, usize::from(node)) as u32,
    }));
}

/// Adds the rows of a part's words; those that are missing, at an edge or altogether, have none.
pub fn push_nodes(pass: &Pass<'_>, sentence: usize, part: &Part, rows: &mut Vec<u32>) {
    let nodes = pass.batch().lengths()[sentence];
    rows.extend(part.nodes.iter().map(|&node| match usize::from(node) {
        node if node < nodes => pass.batch().row(sentence, node) as u32,
        _ => network::NONE,
    }));
}

/// How many tokens around a site scores depend on.
pub fn reach(shape: &Shape) -> usize {
    positions::reach(&shape.positions)
}

/// Whether a network scores parts of a kind.
pub fn scores(shape: &Shape, kind: Kind) -> bool {
    match kind {
        Kind::ARC => shape.channels > 0,
        Kind::LABEL => shape.labels > 0,
        Kind::WORD => shape.classes > 0,
        kind => shape.group(kind).is_some(),
    }
}
