//! Which arcs go above the words and which below: the two pages of a book.
//!
//! Where two pages suffice, [`Edges::book`] finds them. A picture has no third page: arcs of thicker books
//! start below and then move, one at a time, to the side where they cross fewer others.
//!
//! Invariant: two arcs of one side cross only in a component of crossing arcs that has no two-page book.
//! Complexity: O(m log m) for m arcs and O(log m) for each pair that crosses, up to a fixed number of pairs.

use crate::picture::Picture;
use pleach_graph::properties::{Edge, Edges, Root};
use pleach_graph::{Arc, Graph};

/// The side of the words on which an arc is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Above the words.
    #[default]
    Above,
    /// Below the words.
    Below,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Above => Side::Below,
            Side::Below => Side::Above,
        }
    }
}

/// With more crossings than this, arcs stay where the book put them.
const CROSSINGS: u64 = 200_000;

/// A side for each link, in their order. Arcs that cross nothing are above; in each component of crossing
/// arcs the larger part is.
pub fn assign(picture: &Picture) -> Vec<Side> {
    let arcs = picture.links.iter();
    let arcs = arcs.map(|link| Arc { head: link.head, dependent: link.dependent, label: () });
    let edges = Edges::new(&Graph::from_arcs(picture.words.len(), arcs.collect()), Root::Excluded);
    if edges.is_noncrossing() {
        return vec![Side::Above; picture.links.len()];
    }
    let sides = two_sides(&edges);
    let side = |link: &crate::Link| {
        let (left, right) = (link.head.min(link.dependent), link.head.max(link.dependent));
        let place = edges.as_slice().binary_search(&Edge { left, right });
        place.map_or(Side::Above, |place| sides[place])
    };
    picture.links.iter().map(side).collect()
}

fn two_sides(edges: &Edges) -> Vec<Side> {
    // The search for the thinnest of thick books would be of no use here.
    let book = edges.book_within(0);
    let mut sides: Vec<Side> =
        book.edges().map(|(_, page)| if page == 0 { Side::Above } else { Side::Below }).collect();
    if edges.crossing_pair_count() > CROSSINGS {
        return sides;
    }
    let place = |edge: Edge| edges.as_slice().partition_point(|&other| other < edge);
    let mut crossed: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (a, b) in edges.crossing_pairs() {
        crossed[place(a)].push(place(b));
        crossed[place(b)].push(place(a));
    }
    for members in components(&crossed) {
        improve(&crossed, &mut sides, &members);
        let below = members.iter().filter(|&&arc| sides[arc] == Side::Below).count();
        if 2 * below > members.len() {
            for &arc in &members {
                sides[arc] = sides[arc].other();
            }
        }
    }
    sides
}

/// The arcs that hang together by crossings.
fn components(crossed: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; crossed.len()];
    let mut components = Vec::new();
    for start in 0..crossed.len() {
        if std::mem::replace(&mut seen[start], true) || crossed[start].is_empty() {
            continue;
        }
        let mut members = vec![start];
        let mut next = 0;
        while next < members.len() {
            for &other in &crossed[members[next]] {
                if !std::mem::replace(&mut seen[other], true) {
                    members.push(other);
                }
            }
            next += 1;
        }
        components.push(members);
    }
    components
}

/// Moves arcs to the side where they cross fewer others, until none can. Each move lowers the number of
/// crossings, so this ends; where two pages suffice there is nothing to move.
fn improve(crossed: &[Vec<usize>], sides: &mut [Side], members: &[usize]) {
    let mut moved = true;
    while moved {
        moved = false;
        for &arc in members {
            let same = crossed[arc].iter().filter(|&&other| sides[other] == sides[arc]).count();
            if 2 * same > crossed[arc].len() {
                sides[arc] = sides[arc].other();
                moved = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Basis;
    use pleach_graph::{NodeId, Sentence};

    fn sides(words: usize, spans: &[(u32, u32)]) -> (Picture, Vec<Side>) {
        let mut sentence = Sentence::from_forms(vec!["w"; words]);
        for &(head, dependent) in spans {
            sentence.graph.insert(NodeId(head), NodeId(dependent), "x".into());
        }
        let picture = Picture::new(&sentence, Basis::Graph);
        let sides = assign(&picture);
        (picture, sides)
    }

    #[test]
    fn arcs_that_cross_nothing_and_the_larger_part_are_above() {
        let (picture, sides) = sides(9, &[(1, 9), (2, 4), (4, 2), (3, 6), (6, 7), (5, 8)]);
        for (link, side) in picture.links.iter().zip(sides) {
            let middle = (link.head.0.min(link.dependent.0), link.head.0.max(link.dependent.0)) == (3, 6);
            assert_eq!(side == Side::Below, middle, "{link:?}");
        }
    }

    #[test]
    fn thick_books_keep_few_crossings() {
        // Three arcs that cross each other: one crossing is left.
        let (_, sides) = sides(6, &[(1, 4), (2, 5), (3, 6)]);
        assert_eq!(sides.iter().filter(|&&side| side == Side::Below).count(), 1);
    }
}
