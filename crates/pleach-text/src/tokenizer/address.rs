//! Addresses of mail and of pages: treebanks with spaces have them as one token each, whatever signs are in them.

use std::ops::Range;

/// Where an address stands in a chunk of text without white space; brackets and punctuation around it are not part of it.
pub(super) fn address(chunk: &str) -> Option<Range<usize>> {
    let inner = chunk.trim_start_matches(['(', '[', '{', '<', '"', '\'']);
    let start = chunk.len() - inner.len();
    // The chunk ends where an address can't go on.
    let inner = &inner[..inner.find(['>', '"', ']', '}']).unwrap_or(inner.len())];
    let inner = inner.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '-', '*', '_']);
    (is_mail(inner) || is_page(inner)).then(|| start..start + inner.len())
}

/// `name+more@host.example`
fn is_mail(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let in_name = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    !name.is_empty() && name.chars().all(in_name) && is_host(host)
}

/// `https://…`, `www.host.example/…`
fn is_page(text: &str) -> bool {
    let known = |scheme: &str| ["http", "https", "ftp"].contains(&scheme.to_ascii_lowercase().as_str());
    if let Some((scheme, rest)) = text.split_once("://") {
        return known(scheme) && rest.len() > 2;
    }
    let host = text.split('/').next().unwrap_or_default();
    host.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www.")) && is_host(&host[4..])
}

fn is_host(text: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-');
    text.split('.').count() > 1 && text.split('.').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_without_what_is_around_them() {
        let found = |chunk: &'static str| address(chunk).map(|bytes| &chunk[bytes]);
        assert_eq!(found("joe+x@mail.example.org"), Some("joe+x@mail.example.org"));
        assert_eq!(found("<a.b@c.de>,"), Some("a.b@c.de"));
        assert_eq!(found("(http://x.org/a-b?c=d),"), Some("http://x.org/a-b?c=d"));
        assert_eq!(found("www.Example.com."), Some("www.Example.com"));
        for other in
            ["a@b", "me@", "@home", "and/or", "e.g.", "www.", "http://", "3:00", "\u{fe}@\u{1f600}.x"]
        {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
