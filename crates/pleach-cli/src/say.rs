//! Standard error: what is for people and not for pipes.

use crate::help::filled;
use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{IsTerminal, Write};

/// Writes a line; what it quotes from files can't steer the terminal. A reader who has gone misses it, that is all.
pub fn line(text: Arguments<'_>) {
    let text = text.to_string();
    let text = pleach_graph::visible_lines(&text);
    let screen = std::io::stderr();
    let size = terminal_size::terminal_size_of(&screen).filter(|_| screen.is_terminal());
    let text = size.map_or(Cow::Borrowed(&*text), |(width, _)| fitted(&text, usize::from(width.0)).into());
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Lines that a terminal of this width need not break: between words, and the rest set in.
fn fitted(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if line.chars().count() <= width || width < 20 {
            lines.push(line.to_owned());
            continue;
        }
        let words = line.trim_start();
        let indent = (line.chars().count() - words.chars().count()).min(width / 4);
        for (number, part) in filled(words, width - indent - 2).into_iter().enumerate() {
            let more = if number == 0 { 0 } else { 2 };
            lines.push(format!("{:1$}{part}", "", indent + more));
        }
    }
    lines.join("\n")
}

/// Formats a line for standard error.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::say::line(format_args!($($text)*))
    };
}
pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words() {
        let line = "epoch 1/1, 3 s: 85.3 % of sentences wrong, dev LF 29.13 LP 29.13 LR 29.13 UF 40.60 UP 40.57 UR 40.63 exact 6.00 (best)";
        let set = fitted(line, 80);
        assert!(set.lines().all(|line| line.chars().count() <= 80), "{set}");
        assert_eq!(set.split_whitespace().collect::<Vec<_>>(), line.split_whitespace().collect::<Vec<_>>());
        assert!(set.lines().nth(1).is_some_and(|second| second.starts_with("  40.60")), "{set}");
        assert_eq!(fitted("error: short\n\nFor more.", 80), "error: short\n\nFor more.");
        assert_eq!(fitted("  a b", 4), "  a b", "too narrow for anything");
        let whole = "x".repeat(90);
        assert_eq!(fitted(&whole, 80), whole, "a word is not broken");
    }
}
