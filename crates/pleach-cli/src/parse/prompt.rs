//! `pleach parse` on a terminal without input: a prompt with history.

use super::Args;
use super::sink::Sink;
use super::target::Target;
use crate::failure::Failure;
use crate::output;
use crate::say::say;
use pleach::{Parser, Workspace, models};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::path::{Path, PathBuf};

const HELP: &str = "\
A line of text is parsed and drawn. Commands:
  :model NAME     parse with another model; without a name, say which it is
  :format NAME    write conllu, jsonl, json …; `:format draw` draws again
  :help           this
  :quit           the end, as Ctrl-D; Ctrl-C clears the line
";

/// Where the history is kept between runs.
fn history() -> Option<PathBuf> {
    models::data_folder().map(|folder| folder.join("history"))
}

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Asked<'a> {
    Nothing,
    Text(&'a str),
    Help,
    Quit,
    Model(Option<&'a str>),
    Format(Option<&'a str>),
    Unknown(&'a str),
}

fn asked(line: &str) -> Asked<'_> {
    let line = line.trim();
    // A smiley or a time is no command.
    let Some(command) = line.strip_prefix(':').filter(|rest| rest.starts_with(char::is_alphabetic)) else {
        return if line.is_empty() { Asked::Nothing } else { Asked::Text(line) };
    };
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
    match name {
        "help" | "h" => Asked::Help,
        "quit" | "q" | "exit" => Asked::Quit,
        "model" | "m" => Asked::Model(rest),
        "format" | "f" => Asked::Format(rest),
        _ => Asked::Unknown(name),
    }
}

/// What a prompt remembers.
struct Session {
    parser: Parser,
    model: String,
    /// Drawn when none.
    format: Option<Target>,
    workspace: Workspace,
    drawn: bool,
}

impl Session {
    fn parse(&mut self, text: &str) -> Result<(), Failure> {
        let sentences = self.parser.parse_text(text, None, &mut self.workspace)?;
        let mut sink = match self.format {
            None => Sink::screen(),
            Some(target) => Sink::open(target, Path::new("-"), &self.model, "Pleach")?,
        };
        if self.format.is_none() && std::mem::replace(&mut self.drawn, true) {
            output::print("\n")?;
        }
        sink.put(&sentences)?;
        sink.finish().map(drop)
    }

    fn model(&mut self, name: Option<&str>) -> Result<(), Failure> {
        let Some(name) = name else {
            return output::print(format!("{}\n", self.model));
        };
        let options = self.parser.options;
        let parser = models::open(Some(Path::new(name)))?;
        if !parser.reads_text() {
            return Err(Failure::Usage(format!("{name} has no tokenizer, so it can't read text")));
        }
        self.parser = parser;
        self.parser.options = options;
        self.workspace = Workspace::default();
        name.clone_into(&mut self.model);
        Ok(())
    }

    fn format(&mut self, name: Option<&str>) -> Result<(), Failure> {
        self.format = match name {
            None => {
                let name = self.format.map_or("draw".to_owned(), |target| target.to_string());
                return output::print(format!("{name}\n"));
            }
            Some("draw") => None,
            Some(name) => Some(name.parse().map_err(Failure::Usage)?),
        };
        Ok(())
    }

    /// Does what a line asks for; false at the end.
    fn answer(&mut self, line: &str) -> Result<bool, Failure> {
        match asked(line) {
            Asked::Nothing => {}
            Asked::Text(text) => self.parse(text)?,
            Asked::Help => output::print(HELP)?,
            Asked::Quit => return Ok(false),
            Asked::Model(name) => self.model(name)?,
            Asked::Format(name) => self.format(name)?,
            Asked::Unknown(name) => say!("no command :{name}; :help lists them"),
        }
        Ok(true)
    }
}

/// Reads lines and draws their graphs until the end of input or `:quit`.
pub fn run(args: &Args, parser: Parser) -> Result<(), Failure> {
    if !parser.reads_text() {
        return Err(pleach::ParserError::NoTokenizer.into());
    }
    let model = args.model_name();
    let format = args.to().filter(|_| !args.draw);
    let mut session = Session { parser, model, format, workspace: Workspace::default(), drawn: false };
    let version = env!("CARGO_PKG_VERSION");
    say!("Pleach {version}, model {}: type a sentence, :help for help, :quit to end", session.model);
    let mut editor = DefaultEditor::new()?;
    let history = history();
    if let Some(history) = &history {
        // A first run has no history, and one that can't be read is no reason not to parse.
        let _ = editor.load_history(history);
    }
    loop {
        match editor.readline("pleach> ") {
            Ok(line) => {
                if !line.trim().is_empty() {
                    let _ = editor.add_history_entry(line.as_str());
                }
                match session.answer(&line) {
                    Ok(true) => {}
                    Ok(false) => break,
                    // A slip is no reason to end.
                    Err(Failure::Usage(message)) => say!("{message}"),
                    Err(failure) if failure.is_broken_pipe() => return Err(failure),
                    Err(failure) => drop(failure.report()),
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(history) = &history {
        if let Some(folder) = history.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = editor.save_history(history);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lines_ask_for() {
        assert_eq!((asked(" "), asked(" a b ")), (Asked::Nothing, Asked::Text("a b")));
        assert_eq!((asked(":help"), asked(":q")), (Asked::Help, Asked::Quit));
        assert_eq!((asked(":model"), asked(":model  my ")), (Asked::Model(None), Asked::Model(Some("my"))));
        assert_eq!(asked(":format conllu"), Asked::Format(Some("conllu")));
        assert_eq!((asked(":-) nice"), asked(":sing")), (Asked::Text(":-) nice"), Asked::Unknown("sing")));
    }

    #[test]
    fn help_fits_80_columns() {
        assert!(HELP.lines().all(|line| line.chars().count() <= 80));
    }

    #[cfg(feature = "english")]
    #[test]
    fn a_session_changes_model_and_format_and_survives_slips() {
        let parser = models::open(None).unwrap();
        let (model, workspace) = ("en".to_owned(), Workspace::default());
        let mut session = Session { parser, model, format: None, workspace, drawn: false };
        assert!(matches!(session.answer(":format jsonl"), Ok(true)));
        assert_eq!(session.format.map(|target| target.to_string()).as_deref(), Some("jsonl"));
        assert!(session.answer(":format nonsense").is_err() && session.answer(":model none").is_err());
        assert!(matches!(session.answer(":model en"), Ok(true)) && session.model == "en");
        assert!(matches!(session.answer("It rains."), Ok(true)));
        assert!(matches!(session.answer(":quit"), Ok(false)));
    }
}
