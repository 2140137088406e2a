//! Arcs over a line of words.

use super::Terminal;
use super::canvas::{Canvas, Ink};
use crate::layout::{Layout, Metrics, PlacedLink};
use crate::pages::Side;
use crate::picture::{Mark, Picture};
use crate::text::cells;

const METRICS: Metrics = Metrics {
    form: |word| cells(&word.form),
    tag: cells,
    label: cells,
    port: 1,
    gap: 2,
    corner: 0,
    line: 1,
    margin: 0,
};

/// Draws a picture, if it fits into the width of the terminal.
pub fn draw(picture: &Picture, terminal: &Terminal) -> Option<Vec<String>> {
    // The words alone are often too long already.
    let least: i64 = picture.words.iter().map(|word| i64::from(cells(&word.form) + 1)).sum();
    if least > i64::from(terminal.width) + 1 {
        return None;
    }
    let layout = Layout::new(picture, &METRICS, terminal.pages);
    if layout.width > terminal.width {
        return None;
    }
    let tags = usize::from(picture.words.iter().any(|word| !word.tag.is_empty()));
    let brackets = if picture.brackets.is_empty() { 0 } else { 2 };
    let forms = layout.above as usize + usize::from(layout.above > 0);
    let under = forms + 1 + tags + brackets;
    let height = under + layout.below as usize + usize::from(layout.below > 0);
    let mut canvas = Canvas::new(layout.width, height);

    for ((word, form), tag) in picture.words.iter().zip(&layout.forms).zip(&layout.tags) {
        let ink = match word.mark {
            mark if mark != Mark::Same => Ink::Marked(mark),
            _ if word.empty => Ink::Empty,
            _ => Ink::Plain,
        };
        canvas.text(forms, form.left, &word.form, ink);
        canvas.text(forms + tags, tag.left, &word.tag, Ink::Faint);
    }
    for (bracket, place) in picture.brackets.iter().zip(&layout.brackets) {
        let row = forms + 1 + tags;
        let text = place.left + (place.right - place.left - cells(&bracket.form)) / 2;
        canvas.horizontal(row, place.left, place.right - 1, Ink::Faint);
        canvas.tick(row, place.left, Ink::Faint);
        canvas.tick(row, place.right - 1, Ink::Faint);
        canvas.text(row + 1, text, &bracket.form, Ink::Faint);
    }
    // Low arcs first, so that where two cross the higher one's colour shows.
    let mut links: Vec<&PlacedLink> = layout.links.iter().collect();
    links.sort_by_key(|link| link.level);
    for link in links {
        // Two colours for each page.
        let page = if link.side == Side::Below { 2 } else { 0 };
        let ink = Ink::of(picture.links[link.link].mark, page + link.level % 2);
        let (row, near, arrow) = match link.side {
            Side::Above => (forms - 1 - link.level as usize, forms - 1, "▼"),
            Side::Below => (under + link.level as usize, under, "▲"),
        };
        if let Some(head) = link.head {
            canvas.vertical(head, row.min(near), row.max(near), ink);
            canvas.vertical(link.dependent, row.min(near), row.max(near), ink);
            canvas.horizontal(row, head.min(link.dependent), head.max(link.dependent), ink);
        } else {
            canvas.vertical(link.dependent, row, near, ink);
        }
        canvas.text(near, link.dependent, arrow, ink);
        canvas.text(row, link.label.left, &link.caption, ink);
    }
    Some(canvas.lines(terminal.colour))
}
