//! The edges in whose company an edge is, once a graph is known: what its label may depend on.
//!
//! Complexity: O(n + m) for m edges.

use super::{Candidates, Link, Node};
use crate::part::{Kind, Part};
use pleach_graph::node::{LEFT_EDGE, RIGHT_EDGE};

/// How many other edges the label of an edge looks at.
pub const COMPANY: usize = 4;

/// The other ends of these edges, in order: the longest edge of s to the left, the longest edges of s and of e strictly
/// inside, and the longest edge of e to the right, for an edge (s,e).
pub type Company = [Node; COMPANY];

/// An edge with each of these; the choices are labels.
pub const CONTEXTS: [Kind; COMPANY] = [Kind(8), Kind(9), Kind(10), Kind(11)];

/// The parts of an edge with its company.
pub fn contexts((left, right): (Node, Node), company: &Company) -> [Part; COMPANY] {
    std::array::from_fn(|place| Part::three(CONTEXTS[place], left, right, company[place]))
}

/// The company of each edge of a graph, `links` being sorted. Where there is none, it is a word beyond the sentence.
/// `last` is memory to work in.
pub fn companies(
    candidates: &Candidates,
    links: &[Link],
    last: &mut Vec<[Node; 2]>,
    companies: &mut Vec<Company>,
) {
    last.clear();
    last.resize(candidates.nodes(), [LEFT_EDGE, RIGHT_EDGE]);
    companies.clear();
    companies.resize(links.len(), [LEFT_EDGE, RIGHT_EDGE, LEFT_EDGE, RIGHT_EDGE]);
    // From the left, the last edge that a node met to the right is the longest one so far; from the right likewise.
    for (link, company) in links.iter().zip(&mut *companies) {
        let (s, e) = candidates.ends(link.edge);
        company[1] = std::mem::replace(&mut last[usize::from(s)][1], e);
    }
    for (link, company) in links.iter().zip(&mut *companies).rev() {
        let (s, e) = candidates.ends(link.edge);
        company[2] = std::mem::replace(&mut last[usize::from(e)][0], s);
    }
    for (link, company) in links.iter().zip(companies) {
        let (s, e) = candidates.ends(link.edge);
        company[0] = last[usize::from(s)][0];
        company[3] = last[usize::from(e)][1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noncrossing::Direction;

    #[test]
    fn companies_are_the_longest_edges_of_the_ends() {
        let candidates = Candidates::complete(7);
        let ends = [(0, 3), (1, 2), (1, 3), (1, 5), (2, 3), (3, 5), (5, 6)];
        let links: Vec<Link> = ends
            .iter()
            .filter_map(|&(left, right)| candidates.find(left, right))
            .map(|edge| Link { edge, direction: Direction::Left })
            .collect();
        let mut found = Vec::new();
        companies(&candidates, &links, &mut Vec::new(), &mut found);
        let (none_left, none_right) = (LEFT_EDGE, RIGHT_EDGE);
        assert_eq!(found[0], [none_left, none_right, 1, 5], "0-3: under it 1-3, beyond it 3-5");
        assert_eq!(found[2], [none_left, 2, 2, 5], "1-3: under it 1-2 and 2-3");
        assert_eq!(found[3], [none_left, 3, 3, 6], "1-5");
        assert_eq!(found[4], [1, none_right, none_left, 5], "2-3");
        assert_eq!(found[6], [1, none_right, none_left, none_right], "5-6: beyond it 1-5");
    }
}
