//! `pleach challenge`: how many sentences of a challenge set come out right.

use crate::failure::Failure;
use crate::output;
use pleach::models;
use pleach_lab::challenge::{Answers, Challenge, ENGLISH};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pleach challenge                       the built-in model on the built-in English set
  pleach challenge --failures            and what it missed
  pleach challenge -m en -m my.pleach    two models side by side
  pleach challenge -m my.pleach my.toml  a set of your own

A set is a TOML file:
  [[item]]
  phenomenon = \"control\"
  text = \"She promised him to leave.\"
  arcs = [\"nsubj:xsubj(leave, She)\", \"!nsubj:xsubj(leave, him)\"]
  lemma = { promised = \"promise\" }       # and upos, if they matter
ROOT is the root, `_` any empty node, `he-2` the second \"he\"; a/b is either label,
obl* any that begins so, and ! says that there is no such arc.";

/// Count the sentences of a challenge set that come out right
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The set [default: 100 English sentences, by phenomenon]
    #[arg(value_name = "FILE.toml")]
    set: Option<PathBuf>,

    /// Model file, or a name that `pleach models` lists; may be given several times [default: the built-in model]
    #[arg(short, long, value_name = "MODEL")]
    model: Vec<PathBuf>,

    /// Also list what each model missed
    #[arg(long)]
    failures: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Write a report in Markdown, with all that was missed
    #[arg(short, long, value_name = "FILE.md", conflicts_with = "json")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let set = match &args.set {
        None => Challenge::parse("challenge-en.toml", ENGLISH)?,
        Some(path) => Challenge::parse(&path.display().to_string(), &std::fs::read_to_string(path)?)?,
    };
    let wanted = if args.model.is_empty() { vec![None] } else { args.model.iter().map(Some).collect() };
    let mut answers = Vec::new();
    for name in wanted {
        let parser = models::open(name.map(PathBuf::as_path))?;
        let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let shown =
            name.and_then(stem).or_else(|| models::builtin().first().map(|model| model.name.to_owned()));
        answers.push(set.ask(&shown.unwrap_or_default(), &parser)?);
    }
    if args.json {
        let models: Vec<Value> = answers.iter().map(|answers| as_json(&set, answers)).collect();
        return output::print(format!("{:#}\n", Value::from(models)));
    }
    match &args.output {
        Some(path) => Ok(output::save(path, report(&set, &answers).as_bytes())?),
        None => {
            let failures = answers.iter().filter(|_| args.failures).map(|answers| listed(&set, answers));
            output::print(format!("{}{}", set.table(&answers), failures.collect::<String>()))
        }
    }
}

fn listed(set: &Challenge, answers: &Answers) -> String {
    format!("\n{}:\n{}", answers.model, set.failures(answers))
}

fn report(set: &Challenge, answers: &[Answers]) -> String {
    let models: Vec<String> = answers.iter().map(|answers| format!(" -m {}", answers.model)).collect();
    let missed: Vec<String> = answers
        .iter()
        .map(|answers| format!("\n## What `{}` missed\n\n{}", answers.model, set.failures(answers)))
        .collect();
    format!(
        "# Challenge set\n\n\
         Sentences made for one phenomenon each, raw text in. One is right when it comes out as one sentence and everything that\n\
         is expected of it is there: the arcs that it is about, and where they matter tags and lemmas\n\
         (`crates/pleach-lab/data/challenge-en.toml`, by the conventions of UD_English-EWT). Nothing was trained or tuned on them.\n\n    \
         pleach challenge{} -o docs/results/challenge.md\n\n{}{}",
        models.concat(),
        set.table(answers),
        missed.concat()
    )
}

fn as_json(set: &Challenge, answers: &Answers) -> Value {
    let items: Vec<Value> = set
        .items
        .iter()
        .zip(&answers.answers)
        .map(|(item, answer)| {
            let missed: Vec<String> = answer.missed.iter().map(ToString::to_string).collect();
            json!({
                "phenomenon": item.phenomenon, "text": item.text, "right": answer.right(),
                "sentences": answer.sentences, "expected": item.expected.len(), "missed": missed,
            })
        })
        .collect();
    let right = answers.answers.iter().filter(|answer| answer.right()).count();
    json!({ "model": answers.model, "right": right, "sentences": set.items.len(), "items": items })
}
