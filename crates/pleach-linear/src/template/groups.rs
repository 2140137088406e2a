//! Templates by the nodes that they look at, close together in memory.
//!
//! Whoever scores goes through all groups again and again, so what they consist of lies side by side in a few lists, and a group
//! says from where to where: some kilobytes for a hundred templates, which stay in the nearest cache.

use super::Atom;
use pleach_graph::words::Attribute;
use std::ops::Range;

/// The values of as many atoms are held where the processor reaches them at once.
pub(crate) const MOST_ATOMS: usize = 64;

/// A part of a list. No list has more than 2^16 things: a file has at most 4,096 templates of twelve atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    start: u16,
    end: u16,
}

impl Span {
    /// What is added to a list.
    fn extend<T>(list: &mut Vec<T>, things: impl IntoIterator<Item = T>) -> Span {
        let start = list.len() as u16;
        list.extend(things);
        Span { start, end: list.len() as u16 }
    }

    #[inline]
    fn range(self) -> Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }

    #[inline]
    fn of<T>(self, list: &[T]) -> &[T] {
        list.get(self.range()).unwrap_or_default()
    }
}

/// Templates whose features come and go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// Whether its nodes alone decide the features, whatever the partial graph is.
    pub fixed: bool,
    /// Whether its atoms are more than fit; there are no places then.
    pub large: bool,
    nodes: Span,
    atoms: Span,
    words: Span,
    features: Span,
    /// Where the places of its first template begin.
    places: u16,
}

/// A template of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    pub template: u16,
    /// Where its places end.
    pub end: u16,
}

/// What a group is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    /// The stack and buffer nodes that the templates start from; without one of them there are no features.
    pub nodes: Vec<u16>,
    /// Those whose neighbours in the partial graph they look at.
    pub linked: Vec<u16>,
    pub fixed: bool,
    /// All atoms that they need.
    pub atoms: Vec<u16>,
    pub templates: Vec<u16>,
}

/// All groups of a set of templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    all: Vec<Group>,
    nodes: Vec<u16>,
    atoms: Vec<u16>,
    /// For each of these atoms the attribute that it is, if it is one of a word.
    attributes: Vec<Attribute>,
    words: Vec<(u16, u8)>,
    features: Vec<Feature>,
    places: Vec<u8>,
}

impl Groups {
    /// Takes in a group; `of` gives the atoms of a template.
    pub(super) fn push<'a>(&mut self, mut group: Contents, atoms: &[Atom], of: impl Fn(u16) -> &'a [u16]) {
        let word = |atom: u16| match atoms[atom as usize] {
            Atom::Word(node, attribute) => Some((node, attribute)),
            _ => None,
        };
        group.atoms.sort_by_key(|&atom| (word(atom).map_or(u16::MAX, |(node, _)| node), atom));
        let large = group.atoms.len() > MOST_ATOMS;
        let mut words: Vec<(u16, u8)> = Vec::new();
        for (node, _) in group.atoms.iter().filter(|_| !large).filter_map(|&atom| word(atom)) {
            match words.last_mut() {
                Some((last, count)) if *last == node => *count += 1,
                _ => words.push((node, 1)),
            }
        }
        let attribute = |&atom: &u16| word(atom).map_or(Attribute::Form, |(_, attribute)| attribute);
        self.attributes.extend(group.atoms.iter().map(attribute));
        let places = self.places.len() as u16;
        let start = self.features.len() as u16;
        for &template in &group.templates {
            let place = |atom: &u16| group.atoms.iter().position(|own| own == atom);
            if !large {
                self.places.extend(of(template).iter().filter_map(place).map(|place| place as u8));
            }
            self.features.push(Feature { template, end: self.places.len() as u16 });
        }
        self.all.push(Group {
            fixed: group.fixed,
            large,
            nodes: Span::extend(&mut self.nodes, group.nodes),
            atoms: Span::extend(&mut self.atoms, group.atoms),
            words: Span::extend(&mut self.words, words),
            features: Span { start, end: self.features.len() as u16 },
            places,
        });
    }

    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, Group> {
        self.all.iter()
    }

    /// How many there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The stack and buffer nodes that a group's templates start from.
    #[inline]
    pub fn nodes(&self, group: &Group) -> &[u16] {
        group.nodes.of(&self.nodes)
    }

    /// All atoms of a group: those of words first, by their nodes.
    #[inline]
    pub fn atoms(&self, group: &Group) -> &[u16] {
        group.atoms.of(&self.atoms)
    }

    /// The attributes that its first atoms are.
    #[inline]
    pub fn attributes(&self, group: &Group) -> &[Attribute] {
        group.atoms.of(&self.attributes)
    }

    /// The nodes whose attributes the first atoms are, and how many of each.
    #[inline]
    pub fn words(&self, group: &Group) -> &[(u16, u8)] {
        group.words.of(&self.words)
    }

    /// The templates of a group.
    #[inline]
    pub fn features(&self, group: &Group) -> &[Feature] {
        group.features.of(&self.features)
    }

    /// The templates of a group with the places of their atoms among those of the group.
    #[inline]
    pub fn places(&self, group: &Group) -> impl Iterator<Item = (u16, &[u8])> {
        let mut start = usize::from(group.places);
        self.features(group).iter().map(move |feature| {
            let end = usize::from(feature.end);
            let places = self.places.get(start..end).unwrap_or_default();
            start = end;
            (feature.template, places)
        })
    }
}

impl Group {
    /// How many nodes its templates start from.
    #[inline]
    pub fn width(&self) -> usize {
        self.nodes.range().len()
    }
}
