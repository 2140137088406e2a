//! Scores that look random but depend on nothing but the sentence, the place and the action.

use pleach_transition::scorer::{Place, Question, Questions, Scorer};
use pleach_transition::search::{Lockstep, Stepped};

pub fn mix(h: u64, value: u64) -> u64 {
    (h.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (h >> 31)
}

/// The order in which a scorer answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Forwards,
    Backwards,
    /// Every other question first.
    Interleaved,
}

/// A scorer that is bound to sentences, which it tells apart by their seeds.
pub struct Hashed {
    pub seeds: Vec<u64>,
    pub order: Order,
    pub reach: usize,
    /// How many questions came together, at most.
    pub most: usize,
}

impl Hashed {
    pub fn new(seeds: impl IntoIterator<Item = u64>) -> Self {
        Hashed { seeds: seeds.into_iter().collect(), order: Order::Forwards, reach: 2, most: 0 }
    }

    pub fn at(&self, question: Question<'_>, action: usize) -> f32 {
        let mut h = mix(0, self.seeds[question.sentence]);
        match question.place {
            Place::Graph(state) => {
                for list in [&state.stack, &state.second, &state.buffer] {
                    h = list.iter().fold(mix(h, 77), |h, &node| mix(h, node.into()));
                }
                h = state.arcs().fold(h, |h, (head, dependent, label)| {
                    mix(mix(mix(h, head.into()), dependent.into()), label.into())
                });
            }
            Place::Arc(state, side) => {
                let (head, dependent) = side.arc(state);
                h = mix(mix(mix(h, 99), head.into()), dependent.into());
                h = mix(h, state.steps.into());
            }
            Place::Tree(state, site) => {
                h = mix(h, site.distance.into());
                for (mut node, back) in [(site.left, true), (site.right, false)] {
                    for _ in 0..=self.reach {
                        h = mix(h, node.into());
                        if node != pleach_transition::NONE {
                            h = mix(h, state.links[node as usize].child_labels[0].into());
                            node = if back { state.row.before(node) } else { state.row.after(node) };
                        }
                    }
                }
            }
        }
        // Few different values, so that ties are common.
        (mix(h, action as u64) >> 40) as f32 % 23.0
    }
}

impl Scorer for Hashed {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        let count = questions.len();
        self.most = self.most.max(count);
        let width = rows.len() / count;
        let mut order: Vec<usize> = (0..count).collect();
        match self.order {
            Order::Forwards => {}
            Order::Backwards => order.reverse(),
            Order::Interleaved => order.sort_by_key(|number| (number % 2, *number)),
        }
        for number in order {
            let question = questions.get(number);
            for (action, score) in rows[number * width..(number + 1) * width].iter_mut().enumerate() {
                *score = self.at(question, action);
            }
        }
    }

    fn reach(&self) -> usize {
        self.reach
    }
}

/// Runs one search to its end.
pub fn run_alone<M>(machine: &M, width: usize, search: &mut impl Stepped<M>, scorer: &mut impl Scorer) {
    Lockstep::default().run(machine, search, width, scorer);
}
