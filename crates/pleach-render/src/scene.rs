//! A picture as lines, boxes and pieces of text at fixed places: what SVG and HTML have in common.

use crate::layout::{Extent, Layout, Metrics, Pages, PlacedLink};
use crate::pages::Side;
use crate::picture::{Mark, Picture, Word};
use crate::text::ems;
use crate::wrap::{Line, wrap};

/// Font sizes, in pixels.
pub(crate) const FORM: i32 = 16;
pub(crate) const SMALL: i32 = 12;
/// The distance between two levels of arcs.
const LEVEL: i32 = 22;
/// The room between a label and the line that it interrupts.
const HALO: i32 = 3;
/// The size of an arrowhead.
const ARROW: (i32, i32) = (4, 7);
/// The radius of an arc's corners.
const RADIUS: i32 = 9;

const METRICS: Metrics = Metrics {
    form: |word: &Word| {
        let font = if word.away { SMALL } else { FORM };
        size(&word.form, font) + if word.empty && !word.away { 10 } else { 0 }
    },
    tag: |text| size(text, SMALL),
    label: |text| size(text, SMALL) + 2 * HALO,
    port: 10,
    gap: 14,
    corner: RADIUS + 2,
    line: 0,
    margin: 12,
};

/// The width of text in pixels, rounded up.
pub(crate) fn size(text: &str, font: i32) -> i32 {
    (ems(text) * font + 99) / 100
}

/// What a shape is; it decides the colours, and is the class of its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The line of an arc.
    Arc(Mark),
    /// The head of an arrow.
    Arrow(Mark),
    /// A label.
    Label(Mark),
    /// The line of an arc on the second page, below the words.
    SecondArc,
    /// The head of its arrow.
    SecondArrow,
    /// Its label.
    SecondLabel,
    /// A word.
    Form(Mark),
    /// An empty node.
    Empty(Mark),
    /// The frame of an empty node.
    Frame(Mark),
    /// A reference to a word of another line.
    Away,
    /// A part of speech.
    Tag,
    /// The line under a multiword token, or an edge of a constituent tree.
    Rule,
    /// The category of a constituent.
    Category,
    /// A heading.
    Heading,
}

impl Class {
    /// The name in style sheets: a letter for the kind, another one for the mark.
    pub fn name(self) -> &'static str {
        let pick = |names: [&'static str; 4], mark: Mark| names[mark as usize];
        match self {
            Class::Arc(mark) => pick(["a", "am", "as", "ar"], mark),
            Class::Arrow(mark) => pick(["h", "hm", "hs", "hr"], mark),
            Class::Label(mark) => pick(["l", "lm", "ls", "lr"], mark),
            Class::SecondArc => "a2",
            Class::SecondArrow => "h2",
            Class::SecondLabel => "l2",
            Class::Form(mark) => pick(["f", "fm", "fs", "f"], mark),
            Class::Empty(mark) => pick(["e", "em", "es", "e"], mark),
            Class::Frame(mark) => pick(["o", "om", "os", "o"], mark),
            Class::Away => "w",
            Class::Tag => "t",
            Class::Rule => "b",
            Class::Category => "c",
            Class::Heading => "n",
        }
    }
}

/// One thing to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A path, in SVG's notation.
    Path(Class, String),
    /// Text, centred on `x`, its baseline on `y`.
    Text {
        /// What it is.
        class: Class,
        /// The middle.
        x: i32,
        /// The baseline.
        y: i32,
        /// What is written.
        text: String,
    },
    /// A box with round corners.
    Box {
        /// What it is.
        class: Class,
        /// The left edge.
        x: i32,
        /// The upper edge.
        y: i32,
        /// The width.
        width: i32,
        /// The height.
        height: i32,
    },
}

/// What a shape belongs to, by places in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// To the whole.
    None,
    /// To a word.
    Word(usize),
    /// To a link.
    Link(usize),
}

/// A drawing of fixed size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The width in pixels.
    pub width: i32,
    /// The height in pixels.
    pub height: i32,
    /// What is drawn, in order.
    pub shapes: Vec<Shape>,
    /// What each shape belongs to.
    pub owners: Vec<Owner>,
    /// What a reader says who can't see it.
    pub description: String,
    /// Whether the words run from right to left.
    pub right_to_left: bool,
}

impl Scene {
    /// Draws the arcs and words of a picture.
    pub fn new(picture: &Picture, pages: Pages) -> Scene {
        Scene::of_lines(picture, &[Line::whole(picture, pages.sides(picture))])
    }

    /// Draws a picture in as many lines as it takes to be no wider than `width`, if words allow it. An arc that leaves a
    /// line ends at a reference to the word in the other line, and is drawn there too.
    pub fn wrapped(picture: &Picture, pages: Pages, width: i32) -> Scene {
        Scene::of_lines(picture, &wrap(picture, &METRICS, pages, width))
    }

    fn of_lines(picture: &Picture, lines: &[Line]) -> Scene {
        let mut scene = Scene {
            width: 2 * METRICS.margin,
            description: picture.line(),
            right_to_left: picture.right_to_left,
            ..Scene::default()
        };
        let layouts: Vec<Layout> =
            lines.iter().map(|line| Layout::with_sides(&line.picture, &METRICS, &line.sides)).collect();
        scene.width = layouts.iter().map(|layout| layout.width).max().unwrap_or(0).max(scene.width);
        for (line, layout) in lines.iter().zip(&layouts) {
            // Lines of words that are read from right to left begin at the right.
            let shift =
                if picture.right_to_left { scene.width - layout.width.max(2 * METRICS.margin) } else { 0 };
            scene.draw(line, &layout.shifted(shift));
        }
        scene.height = scene.height.max(METRICS.margin);
        scene
    }

    fn push(&mut self, owner: Owner, shape: Shape) {
        self.shapes.push(shape);
        self.owners.push(owner);
    }

    /// Draws a line under those that are there.
    fn draw(&mut self, line: &Line, layout: &Layout) {
        let picture = &line.picture;
        let rows = Rows::new(picture, layout, self.height);
        // Lines first, so that nothing written is covered.
        for link in &layout.links {
            let [stroke, head, _] = classes(picture.links[link.link].mark, link.side);
            self.push(line.links[link.link], Shape::Path(stroke, arc(link, &rows)));
            self.push(line.links[link.link], Shape::Path(head, arrow(link, &rows)));
        }
        for (word, rail) in rails(picture, layout, &rows) {
            self.push(line.words[word], Shape::Path(Class::Rule, rail));
        }
        for (place, (word, form)) in picture.words.iter().zip(&layout.forms).enumerate() {
            for shape in word_shapes(word, *form, &rows) {
                self.push(line.words[place], shape);
            }
        }
        for (bracket, place) in picture.brackets.iter().zip(&layout.brackets) {
            let y = rows.bracket;
            let path = format!("M{} {}v4H{}v-4", place.left + 2, y, place.right - 2);
            self.push(Owner::None, Shape::Path(Class::Rule, path));
            let text = bracket.form.clone();
            self.push(Owner::None, Shape::Text { class: Class::Tag, x: place.centre(), y: y + 16, text });
        }
        for link in &layout.links {
            let y = rows.level(link) + 4;
            let [.., class] = classes(picture.links[link.link].mark, link.side);
            let text = Shape::Text { class, x: link.label.centre(), y, text: link.caption.clone() };
            self.push(line.links[link.link], text);
        }
        self.height = rows.height;
    }
}

/// The classes of an arc's line, arrow and label: each page has its colour, but marks go before.
fn classes(mark: Mark, side: Side) -> [Class; 3] {
    match (mark, side) {
        (Mark::Same, Side::Below) => [Class::SecondArc, Class::SecondArrow, Class::SecondLabel],
        _ => [Class::Arc(mark), Class::Arrow(mark), Class::Label(mark)],
    }
}

/// The vertical places of a picture.
struct Rows {
    /// Where legs from above end.
    top: i32,
    form: i32,
    tag: i32,
    bracket: i32,
    /// Where legs from below end.
    bottom: i32,
    height: i32,
}

impl Rows {
    /// The places below `start`.
    fn new(picture: &Picture, layout: &Layout, start: i32) -> Rows {
        let levels = |count: u32| if count == 0 { 0 } else { count as i32 * LEVEL + 14 };
        let top = start + METRICS.margin + levels(layout.above);
        let form = top + FORM + 4;
        let tagged = picture.words.iter().any(|word| !word.tag.is_empty());
        let tag = form + if tagged { SMALL + 6 } else { 0 };
        let bracket = tag + 8;
        let bottom = tag + if picture.brackets.is_empty() { 8 } else { 30 };
        Rows { top, form, tag, bracket, bottom, height: bottom + levels(layout.below) + METRICS.margin - 4 }
    }

    /// The height at which an arc runs.
    fn level(&self, link: &PlacedLink) -> i32 {
        let distance = 6 + LEVEL * link.level as i32;
        match link.side {
            Side::Above => self.top - distance,
            Side::Below => self.bottom + distance,
        }
    }

    /// Where the legs of an arc end, and which way is towards the words.
    fn foot(&self, side: Side) -> (i32, i32) {
        match side {
            Side::Above => (self.top, 1),
            Side::Below => (self.bottom, -1),
        }
    }
}

fn word_shapes(word: &Word, form: Extent, rows: &Rows) -> Vec<Shape> {
    let x = form.centre();
    let class = match (word.away, word.empty) {
        (true, _) => Class::Away,
        (false, true) => Class::Empty(word.mark),
        (false, false) => Class::Form(word.mark),
    };
    let mut shapes = Vec::with_capacity(3);
    if word.empty && !word.away {
        let width = form.right - form.left;
        let frame = Class::Frame(word.mark);
        shapes.push(Shape::Box {
            class: frame,
            x: x - width / 2,
            y: rows.form - FORM,
            width,
            height: FORM + 6,
        });
    }
    shapes.push(Shape::Text { class, x, y: rows.form, text: word.form.clone() });
    if !word.tag.is_empty() {
        shapes.push(Shape::Text { class: Class::Tag, x, y: rows.tag, text: word.tag.clone() });
    }
    shapes
}

/// Lines that tie legs to their word where they stand beside it, with the word's place.
fn rails(picture: &Picture, layout: &Layout, rows: &Rows) -> Vec<(usize, String)> {
    let mut legs: Vec<[Option<Extent>; 2]> = vec![[None; 2]; picture.words.len()];
    for placed in &layout.links {
        let link = &picture.links[placed.link];
        let ends = [(Some(placed.dependent), link.dependent), (placed.head, link.head)];
        for (x, word) in ends.into_iter().filter_map(|(x, node)| Some((x?, node.index().checked_sub(1)?))) {
            let extent = legs[word][placed.side as usize].get_or_insert(Extent { left: x, right: x });
            *extent = Extent { left: extent.left.min(x), right: extent.right.max(x) };
        }
    }
    let mut rails = Vec::new();
    for (word, (form, legs)) in layout.forms.iter().zip(&legs).enumerate() {
        for (side, legs) in [Side::Above, Side::Below].into_iter().zip(legs) {
            let Some(legs) = legs.filter(|legs| legs.left < form.left || legs.right > form.right) else {
                continue;
            };
            let (foot, down) = rows.foot(side);
            let (left, right) = (legs.left.min(form.centre()), legs.right.max(form.centre()));
            rails.push((word, format!("M{left} {}H{right}", foot + down)));
        }
    }
    rails
}

/// The line of an arc, which its label interrupts.
fn arc(link: &PlacedLink, rows: &Rows) -> String {
    let y = rows.level(link);
    let (foot, down) = rows.foot(link.side);
    let tip = foot - down * ARROW.1;
    let Some(head) = link.head else {
        return format!("M{} {}V{}", link.dependent, y + down * 8, tip);
    };
    let ((left, start), (right, end)) = if head < link.dependent {
        ((head, foot), (link.dependent, tip))
    } else {
        ((link.dependent, tip), (head, foot))
    };
    let radius = RADIUS.min((right - left) / 2);
    let corner = y + down * radius;
    format!(
        "M{left} {start}V{corner}Q{left} {y} {} {y}H{}M{} {y}H{}Q{right} {y} {right} {corner}V{end}",
        left + radius,
        link.label.left,
        link.label.right,
        right - radius,
    )
}

fn arrow(link: &PlacedLink, rows: &Rows) -> String {
    let (foot, down) = rows.foot(link.side);
    format!("M{} {}l{} {}h{}z", link.dependent, foot, -ARROW.0, -down * ARROW.1, 2 * ARROW.0)
}
