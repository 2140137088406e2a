//! `pleach parse` on a terminal without input: a prompt with history.

use super::sink::Sink;
use crate::failure::Failure;
use pleach::{Parser, Workspace};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::path::PathBuf;

/// Where the history is kept between runs.
fn history() -> Option<PathBuf> {
    pleach::models::data_folder().map(|folder| folder.join("history"))
}

/// Reads lines and draws their graphs until the end of input or Ctrl-C.
pub fn run(parser: &Parser, sink: &mut Sink) -> Result<(), Failure> {
    let mut editor = DefaultEditor::new()?;
    let history = history();
    if let Some(history) = &history {
        // A first run has no history, and one that can't be read is no reason not to parse.
        let _ = editor.load_history(history);
    }
    let mut workspace = Workspace::default();
    loop {
        match editor.readline("pleach> ") {
            Ok(line) => {
                if line.trim().is_empty() {
                    continue;
                }
                let _ = editor.add_history_entry(line.as_str());
                for sentence in parser.parse_text(&line, None, &mut workspace)? {
                    sink.put(&sentence)?;
                }
            }
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => break,
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
