//! A sentence that several Python objects look at.

use crate::sentence::Place;
use pleach::graph::{Multiword, Sentence, Token};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A sentence and where it stands in its document.
#[derive(Debug, Default)]
pub struct Shared {
    sentence: RwLock<Sentence>,
    /// Where its text begins in the document's, in characters.
    start: Option<usize>,
    /// Where each word stands in the document, where white space makes that differ from the sentence's own text.
    places: Option<Box<[(u32, u32)]>>,
}

/// A reference to a sentence.
pub type Cell = Arc<Shared>;

impl Shared {
    /// A sentence without a document's text.
    pub fn new(sentence: Sentence) -> Cell {
        Arc::new(Shared { sentence: RwLock::new(sentence), start: None, places: None })
    }

    /// A sentence with its place.
    pub fn placed(sentence: Sentence, place: Placed) -> Cell {
        let Placed { start, places } = place;
        Arc::new(Shared { sentence: RwLock::new(sentence), start: Some(start), places })
    }

    /// A sentence as [`Shared::places`] told of it.
    pub fn at(sentence: Sentence, (start, places): Place) -> Cell {
        Arc::new(Shared { sentence: RwLock::new(sentence), start, places: places.map(Vec::into) })
    }

    /// Where it begins, and its words where that does not follow.
    pub fn places(&self) -> Place {
        (self.start, self.places.as_deref().map(<[_]>::to_vec))
    }

    /// The sentence. A panic of another thread leaves it as it was: all changes are single steps.
    pub fn read(&self) -> RwLockReadGuard<'_, Sentence> {
        self.sentence.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sentence, to be changed.
    pub fn write(&self) -> RwLockWriteGuard<'_, Sentence> {
        self.sentence.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A sentence of its own with the same content.
    pub fn copy(&self) -> Cell {
        Arc::new(Shared {
            sentence: RwLock::new(self.read().clone()),
            start: self.start,
            places: self.places.clone(),
        })
    }

    /// Where it begins in the document's text.
    pub fn start(&self) -> Option<usize> {
        self.start
    }

    /// Where a token stands: in the document's text, else in the sentence's.
    pub fn place(&self, token: &Token) -> Option<(usize, usize)> {
        if token.id.is_empty_node() {
            return None;
        }
        let place = self.places.as_ref().and_then(|places| places.get(token.id.word as usize - 1));
        let (start, end) = place.copied().or(token.anchor)?;
        let before = self.start.unwrap_or(0);
        Some((before + start as usize, before + end as usize))
    }
}

/// Where a sentence stands in a text.
#[derive(Debug, Default)]
pub struct Placed {
    start: usize,
    /// From the sentence's start; only where the anchors don't say it.
    places: Option<Box<[(u32, u32)]>>,
}

impl Placed {
    /// The places of the sentences that a text was cut into, by the white space that their tokens note. `at` is where
    /// the text begins.
    pub fn all(sentences: &[Sentence], mut at: usize) -> Vec<Placed> {
        sentences.iter().map(|sentence| Placed::next(sentence, &mut at)).collect()
    }

    fn next(sentence: &Sentence, at: &mut usize) -> Placed {
        let mut start = None;
        let mut regular = true;
        let mut places = Vec::with_capacity(sentence.len());
        let mut multiwords = sentence.multiwords.iter().peekable();
        let mut next = 0;
        while next < sentence.tokens.len() {
            let token = &sentence.tokens[next];
            let over = multiwords.next_if(|multiword: &&Multiword| multiword.first == token.id.word);
            let last = over.map_or(next, |over| next + (over.last - over.first) as usize);
            let last = last.min(sentence.tokens.len() - 1);
            let misc = over.map_or(&token.misc, |over| &over.misc);
            *at += value(misc, "SpacesBefore").map_or(0, spaces);
            let words = &sentence.tokens[next..=last];
            let anchor = |token: &Token| token.anchor.unwrap_or_default();
            let (from, to) = (anchor(&words[0]).0, anchor(&words[words.len() - 1]).1);
            let begin = *start.get_or_insert(*at);
            let shift = (*at - begin) as i64 - i64::from(from);
            regular &= shift == 0;
            for word in words {
                let (start, end) = anchor(word);
                places.push(((i64::from(start) + shift) as u32, (i64::from(end) + shift) as u32));
            }
            *at += (to - from) as usize;
            *at += match value(misc, "SpacesAfter") {
                Some(white) => spaces(white),
                None => usize::from(!misc.split('|').any(|item| item == "SpaceAfter=No")),
            };
            next = last + 1;
        }
        let places = if regular { None } else { Some(places.into()) };
        Placed { start: start.unwrap_or(*at), places }
    }
}

fn value<'a>(misc: &'a str, key: &str) -> Option<&'a str> {
    misc.split('|').find_map(|item| item.strip_prefix(key)?.strip_prefix('='))
}

/// How many characters white space in UDPipe's spelling has.
fn spaces(escaped: &str) -> usize {
    escaped.chars().filter(|&c| c != '\\').count()
}
