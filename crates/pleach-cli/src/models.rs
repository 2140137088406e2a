//! `pleach models`: what is built in and what lies in the user's folder.

use crate::failure::Failure;
use crate::output;
use pleach::model::{Model, ModelError};
use pleach::models;
use pleach_graph::visible_lines;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pleach models                         what `pleach parse -m NAME` can name
  pleach models --json                  the same as data
  cp my.pleach ~/.local/share/pleach/models/
                                        from now on it has a name
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

/// A model that can be named.
struct Listed {
    name: String,
    /// Where it lies; none for one that is built in.
    path: Option<PathBuf>,
    model: Result<Model, ModelError>,
    about: Option<&'static str>,
}

impl Listed {
    /// What is built in, then what lies in the user's folder.
    fn all() -> Vec<Listed> {
        let built = models::builtin().iter().map(|builtin| Listed {
            name: builtin.name.to_owned(),
            path: None,
            model: builtin.open(),
            about: Some(builtin.about),
        });
        // A folder that is not there has no models.
        let installed =
            models::folder().and_then(|folder| models::installed(&folder).ok()).unwrap_or_default();
        let installed = installed.into_iter().map(|(name, path)| Listed {
            name,
            model: Model::open(&path),
            path: Some(path),
            about: None,
        });
        built.chain(installed).collect()
    }

    /// What it is made of.
    fn stages(model: &Model) -> Vec<String> {
        model.root().children().map(|stage| stage.family().to_owned()).collect()
    }

    fn json(&self, default: bool) -> Value {
        let path = self.path.as_ref().map(|path| path.display().to_string());
        match &self.model {
            Ok(model) => json!({
                "name": self.name, "path": path, "default": default, "bytes": model.size(),
                "family": model.root().family(), "stages": Self::stages(model), "about": self.about,
            }),
            Err(error) => {
                json!({ "name": self.name, "path": path, "default": default, "error": error.to_string() })
            }
        }
    }

    fn line(&self, default: bool) -> String {
        let about = match (&self.model, self.about) {
            (Err(error), _) => return format!("  {:<12} {error}", self.name),
            (Ok(_), Some(about)) => about.to_owned(),
            (Ok(model), None) => match Self::stages(model) {
                stages if stages.is_empty() => model.root().family().to_owned(),
                stages => format!("{}: {}", model.root().family(), stages.join(", ")),
            },
        };
        let size = self.model.as_ref().map_or(0.0, |model| model.size() as f64 / 1e6);
        let default = if default { " (used when none is named)" } else { "" };
        format!("  {:<12} {size:6.1} MB  {about}{default}", self.name)
    }
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let all = Listed::all();
    // The first one that is built in is used when none is named.
    let default = |place: usize| place == 0 && all[place].path.is_none();
    if args.json {
        let list: Vec<Value> =
            all.iter().enumerate().map(|(place, listed)| listed.json(default(place))).collect();
        return output::print(format!("{:#}\n", Value::from(list)));
    }
    let mut out = String::new();
    let mut group = |title: &str, built: bool| -> std::fmt::Result {
        writeln!(out, "{title}:")?;
        let members = all.iter().enumerate().filter(|(_, listed)| listed.path.is_none() == built);
        let lines: Vec<String> = members.map(|(place, listed)| listed.line(default(place))).collect();
        match lines.is_empty() {
            true => writeln!(out, "  none"),
            false => writeln!(out, "{}", lines.join("\n")),
        }
    };
    group("built in", true)?;
    if let Some(folder) = models::folder() {
        group(&format!("in {}", folder.display()), false)?;
    }
    // Models and their names come from elsewhere; they may not steer the terminal.
    output::print(visible_lines(&out))
}
