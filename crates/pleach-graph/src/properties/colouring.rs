//! Colouring a graph with a given number of colours: exact search with a bound.
//!
//! Backtracking that always goes on with the node that sees the most colours (DSATUR, Brélaz 1979); of the
//! colours not used so far only the first is tried, the others being the same under another name.
//!
//! Complexity: exponential, but never more steps than the budget; a step looks at one node or one edge.

/// How a search ended.
pub(super) enum Search {
    /// One colour for each node.
    Found(Vec<u32>),
    /// There is no such colouring.
    Impossible,
    /// The budget did not suffice.
    GaveUp,
}

/// Colours the nodes so that neighbours differ. What the search takes is taken off the budget.
pub(super) fn colour(neighbours: &[Vec<u32>], colours: u32, budget: &mut u64) -> Search {
    let size = neighbours.len();
    // Less could not even colour every node once.
    if (size as u64) * (size as u64).max(u64::from(colours)) > *budget {
        return Search::GaveUp;
    }
    let mut state = State::new(neighbours, colours as usize);
    // Chosen nodes, each with the next colour to try and the number of colours in use before it.
    let mut chosen: Vec<(usize, usize, usize)> = Vec::new();
    while chosen.len() < size {
        let used = chosen.last().map_or(0, |&(node, _, used)| used.max(state.colour[node] + 1));
        let node = state.most_constrained();
        chosen.push((node, 0, used));
        *budget = budget.saturating_sub(size as u64);
        // Try the next colour of the last node; without one, go back to the node before.
        loop {
            let Some(&mut (node, ref mut next, used)) = chosen.last_mut() else { return Search::Impossible };
            if state.colour[node] != NONE {
                *budget = budget.saturating_sub(neighbours[node].len() as u64);
                state.uncolour(node);
            }
            let found = (*next..(used + 1).min(colours as usize)).find(|&colour| state.is_free(node, colour));
            match found {
                Some(colour) => {
                    *next = colour + 1;
                    *budget = budget.saturating_sub(neighbours[node].len() as u64);
                    state.paint(node, colour);
                    break;
                }
                None => {
                    chosen.pop();
                }
            }
        }
        if *budget == 0 {
            return Search::GaveUp;
        }
    }
    Search::Found(state.colour.iter().map(|&colour| colour as u32).collect())
}

const NONE: usize = usize::MAX;

struct State<'a> {
    neighbours: &'a [Vec<u32>],
    colours: usize,
    colour: Vec<usize>,
    /// For each node and colour, how many neighbours have it.
    seen: Vec<u32>,
    /// For each node, how many colours its neighbours have.
    saturation: Vec<u32>,
}

impl<'a> State<'a> {
    fn new(neighbours: &'a [Vec<u32>], colours: usize) -> Self {
        let size = neighbours.len();
        State {
            neighbours,
            colours,
            colour: vec![NONE; size],
            seen: vec![0; size * colours],
            saturation: vec![0; size],
        }
    }

    fn most_constrained(&self) -> usize {
        let open = (0..self.colour.len()).filter(|&node| self.colour[node] == NONE);
        open.max_by_key(|&node| (self.saturation[node], self.neighbours[node].len())).unwrap_or(0)
    }

    fn is_free(&self, node: usize, colour: usize) -> bool {
        self.seen[node * self.colours + colour] == 0
    }

    fn paint(&mut self, node: usize, colour: usize) {
        self.colour[node] = colour;
        for &other in &self.neighbours[node] {
            let seen = &mut self.seen[other as usize * self.colours + colour];
            *seen += 1;
            self.saturation[other as usize] += u32::from(*seen == 1);
        }
    }

    fn uncolour(&mut self, node: usize) {
        let colour = std::mem::replace(&mut self.colour[node], NONE);
        for &other in &self.neighbours[node] {
            let seen = &mut self.seen[other as usize * self.colours + colour];
            *seen -= 1;
            self.saturation[other as usize] -= u32::from(*seen == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colourable(neighbours: &[Vec<u32>], colours: u32) -> bool {
        let size = neighbours.len() as u32;
        (0..colours.pow(size)).any(|code| {
            let colour = |node: u32| code / colours.pow(node) % colours;
            (0..size).all(|a| neighbours[a as usize].iter().all(|&b| colour(a) != colour(b)))
        })
    }

    #[test]
    fn agrees_with_trying_all_colourings() {
        for size in 1..=5usize {
            let pairs: Vec<(usize, usize)> =
                (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b))).collect();
            for set in 0..1u32 << pairs.len() {
                let mut neighbours = vec![Vec::new(); size];
                for (a, b) in (0..pairs.len()).filter(|i| set >> i & 1 == 1).map(|i| pairs[i]) {
                    neighbours[a].push(b as u32);
                    neighbours[b].push(a as u32);
                }
                for colours in 1..=5 {
                    let mut budget = 1 << 20;
                    match colour(&neighbours, colours, &mut budget) {
                        Search::Found(found) => {
                            assert!(found.iter().all(|&c| c < colours));
                            for a in 0..size {
                                assert!(neighbours[a].iter().all(|&b| found[a] != found[b as usize]));
                            }
                        }
                        Search::Impossible => assert!(!colourable(&neighbours, colours)),
                        Search::GaveUp => panic!("the budget is large enough"),
                    }
                }
            }
        }
    }

    #[test]
    fn the_budget_ends_the_search() {
        let size = 60u32;
        let all: Vec<Vec<u32>> = (0..size).map(|a| (0..size).filter(|&b| b != a).collect()).collect();
        let mut budget = 100_000;
        assert!(matches!(colour(&all, size - 1, &mut budget), Search::Impossible | Search::GaveUp));
        let mut budget = 100;
        assert!(matches!(colour(&all, size, &mut budget), Search::GaveUp));
    }
}
