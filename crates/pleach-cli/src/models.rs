//! `pleach models`: what is built in and what lies in the user's folder.

use crate::failure::Failure;
use crate::output;
use pleach::model::Model;
use pleach::models;
use pleach_graph::visible_lines;
use serde_json::{Value, json};
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  pleach models                         what `pleach parse -m NAME` can name
  pleach models --json                  the same for programs
  pleach train --preset pipeline --train t.conllu --dev d.conllu -o ~/.local/share/pleach/models/my.pleach
  pleach parse -m my \"Some text.\"       a model of the folder, by its name

The folder is $PLEACH_MODELS, else pleach/models below $XDG_DATA_HOME or ~/.local/share.
`pleach info NAME.pleach` says more about a model file.";

/// List the models that are built in and those in your model folder
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything as JSON: a list of objects with name, where it is, its size, and its stages or its error.
fn list() -> Result<Value, Failure> {
    let mut list = Vec::new();
    for (number, builtin) in models::builtin().iter().enumerate() {
        let model = builtin.open()?;
        list.push(
            json!({"name": builtin.name, "file": null, "bytes": model.size(), "stages": stages(&model),
                         "about": builtin.about, "default": number == 0}),
        );
    }
    let installed = models::folder().and_then(|folder| models::installed(&folder).ok()).unwrap_or_default();
    for (name, path) in installed {
        let mut entry = json!({"name": name, "file": path.display().to_string(), "default": false});
        match Model::open(&path) {
            Ok(model) => (entry["bytes"], entry["stages"]) = (model.size().into(), stages(&model).into()),
            Err(error) => entry["error"] = error.to_string().into(),
        }
        list.push(entry);
    }
    Ok(Value::from(list))
}

/// The families of a model's stages; of a single parser, its own.
fn stages(model: &Model) -> Vec<String> {
    let root = model.root();
    let stages: Vec<String> = root.children().map(|stage| stage.family().to_owned()).collect();
    if stages.is_empty() { vec![root.family().to_owned()] } else { stages }
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    if args.json {
        return output::print(format!("{:#}\n", list()?));
    }
    let mut out = String::new();
    writeln!(out, "built in:")?;
    for (number, builtin) in models::builtin().iter().enumerate() {
        let size = builtin.open()?.size() as f64 / 1e6;
        let default = if number == 0 { " (used when none is named)" } else { "" };
        writeln!(out, "  {:<12} {size:6.1} MB  {}{default}", builtin.name, builtin.about)?;
    }
    if models::builtin().is_empty() {
        writeln!(out, "  none")?;
    }
    let Some(folder) = models::folder() else { return output::print(out) };
    writeln!(out, "in {}:", folder.display())?;
    // A folder that is not there has no models.
    let installed = models::installed(&folder).unwrap_or_default();
    for (name, path) in &installed {
        match Model::open(path) {
            Ok(model) => {
                let (size, root) = (model.size() as f64 / 1e6, model.root());
                let stages: Vec<String> = root.children().map(|stage| stage.family().to_owned()).collect();
                let stages =
                    if stages.is_empty() { String::new() } else { format!(": {}", stages.join(", ")) };
                writeln!(out, "  {name:<12} {size:6.1} MB  {}{stages}", root.family())?;
            }
            Err(error) => writeln!(out, "  {name:<12} {error}")?,
        }
    }
    if installed.is_empty() {
        writeln!(out, "  none")?;
    }
    // Models and their names come from elsewhere; they may not steer the terminal.
    output::print(visible_lines(&out))
}
