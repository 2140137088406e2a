//! How greedy easy-first parsing grows with the sentence: with a heap, and with a plain look at all sites of every step.
//!
//! ```sh
//! cargo run --release -p pleach-transition --example heap_curve
//! ```
//!
//! Scores are made up from the tokens near a site, so that nothing but the search is measured; times are processor times.

#![allow(clippy::print_stdout, reason = "the table is what the example is for")]

use cpu_time::ThreadTime;
use pleach_transition::NONE;
use pleach_transition::scorer::{Place, Questions, Scorer};
use pleach_transition::search::Lockstep;
use pleach_transition::tree::classes::Classes;
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::search::{Greedy, Heap, Machine};
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::{Site, System};
use std::collections::BTreeSet;

/// Scores by a hash of the four tokens around a site.
#[derive(Default)]
struct Hashed {
    calls: usize,
}

impl Hashed {
    fn score(state: &State, site: Site, scores: &mut [f32]) {
        let beside = |node, step: fn(&State, u16) -> u16| if node == NONE { NONE } else { step(state, node) };
        let nodes = [
            beside(site.left, |state, node| state.row.before(node)),
            site.left,
            site.right,
            beside(site.right, |state, node| state.row.after(node)),
        ];
        let mut h = nodes
            .iter()
            .fold(1u64, |h, &node| (h.rotate_left(23) ^ u64::from(node)).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for score in scores {
            h = h.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ h >> 29;
            *score = (h >> 40) as f32;
        }
    }
}

impl Scorer for Hashed {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        self.calls += questions.len();
        let width = rows.len() / questions.len().max(1);
        for (number, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
            if let Place::Tree(state, site) = questions.get(number).place {
                Hashed::score(state, site, row);
            }
        }
    }

    fn reach(&self) -> usize {
        1
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = System::new(&Preset::EasyFirst.settings());
    let labels: BTreeSet<u16> = (1..=40).collect();
    let classes = Classes::new(&system, &labels, &labels, &BTreeSet::from([41]))?;
    let machine = Machine::new(system, classes);
    let mut lockstep = Lockstep::default();
    let (mut heap, mut greedy) = (Heap::default(), Greedy::default());
    println!("| words | sites scored | heap, µs | µs a word | all sites, µs | µs a word |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for len in [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 20_000, 60_000] {
        let mut scorer = Hashed::default();
        let clock = ThreadTime::now();
        heap.begin(&machine, len, scorer.reach());
        lockstep.run(&machine, &mut heap, machine.actions(), &mut scorer);
        let with_heap = clock.elapsed().as_secs_f64() * 1e6;
        let calls = scorer.calls;
        let per_word = |time: f64| time / len as f64;
        print!("| {len} | {calls} | {with_heap:.0} | {:.2} |", per_word(with_heap));
        if len <= 2_000 {
            let clock = ThreadTime::now();
            greedy.begin(&machine, len, scorer.reach());
            lockstep.run(&machine, &mut greedy, machine.actions(), &mut scorer);
            let plain = clock.elapsed().as_secs_f64() * 1e6;
            println!(" {plain:.0} | {:.2} |", per_word(plain));
        } else {
            println!(" | |");
        }
    }
    Ok(())
}
