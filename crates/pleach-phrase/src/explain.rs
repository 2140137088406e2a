//! The enriched tree as text, as in Figures 3 and 4 of Sun et al. (2019).

use crate::arcs::{Follow, Links};
use crate::tree::{Place, ROOT, Role, Tree};
use crate::{Options, Stage, convert, enrich};
use pleach_graph::phrase::Phrase;
use pleach_graph::{NodeId, Text};

/// Functions of which a head has at most one; the others are members of a set.
const GOVERNED: [&str; 10] = ["SBJ", "OBJ", "IO", "PRD", "COMP", "PRT", "AUX", "SBJ*ba", "SBJ*bei", "SBJbei"];

/// What the equation of a node says: `↓=↑` for heads, `↓∈↑` for conjuncts, `↓=(↑ OBJ)` for functions and
/// `↓∈(↑ NMOD)` for adjuncts; nothing for the root, conjunctions and words without a function.
fn equation(tree: &Tree, place: Place) -> String {
    let node = tree.node(place);
    match (node.role, node.function) {
        _ if node.parent == Some(ROOT) => String::new(),
        (Role::Head, _) => "↓=↑".to_owned(),
        (Role::Conjunct, _) => "↓∈↑".to_owned(),
        (Role::Dependent, Some(function)) if GOVERNED.contains(&function) => format!("↓=(↑ {function})"),
        (Role::Dependent, Some(function)) => format!("↓∈(↑ {function})"),
        (Role::Conjunction, _) | (Role::Dependent, None) => String::new(),
    }
}

/// The head words of a node: `{颁布,实行}`, `{文件*ldd}` where a trace stands for them.
fn heads(tree: &Tree, place: Place, links: &Links, words: &[Text]) -> String {
    let word = |id: &NodeId| words.get(id.index() - 1).map_or("", Text::as_str);
    let mut names: Vec<String> = Vec::new();
    for &leaf in &tree.node(place).heads {
        match tree.word(leaf) {
            Some(id) => names.push(word(&id).to_owned()),
            None => names.extend(links.words(tree, leaf).iter().map(|id| format!("{}*ldd", word(id)))),
        }
    }
    format!("{{{}}}", names.join(","))
}

/// What a node shows after a stage.
struct Show<'a> {
    tree: &'a Tree,
    stage: Stage,
    links: Links,
    words: Vec<Text>,
}

impl<'a> Show<'a> {
    fn new(tree: &'a Tree, options: &Options, stage: Stage) -> Self {
        let words = tree.leaves().iter().map(|&leaf| tree.node(leaf)).filter(|node| !node.is_trace());
        let words = words.filter_map(|node| node.word.clone()).collect();
        Show { tree, stage, links: Links::new(tree, Follow::of(options)), words }
    }

    /// The category with indices, and the equation or the head words.
    fn label(&self, place: Place) -> String {
        let node = self.tree.node(place);
        let mut label = node.category.to_string();
        if !node.is_trace() {
            node.indices.iter().for_each(|index| label.push_str(&format!("-{index}")));
        }
        if self.stage >= Stage::Heads {
            label.push_str(&heads(self.tree, place, &self.links, &self.words));
        } else {
            let equation = equation(self.tree, place);
            if !equation.is_empty() {
                label.push(' ');
                label.push_str(&equation);
            }
        }
        label
    }

    /// The word of a leaf; a trace with the index that it has by now.
    fn word(&self, place: Place) -> Option<String> {
        let node = self.tree.node(place);
        let word = node.word.as_deref()?;
        let named = node.indices.first().map(|index| format!("-{index}"));
        match named.filter(|index| node.is_trace() && !word.ends_with(index.as_str())) {
            Some(index) => Some(format!("{word}{index}")),
            None => Some(word.to_owned()),
        }
    }
}

/// The tree after a stage, one constituent per line; after the last stage, the arcs.
pub fn explain(phrase: &Phrase, options: &Options, stage: Stage) -> String {
    let mut text = String::new();
    if stage == Stage::Arcs {
        let conversion = convert(phrase, options);
        let show = Show::new(&conversion.tree, options, stage);
        let name = |id: NodeId| match show.words.get(id.index().wrapping_sub(1)) {
            Some(word) => format!("{word}-{id}"),
            None => "ROOT-0".to_owned(),
        };
        for arc in conversion.graph.arcs() {
            text.push_str(&format!("{} --{}--> {}\n", name(arc.head), arc.label, name(arc.dependent)));
        }
        return text;
    }
    let tree = enrich(phrase, options, stage);
    let show = Show::new(&tree, options, stage);
    let mut stack: Vec<(Place, usize)> = tree.children(ROOT).iter().rev().map(|&top| (top, 0)).collect();
    while let Some((place, depth)) = stack.pop() {
        text.extend(std::iter::repeat_n("  ", depth));
        text.push_str(&show.label(place));
        if let Some(word) = show.word(place) {
            text.push(' ');
            text.push_str(&word);
        }
        text.push('\n');
        stack.extend(tree.children(place).iter().rev().map(|&child| (child, depth + 1)));
    }
    text
}

/// The enriched tree after a stage as brackets whose labels carry the equations or the head words, for
/// drawing.
pub fn enriched(phrase: &Phrase, options: &Options, stage: Stage) -> Phrase {
    let tree = enrich(phrase, options, stage.min(Stage::Heads));
    let show = Show::new(&tree, options, stage.min(Stage::Heads));
    let mut built: Vec<Option<Phrase>> = Vec::new();
    for place in tree.postorder() {
        if built.len() <= place {
            built.resize(place + 1, None);
        }
        let label = Text::from(if place == ROOT { String::new() } else { show.label(place) });
        let children = tree.children(place).iter().filter_map(|&child| built[child].take()).collect();
        built[place] = Some(match show.word(place) {
            Some(word) => Phrase::Leaf { tag: label, word: word.into() },
            None => Phrase::Node { label, children },
        });
    }
    built
        .into_iter()
        .next()
        .flatten()
        .unwrap_or(Phrase::Node { label: Text::default(), children: Vec::new() })
}
