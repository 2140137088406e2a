//! Long sentences in several lines.
//!
//! A line is a picture of its own: its words, and for every word of another line that they are linked to a small
//! reference at the line's left or right end, in the order of the sentence. So every arc is drawn whole, with its label,
//! in the line of each of its ends, and all that holds for layouts holds for lines.
//!
//! Invariants: every word stands in one line as itself; every link is drawn in the lines of its two ends and nowhere
//! else; links keep the side of the words that they have in the whole picture.
//! Complexity: O(words of a line) layouts of a line each.

use crate::layout::{Layout, Metrics, Pages};
use crate::pages::Side;
use crate::picture::{Bracket, Link, Mark, Picture, Word};
use crate::scene::Owner;
use crate::text;
use pleach_graph::NodeId;
use std::collections::BTreeMap;

/// The most references at one end of a line; farther words share one.
const REFERENCES: usize = 6;

/// How much of a word a reference shows, in terminal cells.
const SHOWN: i32 = 14;

/// No line has more words, however wide it may be.
const LONGEST: usize = 400;

/// One line of a picture.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// What it shows.
    pub picture: Picture,
    /// The side of each link.
    pub sides: Vec<Side>,
    /// For each word of the line, which word of the whole it is.
    pub words: Vec<Owner>,
    /// For each link of the line, which link of the whole it is.
    pub links: Vec<Owner>,
}

impl Line {
    /// A whole picture in one line.
    pub fn whole(picture: &Picture, sides: Vec<Side>) -> Line {
        Line {
            words: (0..picture.words.len()).map(Owner::Word).collect(),
            links: (0..picture.links.len()).map(Owner::Link).collect(),
            picture: picture.clone(),
            sides,
        }
    }
}

/// Breaks a picture into lines that are no wider than `width`, as far as possible.
pub(crate) fn wrap(picture: &Picture, metrics: &Metrics, pages: Pages, width: i32) -> Vec<Line> {
    let sides = pages.sides(picture);
    let whole = Line::whole(picture, sides);
    let fits = |line: &Line| Layout::with_sides(&line.picture, metrics, &line.sides).width <= width;
    let words = picture.words.len();
    if words <= 1 || (words <= LONGEST && fits(&whole)) {
        return vec![whole];
    }
    let breaker = Breaker::new(whole);
    let mut lines = Vec::new();
    let mut start = 0;
    while start < words {
        let mut end = start + 1;
        while end < words && end - start < LONGEST && fits(&breaker.line(start, end + 1)) {
            end += 1;
        }
        if end < words {
            end = breaker.best(start, end);
        }
        lines.push(breaker.line(start, end));
        start = end;
    }
    lines
}

/// A picture that is broken into lines.
struct Breaker {
    whole: Line,
    /// For each word, the links that begin or end there.
    at: Vec<Vec<usize>>,
    /// For each place between two words, how many links pass it; one more for a place within a multiword token.
    passing: Vec<usize>,
}

/// The place of a node among the words; none for the root.
fn place(node: NodeId) -> Option<usize> {
    node.index().checked_sub(1)
}

impl Breaker {
    fn new(whole: Line) -> Breaker {
        let words = whole.picture.words.len();
        let mut at = vec![Vec::new(); words];
        let mut change = vec![0isize; words + 2];
        let mut span = |first: usize, last: usize, weight: isize| {
            change[first + 1] += weight;
            change[last + 1] -= weight;
        };
        for (number, link) in whole.picture.links.iter().enumerate() {
            let (head, dependent) = (place(link.head), place(link.dependent));
            for word in [head, dependent.filter(|_| head != dependent)].into_iter().flatten() {
                at[word].push(number);
            }
            if let (Some(head), Some(dependent)) = (head, dependent) {
                span(head.min(dependent), head.max(dependent), 1);
            }
        }
        for bracket in &whole.picture.brackets {
            if let (Some(first), Some(last)) = (place(bracket.first), place(bracket.last)) {
                // A break within a multiword token is worse than any other.
                span(first, last, words as isize * 1000);
            }
        }
        let mut passing = Vec::with_capacity(words + 1);
        let mut sum = 0;
        for change in &change[..=words] {
            sum += change;
            passing.push(sum.max(0) as usize);
        }
        Breaker { whole, at, passing }
    }

    /// Where a line from `start` ends that may reach `end`: where the fewest links pass, in its last third.
    fn best(&self, start: usize, end: usize) -> usize {
        let first = start + ((end - start) * 2).div_ceil(3).max(1);
        (first..=end).rev().min_by_key(|&place| self.passing[place]).unwrap_or(end)
    }

    /// The line of the words `start..end`.
    fn line(&self, start: usize, end: usize) -> Line {
        let Line { picture, sides, .. } = &self.whole;
        let mut numbers: Vec<usize> = self.at[start..end].iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let outside = |word: usize| word < start || word >= end;
        let mut away: Vec<usize> = numbers
            .iter()
            .flat_map(|&number| [picture.links[number].head, picture.links[number].dependent])
            .filter_map(place)
            .filter(|&word| outside(word))
            .collect();
        away.sort_unstable();
        away.dedup();
        let split = away.partition_point(|&word| word < start);
        let (before, after) = away.split_at(split);
        // The farthest words share a reference.
        let (crowd_before, before) = before.split_at(before.len().saturating_sub(REFERENCES));
        let (after, crowd_after) = after.split_at(after.len().min(REFERENCES));

        let mut words: Vec<Word> = Vec::new();
        let mut owners = Vec::new();
        // The places of this line's words by those of the whole.
        let mut places: BTreeMap<usize, u32> = BTreeMap::new();
        let mut put = |word: Word, owner: Owner, members: &[usize]| {
            words.push(word);
            owners.push(owner);
            for &member in members {
                places.insert(member, words.len() as u32);
            }
        };
        let crowd = |members: &[usize], put: &mut dyn FnMut(Word, Owner, &[usize])| {
            if !members.is_empty() {
                let form = format!("… {} more", members.len());
                put(Word { form, away: true, ..Word::default() }, Owner::None, members);
            }
        };
        crowd(crowd_before, &mut put);
        for &word in before {
            put(reference(&picture.words[word]), Owner::Word(word), &[word]);
        }
        for word in start..end {
            put(picture.words[word].clone(), Owner::Word(word), &[word]);
        }
        for &word in after {
            put(reference(&picture.words[word]), Owner::Word(word), &[word]);
        }
        crowd(crowd_after, &mut put);

        let node = |node: NodeId| match place(node) {
            None => Some(NodeId::ROOT),
            Some(word) => places.get(&word).map(|&place| NodeId(place)),
        };
        let mut links: BTreeMap<(NodeId, NodeId), (Link, Side, Owner)> = BTreeMap::new();
        for number in numbers {
            let link = &picture.links[number];
            let (Some(head), Some(dependent)) = (node(link.head), node(link.dependent)) else { continue };
            let new = (Link { head, dependent, ..link.clone() }, sides[number], Owner::Link(number));
            links
                .entry((dependent, head))
                .and_modify(|(old, _, owner)| {
                    // Links to words that share a reference become one.
                    old.labels.extend(link.labels.iter().cloned());
                    old.mark = if old.mark == link.mark { link.mark } else { Mark::Same };
                    *owner = Owner::None;
                })
                .or_insert(new);
        }
        let brackets = picture.brackets.iter().filter_map(|bracket| {
            let (first, last) = (place(bracket.first)?, place(bracket.last)?);
            let inside = !outside(first) && !outside(last);
            let place = |word: usize| places.get(&word).map(|&place| NodeId(place));
            inside
                .then(|| {
                    Some(Bracket { first: place(first)?, last: place(last)?, form: bracket.form.clone() })
                })
                .flatten()
        });
        let picture = Picture {
            name: picture.name.clone(),
            text: picture.text.clone(),
            right_to_left: picture.right_to_left,
            brackets: brackets.collect(),
            words,
            links: links.values().map(|(link, ..)| link.clone()).collect(),
        };
        let sides = links.values().map(|(_, side, _)| *side).collect();
        let links = links.into_values().map(|(.., owner)| owner).collect();
        Line { picture, sides, words: owners, links }
    }
}

/// A word of another line: its form, and its number below.
fn reference(word: &Word) -> Word {
    Word { form: text::clip(&word.form, SHOWN), tag: format!("({})", word.id), away: true, ..word.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Basis;
    use pleach_graph::{Multiword, Sentence};

    const METRICS: Metrics = Metrics {
        form: |word| word.form.len() as i32 * 10,
        tag: |tag| tag.len() as i32 * 7,
        label: |label| label.len() as i32 * 7 + 6,
        port: 10,
        gap: 14,
        corner: 11,
        line: 0,
        margin: 12,
    };

    /// A sentence of 60 words with short and long arcs.
    fn long() -> Picture {
        let mut sentence = Sentence::from_forms((0..60).map(|i| format!("word{i}")));
        sentence.graph.insert(NodeId(0), NodeId(3), "root".into());
        for word in 1..60 {
            sentence.graph.insert(NodeId(word), NodeId(word + 1), "next".into());
        }
        for dependent in [20, 30, 33, 41, 44, 50, 52, 55, 58, 60] {
            sentence.graph.insert(NodeId(3), NodeId(dependent), "far".into());
        }
        sentence.graph.insert(NodeId(59), NodeId(5), "back".into());
        sentence.multiwords.push(Multiword { first: 8, last: 11, form: "x".into(), ..Multiword::default() });
        Picture::new(&sentence, Basis::Graph)
    }

    #[test]
    fn all_words_and_links_are_there_and_lines_are_narrow() {
        let picture = long();
        let lines = wrap(&picture, &METRICS, Pages::Book, 900);
        assert!(lines.len() > 4);
        let mut words = Vec::new();
        let mut drawn = vec![Vec::new(); picture.links.len()];
        for (number, line) in lines.iter().enumerate() {
            let layout = Layout::with_sides(&line.picture, &METRICS, &line.sides);
            assert!(layout.width <= 900, "line {number} is {} wide", layout.width);
            for (word, owner) in line.picture.words.iter().zip(&line.words) {
                if let (false, Owner::Word(place)) = (word.away, owner) {
                    words.push(*place);
                }
            }
            for owner in &line.links {
                if let Owner::Link(link) = owner {
                    drawn[*link].push(number);
                }
            }
        }
        assert_eq!(words, (0..60).collect::<Vec<_>>());
        let line_of = |node: NodeId| {
            lines.iter().position(|line| {
                let own = line.picture.words.iter().zip(&line.words).filter(|(word, _)| !word.away);
                own.into_iter().any(|(_, owner)| *owner == Owner::Word(node.index() - 1))
            })
        };
        for (link, lines) in picture.links.iter().zip(&drawn) {
            // Links to words that share a reference are drawn without a name, at most at one end.
            assert!(!lines.is_empty(), "{link:?}");
            assert!(lines.iter().all(|&line| Some(line) == line_of(link.dependent)
                || (!link.head.is_root() && Some(line) == line_of(link.head))));
        }
        // The multiword token is whole.
        assert_eq!(lines.iter().map(|line| line.picture.brackets.len()).sum::<usize>(), 1);
    }

    #[test]
    fn short_pictures_are_one_line() {
        let mut sentence = Sentence::from_forms(["a", "b"]);
        sentence.graph.insert(NodeId(1), NodeId(2), "x".into());
        let picture = Picture::new(&sentence, Basis::Graph);
        let lines = wrap(&picture, &METRICS, Pages::Book, 900);
        assert_eq!((lines.len(), &lines[0].picture), (1, &picture));
        // Words can't be broken: a line has one at least.
        assert_eq!(wrap(&picture, &METRICS, Pages::Book, 1).len(), 2);
    }

    #[test]
    fn links_keep_their_side() {
        let picture = long();
        let sides = Pages::Book.sides(&picture);
        for line in wrap(&picture, &METRICS, Pages::Book, 700) {
            for (side, owner) in line.sides.iter().zip(&line.links) {
                if let Owner::Link(link) = owner {
                    assert_eq!(*side, sides[*link]);
                }
            }
        }
    }
}
