//! What an arc of one of three trees says, with what the other trees say of it (`sun-2019` section 4.3).

use crate::trees::{PseudoTree, Said, places};
use pleach_graph::{Graph, Text, Tree};

/// Before the consistency tag in a name.
const TAG: char = '#';

/// A statement and its consistency tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tagged {
    pub said: Said,
    pub tag: u32,
}

impl Tagged {
    /// Its name; nothing has no tag.
    pub fn name(&self) -> Text {
        let mut name = self.said.name();
        if !self.said.is_nothing() {
            name.push(TAG);
            name.push_str(&self.tag.to_string());
        }
        name
    }

    /// What a name says.
    pub fn parse(name: &str) -> Self {
        let place = places(name, TAG).last();
        let tagged = place.and_then(|place| Some((&name[..place], name[place + 1..].parse().ok()?)));
        let (said, tag) = tagged.unwrap_or((name, 0));
        Tagged { said: Said::parse(said), tag }
    }
}

/// One of the trees that a graph is taken apart into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaggedTree {
    /// The tree and what its arcs say.
    pub tree: PseudoTree,
    /// The consistency tag of each word's arc.
    pub tags: Vec<u32>,
}

impl TaggedTree {
    /// The part of the graph that it holds.
    pub fn subgraph(&self) -> Graph {
        self.tree.graph()
    }

    /// The same with names for what is said: for tree parsers, to whom labels are only names.
    pub fn named(&self) -> Tree {
        let PseudoTree { heads, said } = &self.tree;
        let tagged = said.iter().zip(&self.tags);
        let names = tagged.map(|(said, &tag)| Tagged { said: said.clone(), tag }.name());
        Tree { heads: heads.clone(), labels: names.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_was_said() {
        for labels in [["nsubj", "obj"], ["a#b", "#5"], ["None", "x~R"], ["\\", "a&b#1"], ["_", ""]] {
            let sets = [vec![], vec![Text::from(labels[0])], labels.map(Text::from).to_vec()];
            for (along, against) in sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))) {
                let said = Said::new(along.clone(), against.clone());
                let tag = if said.is_nothing() { 0 } else { 5 };
                let tagged = Tagged { said, tag };
                assert_eq!(Tagged::parse(&tagged.name()), tagged);
            }
        }
        let both = Said::Both(vec!["acl:relcl".into()], vec!["nsubj".into(), "obj".into()]);
        assert_eq!(Tagged { said: both, tag: 3 }.name(), "acl:relcl~nsubj&obj~R#3");
    }
}
