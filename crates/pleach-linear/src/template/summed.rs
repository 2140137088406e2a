//! Templates of parts whose keys are sums of what each word adds.
//!
//! The key of a feature is `finish(seed + of h + of d + of x + of y + of their pairs)`: what a word adds to the keys of all templates in
//! one of the four places of a part depends on nothing else, so it is computed once a sentence ([`Summer`](crate::summed::Summer)), and
//! what two places add by their order and distance is computed once a model. A part costs an addition a template and
//! place instead of a step of hashing for every atom. Everything that is added is mixed well beforehand: sums of plain values would meet.

use super::{Atom, NodeExpr, Templates};
use crate::features::{Nodes, distance, evaluate, is_backward, resolve};
use pleach_graph::words::Words;
use pleach_graph::words::hash::{self, ABSENT};
use pleach_transition::configuration::{Configuration, List};
use pleach_transition::state::{Links, Neighbour};
use pleach_transition::{NONE, Node};

/// How many nodes a part has.
pub(crate) const PLACES: usize = 4;

/// A set of templates, one bit each.
pub(crate) type Marks = u128;

/// More templates than bits are keyed in the other way.
const MOST_TEMPLATES: usize = Marks::BITS as usize;

/// How two nodes can stand to each other: the values of a distance, each with both values of a direction, and no distance.
const STANDINGS: usize = 2 * (NO_DISTANCE + 1);
const NO_DISTANCE: usize = 25;

/// What words, pairs and other atoms begin with.
const OF_PLACES: u32 = 0xFFFF_0000;
const OF_PAIRS: u32 = 0xFFFF_1000;
const OF_OTHERS: u32 = 0xFFFF_2000;

/// Templates whose keys are sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summed {
    /// What the key of each template begins with.
    pub seeds: Vec<u64>,
    pub places: [Place; PLACES],
    pub pairs: Vec<Pair>,
}

/// What is looked at of the node in one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Atoms that templates have together, and these templates.
    terms: Vec<(Vec<Atom>, Vec<u16>)>,
    /// The templates that look at it, be it in a pair.
    pub asked: Marks,
}

/// What is looked at of two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub places: [usize; 2],
    /// What order and distance add to each template, by how the nodes stand to each other; nothing when no template asks.
    rows: Vec<u64>,
    /// The templates that have no feature then.
    absent: Vec<Marks>,
    /// Everything else, and the templates that have it.
    pub others: Vec<(Atom, Vec<u16>)>,
}

/// The nodes of a part as atoms see them.
#[derive(Clone, Copy)]
pub(crate) struct PartView<'a> {
    pub templates: &'a Templates,
    pub words: &'a Words,
    pub nodes: [Node; PLACES],
}

impl Nodes for PartView<'_> {
    #[inline]
    fn at(&self, node: u16) -> Neighbour {
        match self.templates.nodes[usize::from(node)] {
            NodeExpr::Start(_, place) => {
                Neighbour { node: self.nodes.get(usize::from(place)).copied().unwrap_or(NONE), label: 0 }
            }
            other => resolve(other, self, self.words, &Nothing),
        }
    }
}

/// A configuration of which there is nothing to see.
struct Nothing;

impl Configuration for Nothing {
    fn start(&self, _: List, _: usize) -> Node {
        NONE
    }

    fn links(&self, _: Node) -> Option<&Links> {
        None
    }

    fn arc(&self, _: Node, _: Node) -> u32 {
        0
    }
}

impl PartView<'_> {
    #[inline]
    pub fn value(&self, atom: Atom) -> u32 {
        evaluate(atom, self, self.words, &Nothing)
    }
}

impl Summed {
    /// Templates of parts in this form; `None` if there are too many, or if some look at more than the words of a part.
    pub fn new(templates: &Templates) -> Option<Self> {
        let count = templates.len();
        if count > MOST_TEMPLATES {
            return None;
        }
        let seeds = (0..count as u32).map(|template| hash::seed(templates.base + template)).collect();
        let mut summed = Summed { seeds, places: Default::default(), pairs: Vec::new() };
        let mut nears: Vec<([usize; 2], Vec<Vec<Atom>>)> = Vec::new();
        for template in 0..count as u16 {
            let mut of_place: [Vec<Atom>; PLACES] = Default::default();
            for atom in templates.atoms_of(template).iter().map(|&atom| templates.atoms[usize::from(atom)]) {
                let places = places_of(templates, atom)?;
                places.iter().for_each(|&place| summed.places[place].asked |= 1 << template);
                let &[a, b] = places.as_slice() else {
                    of_place[*places.first()?].push(atom);
                    continue;
                };
                let near = is_near(templates, atom);
                if near {
                    let number = nears.iter().position(|(pair, _)| *pair == [a, b]).unwrap_or_else(|| {
                        nears.push(([a, b], vec![Vec::new(); count]));
                        nears.len() - 1
                    });
                    nears[number].1[usize::from(template)].push(atom);
                }
                summed.add_pair([a, b], (!near).then_some(atom), template);
            }
            for (place, atoms) in summed.places.iter_mut().zip(of_place) {
                match place.terms.iter_mut().find(|(others, _)| *others == atoms) {
                    _ if atoms.is_empty() => {}
                    Some((_, templates)) => templates.push(template),
                    None => place.terms.push((atoms, vec![template])),
                }
            }
        }
        for (places, atoms) in nears {
            let pair = summed.pairs.iter_mut().find(|pair| pair.places == places)?;
            pair.stand(&atoms);
        }
        Some(summed)
    }

    fn add_pair(&mut self, places: [usize; 2], other: Option<Atom>, template: u16) {
        let number = self.pairs.iter().position(|pair| pair.places == places).unwrap_or_else(|| {
            self.pairs.push(Pair { places, rows: Vec::new(), absent: Vec::new(), others: Vec::new() });
            self.pairs.len() - 1
        });
        let others = &mut self.pairs[number].others;
        match (other, others.iter_mut().find(|(known, _)| Some(*known) == other)) {
            (None, _) => {}
            (Some(_), Some((_, templates))) => templates.push(template),
            (Some(atom), None) => others.push((atom, vec![template])),
        }
    }

    /// How many templates there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.seeds.len()
    }
}

impl Place {
    /// Writes what a node adds to all templates when it is in this place, and gives those that have no feature with it.
    pub fn fill(&self, number: usize, view: PartView<'_>, row: &mut [u64]) -> Marks {
        row.fill(0);
        let mut absent = 0;
        for (atoms, templates) in &self.terms {
            let mut there = true;
            let key = atoms.iter().fold(hash::seed(OF_PLACES + number as u32), |key, &atom| {
                let value = view.value(atom);
                there &= value != ABSENT;
                hash::mix(key, value)
            });
            let key = hash::finish(key);
            for &template in templates {
                row[usize::from(template)] = key;
                absent |= Marks::from(!there) << template;
            }
        }
        absent
    }
}

impl Pair {
    /// Writes down what order and distance add to each template, which has these atoms of them.
    fn stand(&mut self, atoms: &[Vec<Atom>]) {
        let [a, b] = self.places;
        for standing in 0..STANDINGS {
            let (distance, direction) = ((standing / 2) as u32, (standing % 2) as u32);
            let mut absent = 0;
            for (template, atoms) in atoms.iter().enumerate() {
                let mut key = hash::seed(OF_PAIRS + (a * PLACES + b) as u32);
                for atom in atoms {
                    // Those of both kinds are told apart by where their values begin.
                    key = hash::mix(
                        key,
                        match atom {
                            Atom::Distance(..) => distance,
                            _ => 64 + direction,
                        },
                    );
                    let lost = matches!(atom, Atom::Distance(..)) && distance as usize == NO_DISTANCE;
                    absent |= Marks::from(lost) << template;
                }
                self.rows.push(if atoms.is_empty() { 0 } else { hash::finish(key) });
            }
            self.absent.push(absent);
        }
    }

    /// What the pair's order and distance add to all templates, and those that have no feature then.
    #[inline]
    pub fn near(&self, [a, b]: [Node; 2], count: usize, words: &Words) -> (&[u64], Marks) {
        if self.rows.is_empty() {
            return (&[], 0);
        }
        let distance = distance(a, b, words).map_or(NO_DISTANCE, |distance| distance as usize);
        let standing = 2 * distance + usize::from(is_backward(a, b));
        let row = self.rows.get(standing * count..(standing + 1) * count).unwrap_or_default();
        (row, self.absent.get(standing).copied().unwrap_or_default())
    }

    /// What another atom adds to the templates that have it; `None` when they have no feature.
    #[inline]
    pub fn other(&self, number: usize, atom: Atom, view: PartView<'_>) -> Option<u64> {
        let [a, b] = self.places;
        let value = view.value(atom);
        let seed = hash::seed(OF_OTHERS + ((a * PLACES + b) * 256 + number) as u32);
        (value != ABSENT).then(|| hash::finish(hash::mix(seed, value)))
    }
}

/// The places of a part that decide an atom, one or two of them in order; `None` if something else does.
fn places_of(templates: &Templates, atom: Atom) -> Option<Vec<usize>> {
    let (starts, fixed) = templates.starts(atom);
    let place = |node: u16| match templates.nodes[usize::from(node)] {
        NodeExpr::Start(List::Part, place) if usize::from(place) < PLACES => Some(usize::from(place)),
        _ => None,
    };
    let mut places = starts.into_iter().map(place).collect::<Option<Vec<usize>>>()?;
    places.sort_unstable();
    places.dedup();
    (fixed && !places.is_empty()).then_some(places)
}

/// Whether an atom is the order or the distance of two nodes of a part.
fn is_near(templates: &Templates, atom: Atom) -> bool {
    match atom {
        Atom::Distance(a, b) | Atom::Direction(a, b) => {
            let own = |node: u16| matches!(templates.nodes[usize::from(node)], NodeExpr::Start(..));
            // In the order of the part; the other order says the same.
            own(a) && own(b)
        }
        _ => false,
    }
}
