//! Words in a column, for sentences that are too long for a line.
//!
//! Every row shows one incoming arc: the number of its head and its label, then an arrow that comes from the head's trunk, a vertical
//! line at the right. All arcs of a head share its trunk, and trunks with common rows have different columns.
//! A word's own trunk leaves from its first row; when the first incoming arc comes from farther right, both
//! share that row, and what stands left of the arrow belongs to the word:
//!
//! ```text
//! 1  Mark   2:nsubj  ◀╮
//! 2  wants  0:root   ─┤◀
//! 3  more   2:obj    ◀╯
//! ```

use super::Terminal;
use super::canvas::{Canvas, Ink};
use crate::levels::Skyline;
use crate::picture::{Link, Mark, Picture, Word};
use crate::text::{cells, clip};
use std::collections::BTreeMap;

/// The widest form and label.
const WIDEST: i32 = 24;

/// The lines of one head and mark.
struct Trunk {
    first: usize,
    last: usize,
    column: i32,
}

/// The trunks by head and mark.
type Trunks = BTreeMap<(usize, Mark), Trunk>;

/// Draws a picture, if it fits into the width of the terminal.
pub fn draw(picture: &Picture, terminal: &Terminal) -> Option<Vec<String>> {
    let incoming = incoming(picture);
    let trunks = trunks(&incoming);
    // Where each word's outgoing row and its incoming rows end up, once rows are shared.
    let mut height = 0;
    let mut rows: Vec<(usize, Vec<usize>)> = Vec::with_capacity(picture.words.len());
    let mut surface: Vec<(usize, usize)> = Vec::new();
    let mut brackets = picture.brackets.iter().enumerate().peekable();
    for (word, links) in incoming.iter().enumerate() {
        while let Some((bracket, _)) = brackets.next_if(|(_, b)| b.first.index() == word + 1) {
            surface.push((height, bracket));
            height += 1;
        }
        let own = own_column(&trunks, word);
        let out = height;
        let shared = links.first().is_none_or(|link| own.is_none_or(|own| column(&trunks, link) > own));
        let start = out + usize::from(!shared);
        rows.push((out, (start..start + links.len()).collect()));
        height = start + links.len().max(usize::from(shared));
    }

    let widest = |width: fn(&Word) -> i32| picture.words.iter().map(width).max().unwrap_or(0);
    let numbers = widest(|word| cells(&word.id)).max(picture.brackets.len().min(1) as i32 * 5);
    let surfaces = picture.brackets.iter().map(|bracket| cells(&bracket.form)).max().unwrap_or(0);
    let forms = widest(|word| cells(&word.form)).max(surfaces).min(WIDEST);
    let tags = widest(|word| cells(&word.tag)).min(WIDEST);
    let captions = picture.links.iter().map(|link| cells(&named(picture, link))).max().unwrap_or(0);
    let form_at = numbers + 2;
    let tag_at = form_at + forms + 1;
    let label_at = tag_at + tags + i32::from(tags > 0);
    let line_at = label_at + captions + i32::from(captions > 0);
    let width = line_at + trunks.values().map(|trunk| trunk.column).max().unwrap_or(0) + 2;
    if width > terminal.width {
        return None;
    }

    let mut canvas = Canvas::new(width, height);
    for &(row, bracket) in &surface {
        let bracket = &picture.brackets[bracket];
        let id = |node: pleach_graph::NodeId| picture.words[node.index() - 1].id.as_str();
        let range = format!("{}-{}", id(bracket.first), id(bracket.last));
        canvas.text(row, 0, &clip(&range, numbers + 1), Ink::Faint);
        canvas.text(row, form_at, &clip(&bracket.form, WIDEST), Ink::Faint);
    }
    for (place, word) in picture.words.iter().enumerate() {
        let row = rows[place].0;
        let ink = match word.mark {
            Mark::Same if word.empty => Ink::Empty,
            Mark::Same => Ink::Plain,
            mark => Ink::Marked(mark),
        };
        canvas.text(row, numbers - cells(&word.id), &word.id, Ink::Faint);
        canvas.text(row, form_at, &clip(&word.form, forms), ink);
        canvas.text(row, tag_at, &clip(&word.tag, tags), Ink::Faint);
    }
    // The rows that each trunk reaches, now that some are shared.
    let mut reached: BTreeMap<(usize, Mark), (usize, usize, Ink)> = BTreeMap::new();
    for (place, links) in incoming.iter().enumerate() {
        let (out, ins) = &rows[place];
        for (link, &row) in links.iter().zip(ins) {
            let ink = ink(&trunks, link);
            let arrow = match own_column(&trunks, place) {
                Some(own) if row == *out => line_at + own + 1,
                _ => line_at,
            };
            if !link.head.is_root() {
                canvas.horizontal(row, arrow, line_at + column(&trunks, link), ink);
                let head = rows[link.head.index() - 1].0;
                let ends = reached.entry((link.head.index() - 1, link.mark)).or_insert((head, head, ink));
                *ends = (ends.0.min(row), ends.1.max(row), ink);
            }
            canvas.text(row, arrow, "◀", ink);
            canvas.text(row, label_at, &named(picture, link), ink);
        }
    }
    for (key, (first, last, ink)) in reached {
        let column = line_at + trunks[&key].column;
        canvas.vertical(column, first, last, ink);
        canvas.horizontal(rows[key.0].0, line_at, column, ink);
    }
    Some(canvas.lines(terminal.colour))
}

/// A link's head by its number, and its label: a trunk is hard to follow over many rows.
fn named(picture: &Picture, link: &Link) -> String {
    let head = picture.words.get(link.head.index().wrapping_sub(1)).map_or("0", |head| head.id.as_str());
    format!("{head}:{}", clip(&link.caption(), WIDEST))
}

/// One line a word, its heads named by number and form.
pub fn list(picture: &Picture, terminal: &Terminal) -> Vec<String> {
    let incoming = incoming(picture);
    let line = |(word, links): (&Word, &Vec<&Link>)| {
        let mut line = format!("{}  {}", super::paint(&word.id, Ink::Faint, terminal.colour), word.form);
        if !word.tag.is_empty() {
            line.push(' ');
            line.push_str(&super::paint(&word.tag, Ink::Faint, terminal.colour));
        }
        for link in links {
            let caption = super::paint(&link.caption(), Ink::of(link.mark, 0), terminal.colour);
            match picture.words.get(link.head.index().wrapping_sub(1)) {
                Some(head) => line.push_str(&format!("  {caption} ← {} {}", head.id, head.form)),
                None => line.push_str(&format!("  {caption} ← 0")),
            }
        }
        line
    };
    picture.words.iter().zip(&incoming).map(line).collect()
}

/// The links into each word: tops first, then those that come from afar.
fn incoming(picture: &Picture) -> Vec<Vec<&Link>> {
    let mut incoming = vec![Vec::new(); picture.words.len()];
    for link in &picture.links {
        incoming[link.dependent.index() - 1].push(link);
    }
    for links in &mut incoming {
        links.sort_by_key(|link: &&Link| {
            (!link.head.is_root(), std::cmp::Reverse(link.head.0.abs_diff(link.dependent.0)))
        });
    }
    incoming
}

/// The trunks with their columns, found as if no row were shared.
fn trunks(incoming: &[Vec<&Link>]) -> Trunks {
    let mut starts = Vec::with_capacity(incoming.len());
    let mut rows = 0;
    for links in incoming {
        starts.push(rows);
        rows += 1 + links.len();
    }
    let mut trunks = Trunks::new();
    for (word, links) in incoming.iter().enumerate() {
        for (place, link) in links.iter().enumerate().filter(|(_, link)| !link.head.is_root()) {
            let (row, head) = (starts[word] + 1 + place, starts[link.head.index() - 1]);
            let trunk = trunks.entry((link.head.index() - 1, link.mark)).or_insert(Trunk {
                first: head,
                last: head,
                column: 0,
            });
            trunk.first = trunk.first.min(row);
            trunk.last = trunk.last.max(row);
        }
    }
    let mut order: Vec<&mut Trunk> = trunks.values_mut().collect();
    order.sort_by_key(|trunk| trunk.last - trunk.first);
    let mut skyline = Skyline::new(rows + 1);
    // Columns are two cells apart, so that an arrow has room between two trunks.
    for trunk in order {
        trunk.column = 2 * skyline.stack(trunk.first, trunk.last + 1) as i32 - 1;
    }
    trunks
}

/// The rightmost column of a word's own trunks.
fn own_column(trunks: &Trunks, word: usize) -> Option<i32> {
    trunks.range((word, Mark::Same)..=(word, Mark::Relabelled)).map(|(_, trunk)| trunk.column).max()
}

/// The column from which a link comes; tops come from beyond.
fn column(trunks: &Trunks, link: &Link) -> i32 {
    match trunks.get(&(link.head.index().wrapping_sub(1), link.mark)) {
        Some(trunk) if !link.head.is_root() => trunk.column,
        _ => i32::MAX,
    }
}

fn ink(trunks: &Trunks, link: &Link) -> Ink {
    let number = if link.head.is_root() { 0 } else { column(trunks, link) as u32 / 2 };
    Ink::of(link.mark, number)
}
