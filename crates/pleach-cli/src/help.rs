//! The command with its help laid out for the terminal it is read on.
//!
//! The texts after the options are written with columns: a command and what it does, a name and what it means. A terminal
//! that is too narrow would break such lines anywhere; here what stands in the second column wraps within it, or goes
//! under the first when there is little room. Paragraphs are filled.

use crate::{Cli, screen};
use clap::{Command, CommandFactory};

/// The widest that help is set; longer lines are hard to read.
const WIDEST: usize = 100;

/// The narrowest second column.
const NARROWEST: usize = 30;

/// What goes under the first column is set in by so much.
const UNDER: usize = 6;

/// The whole command, its help as wide as the terminal.
pub fn command() -> Command {
    let width = screen::width().map_or(WIDEST, usize::from).clamp(40, WIDEST);
    command_for(width)
}

/// The same for so many columns.
pub fn command_for(width: usize) -> Command {
    Cli::command().term_width(width).mut_subcommands(|verb| {
        let (short, long) = (verb.get_after_help().cloned(), verb.get_after_long_help().cloned());
        let verb = match short {
            Some(text) => verb.after_help(laid_out(&text.to_string(), width)),
            None => verb,
        };
        match long {
            Some(text) => verb.after_long_help(laid_out(&text.to_string(), width)),
            None => verb,
        }
    })
}

/// A line in columns; only the first when there is no second.
struct Row {
    indent: usize,
    first: String,
    /// Where the second column begins, and what stands there.
    second: Option<(usize, String)>,
}

impl Row {
    fn new(line: &str) -> Row {
        let text = line.trim_start();
        let indent = line.chars().count() - text.chars().count();
        let Some((first, rest)) = text.split_once("  ") else {
            return Row { indent, first: text.to_owned(), second: None };
        };
        let second = rest.trim_start();
        let column = line.chars().count() - second.chars().count();
        Row { indent, first: first.to_owned(), second: Some((column, second.to_owned())) }
    }

    /// Whether it can stay in columns.
    fn fits(&self, width: usize) -> bool {
        match &self.second {
            None => true,
            Some((column, text)) => column + text.chars().count() <= width || column + NARROWEST <= width,
        }
    }

    fn write(&self, columns: bool, width: usize, out: &mut Vec<String>) {
        let first = format!("{:indent$}{}", "", self.first, indent = self.indent);
        match &self.second {
            Some((column, text)) if columns => {
                for (number, line) in filled(text, width - column).into_iter().enumerate() {
                    out.push(if number == 0 {
                        format!("{first:column$}{line}")
                    } else {
                        format!("{:column$}{line}", "")
                    });
                }
            }
            Some((_, text)) => {
                let indent = self.indent + UNDER - 2;
                out.push(first);
                out.extend(
                    filled(text, width - indent).into_iter().map(|line| format!("{:indent$}{line}", "")),
                );
            }
            None => {
                let lines = filled(&self.first, width.saturating_sub(self.indent));
                out.extend(
                    lines.into_iter().map(|line| format!("{:indent$}{line}", "", indent = self.indent)),
                );
            }
        }
    }
}

/// A text for a terminal of so many columns.
fn laid_out(text: &str, width: usize) -> String {
    let mut out = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            out.push(String::new());
        } else if line.starts_with(' ') {
            let mut rows = vec![Row::new(line)];
            while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
                let row = Row::new(line);
                match rows.last_mut().and_then(|row| row.second.as_mut()) {
                    // A line that begins in the second column goes on with it.
                    Some((column, text)) if *column == row.indent => {
                        text.push(' ');
                        text.push_str(line.trim());
                    }
                    _ => rows.push(row),
                }
            }
            // All lines of a list look alike.
            let columns = rows.iter().all(|row| row.fits(width));
            rows.iter().for_each(|row| row.write(columns, width, &mut out));
        } else {
            let mut paragraph = line.to_owned();
            while let Some(line) = lines.next_if(|line| !line.is_empty() && !line.starts_with(' ')) {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            out.extend(filled(&paragraph, width));
        }
    }
    out.join("\n")
}

/// Words in lines of at most `width`; a longer word has a line of its own.
pub(crate) fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { continue };
        match line.is_empty() {
            true => line.push_str(word),
            false if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No line of any verb's help is wider than the terminal, so none is broken by it.
    #[test]
    fn help_fits_into_80_and_100_columns() {
        for width in [80, 100] {
            let mut command = command_for(width);
            command.build();
            for verb in command.get_subcommands_mut() {
                for help in [verb.render_help().to_string(), verb.render_long_help().to_string()] {
                    for line in help.lines() {
                        assert!(line.chars().count() <= width, "{} at {width}: {line}", verb.get_name());
                    }
                }
            }
        }
    }

    /// The words of a command line; `None` when it is no call of ours. Comments, pipes and what follows them are left out.
    fn call(line: &str) -> Option<Vec<String>> {
        let mut words = vec![String::new()];
        let (mut quote, mut spaces) = (None, 0);
        // The newcomer's command is an alias.
        let line = line.trim();
        for c in line.strip_prefix("cargo ").unwrap_or(line).chars() {
            match quote {
                Some(end) if c == end => quote = None,
                Some(_) => words.last_mut()?.push(c),
                None if c == '"' || c == '\'' => quote = Some(c),
                None if c == ' ' => {
                    spaces += 1;
                    continue;
                }
                // Two spaces end an example in a help text.
                None if spaces > 1 || spaces == 1 && "|>#".contains(c) => break,
                None => {
                    if spaces == 1 {
                        words.push(String::new());
                    }
                    words.last_mut()?.push(c);
                }
            }
            if quote.is_some() && spaces == 1 && "\"'".contains(c) {
                words.push(String::new());
            }
            spaces = 0;
        }
        (words[0] == "pleach").then_some(words)
    }

    fn understood(place: &str, line: &str) {
        let Some(words) = call(line) else { return };
        if let Err(error) = command_for(80).try_get_matches_from(&words) {
            unreachable!("{place}: {line}: {words:?}: {error}");
        }
    }

    #[test]
    fn calls_are_taken_apart() {
        let words = |line: &str| call(line).map(|words| words.join(","));
        assert_eq!(
            words("  pleach parse \"a b\" -o x.svg   draws it").as_deref(),
            Some("pleach,parse,a b,-o,x.svg")
        );
        assert_eq!(words("pleach view a.conllu | less -R").as_deref(), Some("pleach,view,a.conllu"));
        assert_eq!(words("pleach stats x   # all").as_deref(), Some("pleach,stats,x"));
        assert_eq!(words("curl x | pleach parse"), None);
    }

    /// Every example in a help text and every command in the documentation has verbs, options and values that exist.
    #[test]
    fn commands_in_help_and_documentation_are_understood() {
        for verb in Cli::command().get_subcommands() {
            for text in [verb.get_after_help(), verb.get_after_long_help()].into_iter().flatten() {
                text.to_string().lines().for_each(|line| understood(verb.get_name(), line));
            }
        }
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        let mut commands = 0;
        for page in pages.chain([root.join("README.md")]) {
            let text = std::fs::read_to_string(&page).unwrap();
            for block in text.split("```sh\n").skip(1) {
                for line in block.split("```").next().unwrap().lines() {
                    commands += usize::from(call(line).is_some());
                    understood(&page.display().to_string(), line);
                }
            }
        }
        assert!(commands > 30, "only {commands} commands were found");
    }

    #[test]
    fn columns_wrap_within_or_go_under() {
        let text = "Examples:\n  short cmd   what it does, in some more words than fit\n              and more\n\nA long\nparagraph.";
        let wide = laid_out(text, 50);
        assert_eq!(
            wide,
            "Examples:\n  short cmd   what it does, in some more words\n              than fit and more\n\nA long paragraph."
        );
        let narrow = laid_out(text, 40);
        assert_eq!(
            narrow,
            "Examples:\n  short cmd\n      what it does, in some more words\n      than fit and more\n\nA long paragraph."
        );
    }
}
