//! Constituent trees: boxes of their subtrees side by side, the words in one row at the bottom; and the same
//! by indentation for terminals.
//!
//! Every subtree has its own stretch of the width and every line runs within its child's stretch or in the
//! gap under its parent's row, so no line meets a foreign category. All walks keep their own stack, since
//! brackets can be nested deeper than the program's.

use crate::picture::shown;
use crate::scene::{Class, FORM, Owner, SMALL, Scene, Shape, size};
use crate::terminal::{Ink, paint};
use crate::{Mark, text};
use pleach_graph::phrase::Phrase;

/// The height of a row.
const ROW: i32 = 44;
const MARGIN: i32 = 12;
const GAP: i32 = 12;
/// The deepest indentation that is drawn in full.
const DEEPEST: usize = 60;

/// A node of the tree, its parent before it.
struct Node<'a> {
    phrase: &'a Phrase,
    parent: Option<usize>,
    children: Vec<usize>,
}

/// The nodes, every parent before its children and siblings in order.
fn flatten(mut phrase: &Phrase) -> Vec<Node<'_>> {
    // The outermost brackets of the Penn Treebank have no label and say nothing.
    while let Phrase::Node { label, children } = phrase
        && let ([child], true) = (children.as_slice(), label.is_empty())
    {
        phrase = child;
    }
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut stack = vec![(phrase, None)];
    while let Some((phrase, parent)) = stack.pop() {
        let place = nodes.len();
        nodes.push(Node { phrase, parent, children: Vec::new() });
        if let Some(parent) = parent {
            nodes[parent].children.push(place);
        }
        stack.extend(phrase.children().iter().rev().map(|child| (child, Some(place))));
    }
    nodes
}

/// Draws a constituent tree.
pub fn scene(phrase: &Phrase) -> Scene {
    let nodes = flatten(phrase);
    let captions: Vec<String> = nodes.iter().map(|node| shown(node.phrase.label())).collect();
    let forms: Vec<Option<String>> = nodes
        .iter()
        .map(|node| match node.phrase {
            Phrase::Leaf { word, .. } => Some(shown(word)),
            Phrase::Node { .. } => None,
        })
        .collect();
    let description = forms.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
    let right_to_left = text::right_to_left(forms.iter().flatten().map(String::as_str));

    // Widths and heights from the leaves up, places from the top down.
    let mut widths = vec![0; nodes.len()];
    let mut heights = vec![0; nodes.len()];
    for (place, node) in nodes.iter().enumerate().rev() {
        let own = match &forms[place] {
            Some(form) => size(form, FORM).max(size(&captions[place], SMALL)) + 10,
            None => size(&captions[place], SMALL) * 5 / 4,
        };
        let children: i32 = node.children.iter().map(|&child| widths[child]).sum();
        widths[place] = (own + GAP).max(children);
        heights[place] = node.children.iter().map(|&child| heights[child] + 1).max().unwrap_or(0);
    }
    let mut lefts = vec![MARGIN; nodes.len()];
    for (place, node) in nodes.iter().enumerate() {
        let children: i32 = node.children.iter().map(|&child| widths[child]).sum();
        let mut left = lefts[place] + (widths[place] - children) / 2;
        for &child in &node.children {
            lefts[child] = left;
            left += widths[child];
        }
    }
    let width = widths.first().copied().unwrap_or(0) + 2 * MARGIN;
    let top = heights.first().copied().unwrap_or(0);
    // A category stands over the middle between its first and last child.
    let mut centres = vec![0; nodes.len()];
    for (place, node) in nodes.iter().enumerate().rev() {
        let (own, half) =
            (lefts[place] + widths[place] / 2, (widths[place] - size(&captions[place], SMALL) * 5 / 4) / 2);
        centres[place] = match (node.children.first(), node.children.last()) {
            (Some(&first), Some(&last)) => {
                let between = i32::midpoint(centres[first], centres[last]);
                between.clamp(own - half.max(0), own + half.max(0))
            }
            _ => own,
        };
    }
    let x = |place: usize| if right_to_left { width - centres[place] } else { centres[place] };
    let y = |place: usize| MARGIN + 14 + (top - heights[place]) * ROW;
    let mut shapes = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            let bar = y(parent) + 14;
            let path = format!("M{} {}V{bar}H{}V{}", x(parent), y(parent) + 5, x(place), y(place) - 13);
            shapes.push(Shape::Path(Class::Rule, path));
        }
    }
    for (place, form) in forms.iter().enumerate() {
        let caption = captions[place].clone();
        let Some(form) = form else {
            shapes.push(Shape::Text { class: Class::Category, x: x(place), y: y(place), text: caption });
            continue;
        };
        let word = y(place) + FORM + 6;
        let trace = is_trace(&nodes[place]);
        if trace {
            let width = size(form, FORM) + 10;
            let class = Class::Frame(Mark::Same);
            let (x, y) = (x(place) - width / 2, word - FORM);
            shapes.push(Shape::Box { class, x, y, width, height: FORM + 6 });
        }
        let class = if trace { Class::Empty(Mark::Same) } else { Class::Form(Mark::Same) };
        shapes.push(Shape::Text { class: Class::Tag, x: x(place), y: y(place), text: caption });
        shapes.push(Shape::Text { class, x: x(place), y: word, text: form.clone() });
    }
    let height = MARGIN + 14 + top * ROW + FORM + 6 + MARGIN + 4;
    let owners = vec![Owner::None; shapes.len()];
    Scene { width, height, shapes, owners, description, right_to_left }
}

/// Draws a constituent tree by indentation; categories with one child share its line.
pub fn indented(phrase: &Phrase, colour: bool) -> String {
    let nodes = flatten(phrase);
    let mut out = String::new();
    let mut stack = vec![(0, Vec::<bool>::new())];
    while let Some((place, bars)) = stack.pop() {
        if bars.len() > DEEPEST {
            out.push_str("… ");
        }
        let near = &bars[bars.len().saturating_sub(DEEPEST)..];
        if let Some((last, before)) = near.split_last() {
            before.iter().for_each(|&more| out.push_str(if more { "│  " } else { "   " }));
            out.push_str(if *last { "├─ " } else { "╰─ " });
        }
        let mut end = place;
        loop {
            let caption = shown(nodes[end].phrase.label());
            let ink = if nodes[end].children.is_empty() { Ink::Faint } else { Ink::Heading };
            out.push_str(&paint(&caption, ink, colour));
            match nodes[end].children.as_slice() {
                [child] => {
                    out.push_str(" ─ ");
                    end = *child;
                }
                _ => break,
            }
        }
        if let Phrase::Leaf { word, .. } = nodes[end].phrase {
            let ink = if is_trace(&nodes[end]) { Ink::Empty } else { Ink::Plain };
            out.push(' ');
            out.push_str(&paint(&shown(word), ink, colour));
        }
        out.push('\n');
        for (rank, &child) in nodes[end].children.iter().enumerate().rev() {
            // Only the nearest bars are ever shown.
            let start = bars.len().saturating_sub(DEEPEST);
            let mut bars = bars[start..].to_vec();
            bars.push(rank + 1 < nodes[end].children.len());
            stack.push((child, bars));
        }
    }
    out
}

fn is_trace(node: &Node<'_>) -> bool {
    matches!(node.phrase, Phrase::Leaf { tag, .. } if tag == "-NONE-")
}
