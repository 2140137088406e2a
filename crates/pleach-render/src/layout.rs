//! Where everything goes: words in a row, arcs as brackets above and below them, a label in each arc's
//! horizontal stretch. The unit is the caller's, pixels for SVG and cells for terminals.
//!
//! Every end of an arc has its own place (port) over its word: arcs to the left come first, the shortest
//! outermost, then tops and loops, then arcs to the right, the longest first. With that order, and with each
//! arc one level above all that it covers, arcs of one page that don't cross in the graph don't touch in the
//! picture. Words move apart until every label fits between the legs of its arc; where an arc is crossed by
//! others of the same page, its label goes between two of the crossing legs.
//!
//! Invariants: no two labels overlap, no arc runs through a label, no two arcs share a line.
//! Complexity: O((n + m) log (n + m)) for n words and m arcs.

use crate::levels::Skyline;
use crate::pages::{self, Side};
use crate::picture::{Picture, Word};

/// How far along an arc its label may look for a free stretch, in words.
const LONGEST_SCAN: usize = 256;

/// The sizes of one kind of output.
#[derive(Clone, Copy, Debug)]
pub struct Metrics {
    /// The width of a word's form, with its frame.
    pub form: fn(&Word) -> i32,
    /// The width of a tag.
    pub tag: fn(&str) -> i32,
    /// The width of a label or a multiword token.
    pub label: fn(&str) -> i32,
    /// The distance between two ports of a word.
    pub port: i32,
    /// The distance between two words.
    pub gap: i32,
    /// The room between a leg and its arc's label.
    pub corner: i32,
    /// The width of a line: 1 cell, or 0 where lines are thin.
    pub line: i32,
    /// The room around the picture.
    pub margin: i32,
}

impl Metrics {
    /// Where the middle of something of this width is; the middle cell, in cells.
    fn half(&self, width: i32) -> i32 {
        (width - self.line).max(0) / 2
    }
}

/// A stretch of the horizontal axis, its end not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Where it starts.
    pub left: i32,
    /// Where it ends.
    pub right: i32,
}

impl Extent {
    /// The middle.
    pub fn centre(self) -> i32 {
        self.left.midpoint(self.right)
    }
}

/// A link with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLink {
    /// Which link of the picture this is.
    pub link: usize,
    /// What is written on it.
    pub caption: String,
    /// The page.
    pub side: Side,
    /// How far from the words it runs, 1 for the nearest.
    pub level: u32,
    /// The leg at the head; none for tops.
    pub head: Option<i32>,
    /// The leg at the dependent.
    pub dependent: i32,
    /// The place of the label.
    pub label: Extent,
}

/// The places of all parts of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The width of the whole.
    pub width: i32,
    /// The words with the room for their arcs, in the picture's order.
    pub words: Vec<Extent>,
    /// The forms of the words.
    pub forms: Vec<Extent>,
    /// The tags of the words.
    pub tags: Vec<Extent>,
    /// The links.
    pub links: Vec<PlacedLink>,
    /// The multiword tokens, in the picture's order.
    pub brackets: Vec<Extent>,
    /// How many levels are above the words.
    pub above: u32,
    /// How many levels are below.
    pub below: u32,
}

/// How pages are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pages {
    /// Crossing arcs go to different sides of the words.
    #[default]
    Book,
    /// All arcs are above.
    Above,
}

/// Two words by their places, the smaller first.
type Span = (u32, u32);

/// One arc between two words, by word places from 0; equal places for a loop.
struct Edge {
    link: usize,
    span: Span,
    side: Side,
    level: u32,
    /// The ports at the left and at the right word, relative to the block and later to the word.
    ports: [i32; 2],
    /// The words between which the label goes.
    stretch: (usize, usize),
    label: i32,
}

/// The port block of one word on one side.
#[derive(Clone, Copy, Default)]
struct Block {
    leftward: i32,
    centre: i32,
    rightward: i32,
    /// Where the block starts, relative to the word.
    start: i32,
    /// How far the arcs of this word reach.
    farthest: Option<Span>,
}

impl Block {
    fn width(&self, port: i32) -> i32 {
        (self.leftward + self.rightward) * port + self.centre
    }

    /// The place under which the word stands, relative to the block: its top, else the middle.
    fn anchor(&self, metrics: &Metrics) -> i32 {
        match self.centre {
            0 => metrics.half(self.width(metrics.port)),
            centre => self.leftward * metrics.port + metrics.half(centre),
        }
    }
}

impl Layout {
    /// Places a picture.
    pub fn new(picture: &Picture, metrics: &Metrics, book: Pages) -> Layout {
        Layout::with_sides(picture, metrics, &book.sides(picture))
    }

    /// Places a picture whose links are given a side each.
    pub(crate) fn with_sides(picture: &Picture, metrics: &Metrics, sides: &[Side]) -> Layout {
        let captions: Vec<String> = picture.links.iter().map(|link| link.caption()).collect();
        let mut edges = edges(picture, &captions, metrics, sides);
        // A top and a loop stand in the middle of their word, the loop around the top.
        let mut tops = vec![None; picture.words.len()];
        for (place, link) in picture.links.iter().enumerate().filter(|(_, link)| link.head.is_root()) {
            tops[link.dependent.index() - 1] = Some((place, (metrics.label)(&captions[place])));
        }
        let mut blocks = blocks(&mut edges, &tops, picture.words.len(), metrics);
        let sizes = word_sizes(picture, &mut blocks, metrics);
        let widths: Vec<i32> = sizes.iter().map(|(left, right)| left + right).collect();
        for edge in &mut edges {
            for (port, word) in edge.ports.iter_mut().zip([edge.span.0, edge.span.1]) {
                *port += blocks[word as usize][edge.side as usize].start;
            }
        }
        let (tops_level, above, below) = levels(&mut edges, &tops, picture.words.len());
        choose_stretches(&mut edges, &blocks, &widths, metrics);
        let words = place_words(picture, &edges, &blocks, &widths, metrics);

        let mut links = Vec::with_capacity(picture.links.len());
        for edge in &edges {
            let (from, to) = (edge.span.0 as usize, edge.span.1 as usize);
            let (start, end) = stretch(edge, &blocks, metrics);
            let (left, right) = (words[from].left + edge.ports[0], words[to].left + edge.ports[1]);
            let lead = metrics.corner + metrics.line;
            let free = (words[edge.stretch.1].left + end)
                - metrics.corner
                - (words[edge.stretch.0].left + start + lead);
            let label = words[edge.stretch.0].left + start + lead + (free - edge.label) / 2;
            let forward = picture.links[edge.link].head <= picture.links[edge.link].dependent;
            links.push(PlacedLink {
                link: edge.link,
                caption: captions[edge.link].clone(),
                side: edge.side,
                level: edge.level,
                head: Some(if forward { left } else { right }),
                dependent: if forward { right } else { left },
                label: Extent { left: label, right: label + edge.label },
            });
        }
        for (place, top) in tops.iter().enumerate() {
            let Some((link, label)) = *top else { continue };
            let block = &blocks[place][Side::Above as usize];
            let centre = words[place].left + block.start + block.leftward * metrics.port;
            let left = centre + (block.centre - label) / 2;
            links.push(PlacedLink {
                link,
                caption: captions[link].clone(),
                side: Side::Above,
                level: tops_level[place],
                head: None,
                dependent: left + metrics.half(label),
                label: Extent { left, right: left + label },
            });
        }
        let brackets = picture.brackets.iter().map(|bracket| Extent {
            left: words[bracket.first.index() - 1].left,
            right: words[bracket.last.index() - 1].right,
        });
        let brackets = brackets.collect();
        let width = words.last().map_or(0, |word| word.right) + metrics.margin;
        let texts = |width: &dyn Fn(&Word) -> i32| -> Vec<Extent> {
            let places = picture.words.iter().zip(&words).zip(&sizes);
            let extent = |((word, place), size): ((&Word, &Extent), &(i32, i32))| {
                let left = place.left + size.0 - metrics.half(width(word));
                Extent { left, right: left + width(word) }
            };
            places.map(extent).collect()
        };
        let (forms, tags) = (texts(&|word| (metrics.form)(word)), texts(&|word| (metrics.tag)(&word.tag)));
        let mut layout = Layout { width, words, forms, tags, links, brackets, above, below };
        if picture.right_to_left {
            layout.mirror(metrics.line);
        }
        layout
    }

    /// The same, so much further to the right.
    pub(crate) fn shifted(&self, shift: i32) -> Layout {
        let mut layout = self.clone();
        let slide = |extent: &mut Extent| {
            *extent = Extent { left: extent.left + shift, right: extent.right + shift };
        };
        layout.words.iter_mut().for_each(slide);
        layout.forms.iter_mut().for_each(slide);
        layout.tags.iter_mut().for_each(slide);
        layout.brackets.iter_mut().for_each(slide);
        for link in &mut layout.links {
            slide(&mut link.label);
            link.dependent += shift;
            link.head = link.head.map(|head| head + shift);
        }
        layout
    }

    /// Turns left into right, for sentences that are read so.
    fn mirror(&mut self, line: i32) {
        let width = self.width;
        let flip = |extent: &mut Extent| {
            *extent = Extent { left: width - extent.right, right: width - extent.left };
        };
        self.words.iter_mut().for_each(flip);
        self.forms.iter_mut().for_each(flip);
        self.tags.iter_mut().for_each(flip);
        self.brackets.iter_mut().for_each(flip);
        for link in &mut self.links {
            flip(&mut link.label);
            link.dependent = width - line - link.dependent;
            link.head = link.head.map(|head| width - line - head);
        }
    }
}

impl Pages {
    /// A side for each link of a picture.
    pub(crate) fn sides(self, picture: &Picture) -> Vec<Side> {
        match self {
            Pages::Book => pages::assign(picture),
            Pages::Above => vec![Side::Above; picture.links.len()],
        }
    }
}

/// The links between words, the shortest first.
fn edges(picture: &Picture, captions: &[String], metrics: &Metrics, sides: &[Side]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (place, link) in picture.links.iter().enumerate().filter(|(_, link)| !link.head.is_root()) {
        let (a, b) = (link.head.0 - 1, link.dependent.0 - 1);
        let span = (a.min(b), a.max(b));
        edges.push(Edge {
            link: place,
            span,
            side: sides[place],
            level: 0,
            ports: [0; 2],
            stretch: (span.0 as usize, span.1 as usize),
            label: (metrics.label)(&captions[place]),
        });
    }
    edges.sort_by_key(|edge| edge.span.1 - edge.span.0);
    edges
}

/// Gives every end of an arc its port, relative to its word's block.
fn blocks(
    edges: &mut [Edge],
    tops: &[Option<(usize, i32)>],
    words: usize,
    metrics: &Metrics,
) -> Vec<[Block; 2]> {
    let mut blocks = vec![[Block::default(); 2]; words];
    let inset = (metrics.port - metrics.line) / 2;
    for (place, top) in tops.iter().enumerate() {
        if let Some((_, label)) = top {
            blocks[place][0].centre = label + 2 * metrics.corner.min(metrics.port / 2);
        }
    }
    // Edges come shortest first: the shortest leftward arc takes the outermost port.
    for edge in edges.iter_mut() {
        let (from, to) = (edge.span.0 as usize, edge.span.1 as usize);
        let side = edge.side as usize;
        if from == to {
            let inner = blocks[to][side].centre;
            let needed = edge.label + 2 * metrics.corner + metrics.line;
            blocks[to][side].centre = (needed + metrics.line).max(inner + 2 * metrics.port);
            continue;
        }
        let right = &mut blocks[to][side];
        edge.ports[1] = right.leftward * metrics.port + inset;
        right.leftward += 1;
        blocks[from][side].rightward += 1;
        for word in [from, to] {
            let reach = blocks[word][side].farthest.get_or_insert(edge.span);
            *reach = (reach.0.min(edge.span.0), reach.1.max(edge.span.1));
        }
    }
    let mut taken = vec![[0; 2]; words];
    for edge in edges.iter_mut().rev() {
        let (from, to) = (edge.span.0 as usize, edge.span.1 as usize);
        let side = edge.side as usize;
        let block = &blocks[from][side];
        let centre = block.leftward * metrics.port;
        if from == to {
            edge.ports = [centre, centre + block.centre - metrics.line];
            continue;
        }
        edge.ports[0] = centre + block.centre + taken[from][side] * metrics.port + inset;
        taken[from][side] += 1;
    }
    blocks
}

/// How much room each word needs left and right of the middle of its text; puts the blocks in place.
fn word_sizes(picture: &Picture, blocks: &mut [[Block; 2]], metrics: &Metrics) -> Vec<(i32, i32)> {
    let mut texts: Vec<i32> =
        picture.words.iter().map(|word| (metrics.form)(word).max((metrics.tag)(&word.tag)).max(1)).collect();
    for bracket in picture.brackets.iter().filter(|bracket| bracket.first == bracket.last) {
        let text = &mut texts[bracket.first.index() - 1];
        *text = (*text).max((metrics.label)(&bracket.form));
    }
    let mut sizes = Vec::with_capacity(texts.len());
    for (text, pair) in texts.into_iter().zip(blocks) {
        let mut size = (metrics.half(text), text - metrics.half(text));
        for block in pair.iter() {
            let anchor = block.anchor(metrics);
            size = (size.0.max(anchor), size.1.max(block.width(metrics.port) - anchor));
        }
        for block in pair {
            block.start = size.0 - block.anchor(metrics);
        }
        sizes.push(size);
    }
    sizes
}

/// Stacks tops, loops and arcs; returns the levels of the tops and the heights of both pages.
fn levels(edges: &mut [Edge], tops: &[Option<(usize, i32)>], words: usize) -> (Vec<u32>, u32, u32) {
    // A word is an even place, the room between two words an odd one.
    let mut skylines = [Skyline::new(2 * words + 2), Skyline::new(2 * words + 2)];
    let mut heights = [0; 2];
    let mut tops_level = vec![0; words];
    for (place, _) in tops.iter().enumerate().filter(|(_, top)| top.is_some()) {
        tops_level[place] = skylines[0].stack(2 * place, 2 * place + 1);
        heights[0] = heights[0].max(tops_level[place]);
    }
    for edge in edges {
        let (from, to) = (2 * edge.span.0 as usize, 2 * edge.span.1 as usize);
        let (from, to) = if from == to { (from, from + 1) } else { (from + 1, to) };
        edge.level = skylines[edge.side as usize].stack(from, to);
        let height = &mut heights[edge.side as usize];
        *height = (*height).max(edge.level);
    }
    (tops_level, heights[0], heights[1])
}

/// Decides between which words each label goes: the widest stretch that no arc of the same page crosses.
fn choose_stretches(edges: &mut [Edge], blocks: &[[Block; 2]], widths: &[i32], metrics: &Metrics) {
    let mut starts = vec![0i64];
    for &width in widths {
        starts.push(starts[starts.len() - 1] + i64::from(width + metrics.gap));
    }
    for edge in edges.iter_mut() {
        let (from, to) = (edge.span.0 as usize, edge.span.1 as usize);
        let last = to.min(from.saturating_add(LONGEST_SCAN));
        let mut bound = from;
        let mut best: Option<(i64, (usize, usize))> = None;
        for word in from + 1..=last {
            let reach = blocks[word][edge.side as usize].farthest;
            let crossed = reach.is_some_and(|reach| reach.0 < edge.span.0 || reach.1 > edge.span.1);
            if word == last || crossed {
                let room = starts[word] - starts[bound];
                if best.is_none_or(|(most, _)| room > most) {
                    best = Some((room, (bound, word)));
                }
                bound = word;
            }
        }
        if let Some((_, stretch)) = best {
            edge.stretch = stretch;
        }
    }
}

/// Where the stretch of an arc's label starts and ends, relative to the two words that bound it.
fn stretch(edge: &Edge, blocks: &[[Block; 2]], metrics: &Metrics) -> (i32, i32) {
    let side = edge.side as usize;
    let (from, to) = edge.stretch;
    let start = if from == edge.span.0 as usize {
        edge.ports[0]
    } else {
        blocks[from][side].start + blocks[from][side].width(metrics.port) - metrics.line
    };
    let end = if to == edge.span.1 as usize { edge.ports[1] } else { blocks[to][side].start };
    (start, end)
}

/// Puts the words in a row, as close as the labels let them.
fn place_words(
    picture: &Picture,
    edges: &[Edge],
    blocks: &[[Block; 2]],
    widths: &[i32],
    metrics: &Metrics,
) -> Vec<Extent> {
    // Each entry says how far a word must be from an earlier one.
    let mut distances: Vec<Vec<(usize, i32)>> = vec![Vec::new(); widths.len()];
    for edge in edges.iter().filter(|edge| edge.stretch.0 < edge.stretch.1) {
        let (start, end) = stretch(edge, blocks, metrics);
        let needed = edge.label + 2 * metrics.corner + metrics.line;
        distances[edge.stretch.1].push((edge.stretch.0, needed + start - end));
    }
    for bracket in &picture.brackets {
        let (first, last) = (bracket.first.index() - 1, bracket.last.index() - 1);
        let needed = (metrics.label)(&bracket.form) + metrics.corner;
        distances[last].push((first, needed - widths[last]));
    }
    let mut words: Vec<Extent> = Vec::with_capacity(widths.len());
    for (place, &width) in widths.iter().enumerate() {
        let mut left = words.last().map_or(metrics.margin, |word| word.right.saturating_add(metrics.gap));
        for &(earlier, distance) in &distances[place] {
            if let Some(earlier) = words.get(earlier) {
                left = left.max(earlier.left.saturating_add(distance));
            }
        }
        words.push(Extent { left, right: left.saturating_add(width) });
    }
    words
}
