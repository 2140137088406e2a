//! The `pleach` command. Each verb is one file; the work is done by the library crates.

#![forbid(unsafe_code)]

mod bench;
mod challenge;
mod completions;
mod convert;
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
mod serve;
mod setting;
mod stats;
mod stop;
mod train;
mod transform;
mod view;
mod vote;

use clap::{FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// Deep dependency graphs: read, check, score, convert, draw and parse them.
#[derive(Parser)]
#[command(name = "pleach", version, propagate_version = true)]
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

fn main() -> ExitCode {
    let cli = match Cli::from_arg_matches(&help::command().get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let result = match cli.verb {
        Verb::Bench(args) => bench::run(args),
        Verb::Challenge(args) => challenge::run(args),
        Verb::Completions(args) => completions::completions(args),
        Verb::Man(args) => completions::man(args),
        Verb::Convert(args) => convert::run(args),
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
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
