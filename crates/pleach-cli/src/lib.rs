//! The `pleach` command as a function. Each verb is one file; the work is done by the library crates.

#![forbid(unsafe_code)]

mod bench;
mod challenge;
mod completions;
mod convert;
mod convert_model;
mod decompose;
mod eval;
mod experiment;
mod failure;
mod gr;
mod help;
mod info;
mod input;
mod limits;
mod models;
mod oracle;
mod output;
mod parse;
mod plural;
mod presets;
mod pseudo;
mod say;
mod screen;
#[cfg(feature = "serve")]
mod serve;
#[cfg(not(feature = "serve"))]
#[path = "serve_missing.rs"]
mod serve;
mod setting;
mod stats;
mod stop;
mod train;
mod transform;
mod view;
mod vote;

use clap::{FromArgMatches, Parser, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Deep dependency graphs: read, check, score, convert, draw and parse them.
#[derive(Parser)]
#[command(name = "pleach", version = env!("PLEACH_VERSION"), propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Bench(bench::Args),
    Challenge(challenge::Args),
    Completions(completions::Completions),
    Convert(convert::Args),
    ConvertModel(convert_model::Args),
    Decompose(decompose::Args),
    Eval(eval::Args),
    Experiment(experiment::Args),
    Info(info::Args),
    Man(completions::Man),
    Models(models::Args),
    Oracle(oracle::Args),
    Parse(parse::Args),
    Presets(presets::Args),
    Serve(serve::Args),
    Stats(stats::Args),
    Train(train::Args),
    View(view::Args),
    Vote(vote::Args),
}

/// Whether somebody who gave this instead of a verb wanted it parsed: a text, or a file.
fn is_input(argument: &OsStr) -> bool {
    argument.to_string_lossy().contains(char::is_whitespace) || Path::new(argument).exists()
}

/// Runs a command line, the program's name first, and gives the exit code; what there is to say is said on standard
/// output and standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parsed = help::command().try_get_matches_from(&arguments);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help that nobody reads any more, as behind a closed pipe, is no failure.
            let _ = error.print();
            if error.kind() == clap::error::ErrorKind::InvalidSubcommand
                && let Some(argument) = arguments.get(1).filter(|argument| is_input(argument))
            {
                say::say!("\nTo parse a text or a file: pleach parse {argument:?}");
            }
            return error.exit_code() as u8;
        }
    };
    let result = match cli.verb {
        Verb::Bench(args) => bench::run(args),
        Verb::Challenge(args) => challenge::run(args),
        Verb::Completions(args) => completions::completions(args),
        Verb::Man(args) => completions::man(args),
        Verb::Convert(args) => convert::run(args),
        Verb::ConvertModel(args) => convert_model::run(args),
        Verb::Decompose(args) => decompose::run(args),
        Verb::Eval(args) => eval::run(args),
        Verb::Experiment(args) => experiment::run(args),
        Verb::Info(args) => info::run(args),
        Verb::Models(args) => models::run(args),
        Verb::Parse(args) => parse::run(args),
        Verb::Presets(args) => presets::run(args),
        Verb::Serve(args) => serve::run(args),
        Verb::Train(args) => train::run(args),
        Verb::Oracle(args) => oracle::run(args),
        Verb::Stats(args) => stats::run(args),
        Verb::View(args) => view::run(args),
        Verb::Vote(args) => vote::run(args),
    };
    match result {
        Ok(()) => 0,
        Err(failure) if failure.is_broken_pipe() => 0,
        Err(failure) => failure.report(),
    }
}
