//! The text that a treebank's sentences were made from: surface tokens, spaces, paragraphs.
//!
//! Spaces follow `SpaceAfter=No`, paragraphs the `newpar` and `newdoc` comments. A treebank without any `SpaceAfter`
//! mark is put together by its script: without spaces where that is written so (Chinese, Japanese, Thai …), else with
//! a space between all words but not before closing punctuation. A treebank without paragraphs is cut into stretches
//! of a few sentences, so that the ends of sentences are seen in the middle of a text.

use crate::characters::{Class, without_spaces};
use pleach_graph::Sentence;
use std::ops::Range;

/// The most sentences that a paragraph without marks is made of.
const STRETCH: usize = 8;

/// A token as it stands in the text, over one or more words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface<'a> {
    /// Its form in the text.
    pub form: &'a str,
    /// Its words, as places in [`Sentence::tokens`]; empty nodes may stand between them.
    pub words: Range<usize>,
    /// Whether it is a multiword token.
    pub multiword: bool,
    /// Whether a space follows, as far as the file says.
    pub space_after: bool,
}

/// The surface tokens of a sentence.
pub fn tokens(sentence: &Sentence) -> Vec<Surface<'_>> {
    let mut surface = Vec::with_capacity(sentence.len());
    let mut multiwords = sentence.multiwords.iter().peekable();
    let mut covered = 0;
    for (place, token) in sentence.tokens.iter().enumerate().filter(|(_, token)| !token.id.is_empty_node()) {
        let number = token.id.word;
        if number <= covered {
            if let Some(last) = surface.last_mut() {
                let last: &mut Surface<'_> = last;
                last.words.end = place + 1;
            }
            continue;
        }
        while multiwords.next_if(|multiword| multiword.first < number).is_some() {}
        let words = place..place + 1;
        surface.push(match multiwords.next_if(|multiword| multiword.first == number) {
            Some(multiword) => {
                covered = multiword.last;
                let space_after = !multiword.misc.split('|').any(|item| item == "SpaceAfter=No");
                Surface { form: &multiword.form, words, multiword: true, space_after }
            }
            None => Surface { form: &token.form, words, multiword: false, space_after: token.space_after() },
        });
    }
    surface
}

/// How the words of a treebank are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// As `SpaceAfter` says.
    Marked,
    /// No spaces at all.
    None,
    /// A space between all words, but not before closing punctuation and after opening.
    Usual,
}

impl Spacing {
    /// What a treebank seems to have.
    pub fn of(sentences: &[Sentence]) -> Self {
        let words = || sentences.iter().flat_map(|sentence| &sentence.tokens);
        let multiwords = || sentences.iter().flat_map(|sentence| &sentence.multiwords);
        let marked = words().any(|token| !token.space_after());
        if marked || multiwords().any(|multiword| multiword.misc.contains("SpaceAfter=No")) {
            return Spacing::Marked;
        }
        let letters = || words().flat_map(|token| token.form.chars()).filter(|c| c.is_alphabetic());
        match letters().filter(|&c| without_spaces(c)).count() * 2 > letters().count() {
            true => Spacing::None,
            false => Spacing::Usual,
        }
    }

    /// Whether a space stands between a token and the next one.
    fn between(self, token: &Surface<'_>, next: &str) -> bool {
        match self {
            Spacing::Marked => token.space_after,
            Spacing::None => false,
            Spacing::Usual => {
                let opening = |c: char| matches!(c, '(' | '[' | '{' | '“' | '‘' | '«' | '¿' | '¡');
                let closing = |c: char| {
                    matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '”' | '’' | '»' | '%')
                };
                !token.form.ends_with(opening) && !next.starts_with(closing)
            }
        }
    }
}

/// A paragraph of text, and where its tokens end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paragraph {
    /// The text.
    pub text: String,
    /// For every token: the byte behind it, and whether it is the last one of its sentence.
    pub ends: Vec<(usize, bool)>,
    /// The last sentence is known to end here: a paragraph ends, too.
    pub complete: bool,
}

/// The paragraphs of a treebank.
pub fn paragraphs(sentences: &[Sentence]) -> Vec<Paragraph> {
    let spacing = Spacing::of(sentences);
    let starts = |sentence: &Sentence| {
        let marks = |comment: &String| {
            let comment = comment.trim_start_matches('#').trim_start();
            comment.starts_with("newpar") || comment.starts_with("newdoc")
        };
        sentence.comments.iter().any(marks)
            || sentence.tokens.iter().skip(1).any(|t| t.misc.contains("NewPar=Yes"))
    };
    let marked = sentences.iter().any(starts);
    let mut paragraphs = Vec::new();
    let mut paragraph = Paragraph::default();
    let mut count = 0;
    for sentence in sentences {
        let new = starts(sentence);
        if new || (!marked && count >= STRETCH) {
            let complete = new || !marked;
            paragraphs.push(Paragraph { complete, ..std::mem::take(&mut paragraph) });
            count = 0;
        }
        count += 1;
        append(&mut paragraph, sentence, spacing);
    }
    paragraphs.push(Paragraph { complete: true, ..paragraph });
    paragraphs.retain(|paragraph| !paragraph.ends.is_empty());
    for paragraph in &mut paragraphs {
        paragraph.text.truncate(paragraph.text.trim_end().len());
    }
    paragraphs
}

fn append(paragraph: &mut Paragraph, sentence: &Sentence, spacing: Spacing) {
    let tokens = tokens(sentence);
    for (number, token) in tokens.iter().enumerate() {
        // White space alone is no token that could be found in a text.
        if token.form.trim().is_empty() {
            continue;
        }
        paragraph.text.push_str(token.form.trim());
        paragraph.ends.push((paragraph.text.len(), number + 1 == tokens.len()));
        let space = match tokens.get(number + 1) {
            Some(next) => spacing.between(token, next.form),
            // Even an unmarked corpus has spaces between sentences, unless its script has none.
            None => spacing == Spacing::Usual || spacing.between(token, ""),
        };
        if space {
            paragraph.text.push(' ');
        }
    }
}

/// The raw text of a treebank, with a blank line between paragraphs.
pub fn raw_text(sentences: &[Sentence]) -> String {
    let texts: Vec<String> = paragraphs(sentences).into_iter().map(|paragraph| paragraph.text).collect();
    texts.join("\n\n") + "\n"
}

/// How a paragraph is laid out in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// On one line.
    Line,
    /// Lines of at most so many characters, as in e-mails.
    Wrapped(usize),
    /// One sentence a line.
    Sentences,
}

impl Paragraph {
    /// Turns spaces into ends of lines. Places don't change, since both are one byte.
    pub fn lay_out(&mut self, layout: Layout) {
        let mut places = Vec::new();
        match layout {
            Layout::Line => {}
            Layout::Sentences => {
                let spaces =
                    self.ends.iter().filter(|(end, last)| *last && self.text[*end..].starts_with(' '));
                places.extend(spaces.map(|(end, _)| *end));
            }
            Layout::Wrapped(width) => {
                let (mut line, mut space) = (0, None);
                for (place, _) in self.text.match_indices(' ').chain([(self.text.len(), "")]) {
                    if place - line > width
                        && let Some(space) = space
                    {
                        places.push(space);
                        line = space + 1;
                    }
                    space = Some(place);
                }
            }
        }
        for place in places {
            self.text.replace_range(place..=place, "\n");
        }
    }
}

/// Whether most of a text's letters are capitals.
pub fn shouted<'a>(forms: impl Iterator<Item = &'a str>) -> bool {
    let (mut upper, mut lower) = (0, 0);
    for c in forms.flat_map(str::chars) {
        match Class::of(c) {
            Class::Upper => upper += 1,
            Class::Lower => lower += 1,
            _ => {}
        }
    }
    upper > 5 && upper > 3 * lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Multiword;

    fn sentence(forms: &[&str], glued: &[usize]) -> Sentence {
        let mut sentence = Sentence::from_forms(forms.iter().copied());
        for &place in glued {
            sentence.tokens[place].misc = "SpaceAfter=No".into();
        }
        sentence
    }

    #[test]
    fn text_is_put_together_as_marked() {
        let mut one = sentence(&["I", "do", "n't", "know", "."], &[3]);
        one.multiwords.push(Multiword { first: 2, last: 3, form: "don't".into(), ..Multiword::default() });
        let mut two = sentence(&["(", "Yes", ")"], &[0, 1]);
        let three = sentence(&["New"], &[]);
        let paragraphs = paragraphs(&[one.clone(), two.clone(), three.clone()]);
        assert_eq!(paragraphs.len(), 1);
        assert_eq!(paragraphs[0].text, "I don't know. (Yes) New");
        let ends = [
            (1, false),
            (7, false),
            (12, false),
            (13, true),
            (15, false),
            (18, false),
            (19, true),
            (23, true),
        ];
        assert_eq!(paragraphs[0].ends, ends);
        two.comments.push("# newpar".into());
        assert_eq!(raw_text(&[one, two, three]), "I don't know.\n\n(Yes) New\n");
    }

    #[test]
    fn unmarked_text_goes_by_its_script() {
        let chinese = [sentence(&["我", "爱", "他", "。"], &[]), sentence(&["1981", "年"], &[])];
        assert_eq!(raw_text(&chinese), "我爱他。1981年\n");
        let english = [sentence(&["Yes", ",", "(", "I", ")", "do", "."], &[]), sentence(&["So"], &[])];
        assert_eq!(raw_text(&english), "Yes, (I) do. So\n");
    }

    #[test]
    fn layouts_move_no_token() {
        let sentences = [sentence(&["one", "two", "three", "."], &[2]), sentence(&["four", "."], &[0])];
        let plain = paragraphs(&sentences).remove(0);
        let mut wrapped = plain.clone();
        wrapped.lay_out(Layout::Wrapped(8));
        assert_eq!(wrapped.text, "one two\nthree.\nfour.");
        let mut lines = plain.clone();
        lines.lay_out(Layout::Sentences);
        assert_eq!(lines.text, "one two three.\nfour.");
        assert_eq!(wrapped.ends, plain.ends);
    }
}
