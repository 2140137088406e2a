//! The positions of a configuration that a network looks at (`sun-2019` section 5.3): `s0 b0 s0.lc …`.

use pleach_decode::part::Part;
use pleach_graph::{NONE, Node};
use pleach_transition::configuration::{Configuration, List, SiteView};
use pleach_transition::scorer::Place;

/// A node of a configuration: one of a list, or a neighbour of one in the partial graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    list: List,
    index: usize,
    neighbour: Option<Neighbour>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbour {
    LeftParent,
    RightParent,
    LeftChild,
    RightChild,
}

/// Reads positions, with spaces between them.
pub fn parse(text: &str) -> Result<Vec<Position>, String> {
    text.split_whitespace().map(position).collect()
}

fn position(name: &str) -> Result<Position, String> {
    let wrong = || {
        format!(
            "'positions' has '{name}'; there are s0 s1 … m0 m1 … b0 b1 …, and .lp .rp .lc .rc behind them"
        )
    };
    let (start, neighbour) = name.split_once('.').map_or((name, None), |(start, more)| (start, Some(more)));
    let list = match start.as_bytes().first() {
        Some(b's') => List::Stack,
        Some(b'm') => List::Second,
        Some(b'b') => List::Buffer,
        _ => return Err(wrong()),
    };
    let index = start[1..].parse().ok().filter(|&index: &usize| index < 16).ok_or_else(wrong)?;
    let neighbour = match neighbour {
        None => None,
        Some("lp") => Some(Neighbour::LeftParent),
        Some("rp") => Some(Neighbour::RightParent),
        Some("lc") => Some(Neighbour::LeftChild),
        Some("rc") => Some(Neighbour::RightChild),
        Some(_) => return Err(wrong()),
    };
    Ok(Position { list, index, neighbour })
}

impl Position {
    /// The node at a place, or [`NONE`].
    pub fn node(&self, place: Place<'_>) -> Node {
        match place {
            Place::Graph(state) | Place::Arc(state, _) => self.of(state),
            Place::Tree(state, site) => self.of(&SiteView { state, site, fleeting: true }),
        }
    }

    fn of(&self, place: &impl Configuration) -> Node {
        let start = place.start(self.list, self.index);
        let Some(neighbour) = self.neighbour else { return start };
        let Some(links) = place.links(start).filter(|_| start != NONE) else { return NONE };
        match neighbour {
            Neighbour::LeftParent => links.left_parent.node,
            Neighbour::RightParent => links.right_parent.node,
            Neighbour::LeftChild => links.left_child.node,
            Neighbour::RightChild => links.right_child.node,
        }
    }
}

/// The arcs that an action at a place can make: from the right of its two nodes to the left one, and the other way round.
pub fn arcs(place: Place<'_>) -> [Option<Part>; 2] {
    let (left, right) = match place {
        Place::Graph(state) | Place::Arc(state, _) => {
            (state.start(List::Stack, 0), state.start(List::Buffer, 0))
        }
        Place::Tree(_, site) => (site.left, site.right),
    };
    if left == NONE || right == NONE {
        return [None; 2];
    }
    [Some(Part::arc(right, left)), Some(Part::arc(left, right))]
}

/// How many tokens around a site the positions reach.
pub fn reach(positions: &[Position]) -> usize {
    positions.iter().map(|position| position.index).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_transition::action::Edge;
    use pleach_transition::state::State;

    #[test]
    fn positions_are_read_and_found() {
        let positions = parse("s0 s1 b0 s0.lc b0.rp m0").unwrap();
        let mut state = State::default();
        state.reset(5);
        state.stack.extend([1, 3]);
        state.buffer.extend([5, 4]);
        state.link(1, 3, Edge { left: 2, right: 0 });
        let nodes: Vec<Node> = positions.iter().map(|p| p.node(Place::Graph(&state))).collect();
        assert_eq!(nodes, [3, 1, 4, 1, NONE, NONE]);
        assert_eq!(reach(&positions), 1);
        for wrong in ["x0", "s", "s0.xx", "s99", "b-1"] {
            assert!(parse(wrong).unwrap_err().contains(wrong), "{wrong}");
        }
    }
}
