//! What counts as punctuation: each shared task decides differently.

use pleach_graph::Token;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Whether a form has nothing but characters of Unicode's category P: the rule of CoNLL-X's `eval.pl`, of
/// CoNLL-2007 and of SemEval-2016 Task 9.
///
/// ```
/// use pleach_eval::is_punctuation;
/// assert!(is_punctuation("。") && is_punctuation("--") && is_punctuation("%"));
/// assert!(!is_punctuation("$") && !is_punctuation(":-a"));
/// ```
pub fn is_punctuation(form: &str) -> bool {
    form.chars().all(|c| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => false,
        c => c.general_category_group() == GeneralCategoryGroup::Punctuation,
    })
}

/// Whether SDP's scorer leaves the token out when told to exclude punctuation: by its Penn tag.
pub(crate) fn is_sdp_punctuation(token: &Token) -> bool {
    matches!(token.tag().as_str(), "." | "," | ":" | "(" | ")")
}
