//! What a family will ask its scorer.

use pleach_decode::part::Kind;

/// All questions of a family: actions of a transition system, or parts of a graph, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Actions at configurations.
    pub actions: Option<ActionShape>,
    /// Parts, by kind.
    pub parts: Vec<PartShape>,
}

/// The actions of a transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionShape {
    /// How many there are.
    pub count: usize,
    /// Whether they happen at sites of a tree system.
    pub sites: bool,
    /// For linear scorers: the template files, shipped ones or paths.
    pub templates: Vec<String>,
    /// For linear scorers: the template files of the labels of arcs, if actions are asked for without labels and
    /// labels by themselves.
    pub label_templates: Option<Vec<String>>,
    /// What each action is made of, if the family can say so; one for each, or none at all.
    pub made: Vec<Made>,
}

/// What an action is made of: arcs between the two nodes that it is about, the top of the stack and the front of the buffer
/// or the two tokens of a site, and all the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Made {
    /// What it is apart from the labels of its arcs, as a small number.
    pub class: u16,
    /// The label of its arc from the right node to the left one, 0 for none.
    pub left: u16,
    /// The label of its arc from the left node to the right one, 0 for none.
    pub right: u16,
}

impl ActionShape {
    /// How many classes and how many labels, label 0 counted, actions are made of.
    pub fn made_of(&self) -> (usize, usize) {
        let most = |number: fn(&Made) -> u16| self.made.iter().map(number).max().map_or(0, usize::from) + 1;
        (most(|made| made.class), most(|made| made.left.max(made.right)))
    }
}

/// The parts of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartShape {
    /// The kind.
    pub kind: Kind,
    /// How many choices each has: channels or labels.
    pub choices: usize,
    /// For linear scorers: the template files, shipped ones or paths; without any, parts of this kind are not scored.
    pub templates: Vec<String>,
    /// Which of the texts in a model of version 2 these templates are.
    pub text: usize,
    /// Parts of this kind are hardly asked for twice in a sentence.
    pub once: bool,
    /// So many choices at the beginning are never used.
    pub unused: usize,
}

impl PartShape {
    /// Parts of a kind; `text` is the number of the template file among those of the family.
    pub fn new(kind: Kind, choices: usize, text: usize, templates: &str) -> Self {
        let given = Some(templates).filter(|name| !name.is_empty());
        let templates = given.into_iter().map(str::to_owned).collect();
        PartShape { kind, choices, templates, text, once: false, unused: 0 }
    }

    /// The same, with so many choices at the beginning that are never used.
    pub fn without_first(self, unused: usize) -> Self {
        PartShape { unused, ..self }
    }

    /// The same, hardly asked for twice.
    pub fn once(self) -> Self {
        PartShape { once: true, ..self }
    }
}
