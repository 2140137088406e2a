//! `pleach convert-model`: the same model with its weights stored more or less exactly.

use crate::failure::Failure;
use crate::output;
use crate::say::say;
use pleach::model::Model;
use pleach::{CATALOGUE, Parser};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pleach convert-model my.pleach -o small.pleach --weights int8   a quarter of the size
  pleach convert-model old.pleach -o new.pleach                   an older file in today's format
  pleach convert-model my.pleach -o small.pleach --weights f16 --json   what was done, for programs

Networks can be stored in 32 bits (exactly as learnt), 16 bits, or 8 bits with a factor a row; linear models stay as
they are.";

/// Store a model's weights in fewer bits
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Where the new model goes
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// How exactly weights of networks are stored
    #[arg(long, value_name = "BITS", default_value = "f32", value_parser = ["f32", "f16", "int8"])]
    weights: String,

    /// Say what was done as JSON, on standard output
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let model = Model::open(&args.model)?;
    let (root, model_size) = (model.root(), model.size());
    let (section, networks) = CATALOGUE
        .rewrite(&root, &args.weights)
        .map_err(|error| Failure::Data(format!("{}: {error}", args.model.display()).into()))?;
    let bytes = Model::to_bytes(&section)?;
    // What can't be parsed with must not be written.
    let name = args.output.display().to_string();
    Parser::new(&name, Model::from_bytes(&name, &bytes)?)?;
    output::save(&args.output, &bytes)?;
    if args.json {
        let (model, weights) = (args.model.display().to_string(), args.weights);
        let done = json!({
            "model": model, "output": name, "weights": weights, "networks": networks,
            "bytes_before": model_size, "bytes": bytes.len(),
        });
        return output::print(format_args!("{done}\n"));
    }
    let [before, after] = [model_size, bytes.len()].map(|size| size as f64 / 1e6);
    say!("wrote {name}: {networks} networks in {}, {before:.1} MB are {after:.1} MB now", args.weights);
    Ok(())
}
