//! Features at the sites of tree systems (`bohnet-2016` section 6): Zhang & Nivre's templates over any position.
//!
//! What arc-eager calls the top of the stack and the front of the buffer are the left and the right token of a site here
//! (`s0`, `b0`), and the tokens that are left on both sides follow (`s1`, `b1` …), wherever O ends. How far apart the
//! two tokens are goes into every feature, as the paper does for D > 1.

use crate::configuration::{Configuration, List};
use crate::scoring::{Rows, Scoring};
use crate::template::Templates;
use crate::words::Words;
use pleach_transition::state::Links;
use pleach_transition::tree::search::Scorer;
use pleach_transition::tree::state::State;
use pleach_transition::tree::system::Site;
use pleach_transition::{NONE, Node};
use std::ops::AddAssign;

/// Larger arc distances are one.
const FARTHEST: u16 = 8;

/// A configuration seen from a site.
#[derive(Clone, Copy, Debug)]
pub struct SiteView<'a> {
    /// The configuration.
    pub state: &'a State,
    /// The site.
    pub site: Site,
    /// Whether few features are asked for twice in a sentence: greedy search.
    pub fleeting: bool,
}

impl Configuration for SiteView<'_> {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        let row = &self.state.row;
        let mut node = match list {
            List::Stack => self.site.left,
            List::Buffer => self.site.right,
            List::Second if index + 1 < usize::from(self.site.distance) => row.after(self.site.left),
            List::Second | List::Part => return NONE,
        };
        for _ in 0..index {
            if node == NONE {
                break;
            }
            node = if list == List::Stack { row.before(node) } else { row.after(node) };
        }
        node
    }

    #[inline]
    fn links(&self, node: Node) -> Option<&Links> {
        self.state.links.get(node as usize)
    }

    #[inline]
    fn arc(&self, a: Node, b: Node) -> u32 {
        let label = |head, dependent| self.state.label(head, dependent).map(u32::from);
        let left = label(b, a).map(|label| 1 + label);
        left.or_else(|| label(a, b).map(|label| 1 << 16 | label)).unwrap_or(0)
    }

    #[inline]
    fn salt(&self) -> u32 {
        u32::from(self.site.distance.min(FARTHEST)) - 1
    }

    #[inline]
    fn is_unique(&self, nodes: usize) -> bool {
        self.fleeting && nodes >= 2
    }
}

/// Scores the classes of sites with a table of weights.
#[derive(Debug)]
pub struct SiteScorer<'a, R: Rows> {
    rows: &'a R,
    templates: &'a Templates,
    words: &'a Words,
    scoring: &'a mut Scoring<R::Sum>,
    fleeting: bool,
    reach: usize,
}

impl<'a, R: Rows> SiteScorer<'a, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    /// A scorer for one sentence; `fleeting` says that the search is greedy.
    pub fn new(
        rows: &'a R,
        templates: &'a Templates,
        words: &'a Words,
        scoring: &'a mut Scoring<R::Sum>,
        fleeting: bool,
    ) -> Self {
        scoring.begin();
        SiteScorer { rows, templates, words, scoring, fleeting, reach: templates.deepest() }
    }

    /// The keys of all features of a site.
    pub fn keys(&mut self, state: &State, site: Site) -> &[u64] {
        let view = SiteView { state, site, fleeting: self.fleeting };
        self.scoring.keys(self.templates, self.words, &view)
    }
}

impl<R: Rows> Scorer for SiteScorer<'_, R>
where
    R::Sum: Copy + Default + AddAssign,
{
    fn score(&mut self, state: &State, site: Site, scores: &mut [f32]) {
        let view = SiteView { state, site, fleeting: self.fleeting };
        self.scoring.score(self.rows, self.templates, self.words, &view, scores);
    }

    fn reach(&self) -> usize {
        self.reach
    }
}
