//! Gold graphs over numbered label sets, the way oracles and learners look at them.

use crate::Node;

/// An edge of an unordered pair: the label sets of its two directions, 0 for an absent direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The labels of the arc from the later node to the earlier one; in a configuration, from the front of the buffer to the
    /// top of the stack (LEFT-ARC).
    pub left: u16,
    /// The labels of the arc from the earlier node to the later one (RIGHT-ARC).
    pub right: u16,
}

impl Edge {
    /// The same edge seen from the other end.
    #[inline]
    pub fn flipped(self) -> Edge {
        Edge { left: self.right, right: self.left }
    }
}

/// A gold graph the way oracles look at it: encoded edges, self-loops, tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gold {
    len: usize,
    /// Where the neighbours of each node begin in `near`.
    start: Vec<u32>,
    near: Vec<(Node, Edge)>,
    loops: Vec<u16>,
    tags: Vec<u16>,
}

impl Gold {
    /// A gold graph over `len` words from arcs (head, dependent, label set), each ordered pair at most once.
    ///
    /// # Panics
    /// When an arc names a node beyond `len` or has label set 0.
    pub fn new(len: usize, arcs: &[(Node, Node, u16)]) -> Gold {
        let mut loops = vec![0; len + 1];
        let mut ends: Vec<(Node, Node, Edge)> = Vec::with_capacity(2 * arcs.len());
        for &(head, dependent, label) in arcs {
            assert!(label != 0 && usize::from(head) <= len && usize::from(dependent) <= len);
            if head == dependent {
                loops[usize::from(head)] = label;
            } else {
                ends.push((head, dependent, Edge { left: 0, right: label }));
                ends.push((dependent, head, Edge { left: label, right: 0 }));
            }
        }
        ends.sort_unstable();
        ends.dedup_by(|new, old| {
            let same = (new.0, new.1) == (old.0, old.1);
            if same {
                old.2 = Edge { left: old.2.left.max(new.2.left), right: old.2.right.max(new.2.right) };
            }
            same
        });
        let start = (0..=len + 1).map(|node| ends.partition_point(|end| usize::from(end.0) < node) as u32);
        Gold {
            len,
            start: start.collect(),
            near: ends.iter().map(|&(_, other, edge)| (other, edge)).collect(),
            loops,
            tags: vec![0; len + 1],
        }
    }

    /// Gives a tag to every word; `tags[0]` is the root's and not used.
    ///
    /// # Panics
    /// When there are more or fewer than `len + 1` tags.
    pub fn with_tags(mut self, tags: Vec<u16>) -> Gold {
        assert_eq!(tags.len(), self.len + 1);
        self.tags = tags;
        self
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The nodes that a node is linked to, by number, with the edges seen from this node as the top of the
    /// stack.
    #[inline]
    pub fn neighbours(&self, node: Node) -> &[(Node, Edge)] {
        let node = usize::from(node);
        &self.near[self.start[node] as usize..self.start[node + 1] as usize]
    }

    /// The edge between two nodes.
    #[inline]
    pub fn edge(&self, top: Node, front: Node) -> Option<Edge> {
        let near = self.neighbours(top);
        near.binary_search_by_key(&front, |&(other, _)| other).ok().map(|place| near[place].1)
    }

    /// The label set of a node's arc to itself, 0 for none.
    #[inline]
    pub fn self_loop(&self, node: Node) -> u16 {
        self.loops[usize::from(node)]
    }

    /// The tag that SHIFT gives to a word, 0 for none.
    #[inline]
    pub fn tag(&self, node: Node) -> u16 {
        self.tags[usize::from(node)]
    }

    /// All arcs as (head, dependent, label set), sorted.
    pub fn arcs(&self) -> Vec<(Node, Node, u16)> {
        let mut arcs = Vec::with_capacity(self.near.len());
        for node in 0..=self.len as Node {
            let label = self.self_loop(node);
            if label != 0 {
                arcs.push((node, node, label));
            }
            let out = self.neighbours(node).iter().filter(|(_, edge)| edge.right != 0);
            arcs.extend(out.map(|&(other, edge)| (node, other, edge.right)));
        }
        arcs.sort_unstable();
        arcs
    }
}
