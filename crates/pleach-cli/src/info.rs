//! `pleach info`: what a model is, how it was trained, what it reached.

use crate::failure::Failure;
use crate::output;
use pleach::model::{Card, Model};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pleach info my.pleach
  pleach info my.pleach --json | jq '.parsers[0].recipe'
  pleach info my.pleach --templates     the feature templates it was trained with";

/// Say what a model is, how it was trained and what it reached
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Everything as JSON
    #[arg(long)]
    json: bool,

    /// Print the feature templates instead
    #[arg(long, conflicts_with = "json")]
    templates: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let model = Model::open(&args.model)?;
    let cards: Vec<&Card> = model.components().iter().map(|component| &component.card).collect();
    if args.templates {
        let texts: Vec<&str> = cards.iter().map(|card| card.templates.as_str()).collect();
        return output::print(texts.concat());
    }
    if args.json {
        let value = json!({ "bytes": model.size(), "threshold": model.threshold(), "parsers": cards });
        return output::print(format!("{}\n", serde_json::to_string_pretty(&value)?));
    }
    let mut out = String::new();
    let size = model.size() as f64 / 1e6;
    match model.threshold() {
        Some(threshold) => {
            let share = 100.0 * threshold;
            writeln!(
                out,
                "{}: {} parsers that vote (more than {share:.0} %), {size:.1} MB",
                args.model.display(),
                cards.len()
            )?;
        }
        None => writeln!(out, "{}: one parser, {size:.1} MB", args.model.display())?,
    }
    for card in cards {
        writeln!(out)?;
        describe(card, &mut out)?;
    }
    output::print(out)
}

fn describe(card: &Card, out: &mut String) -> std::fmt::Result {
    let (recipe, from) = (&card.recipe, &card.provenance);
    writeln!(out, "preset       {}", recipe.preset)?;
    writeln!(
        out,
        "system       {}, {}, {}, root {}",
        recipe.system,
        if recipe.combined { "combined" } else { "standard" },
        if recipe.reversed { "right to left" } else { "left to right" },
        recipe.root
    )?;
    writeln!(out, "beam         {}", recipe.beam)?;
    writeln!(
        out,
        "labels       {} label sets, {} edges, {} actions{}{}",
        card.label_sets.len(),
        card.edges.len(),
        card.actions.len(),
        if card.delexicalise { ", delexicalised" } else { "" },
        if card.collapse { ", empty nodes collapsed" } else { "" }
    )?;
    writeln!(out, "weights      {} in {} features", from.weights, from.features)?;
    writeln!(
        out,
        "trained on   {} ({} sentences, {} words), epoch {} of {}, seed {}, by pleach {}",
        from.train, from.sentences, from.tokens, from.epoch, recipe.epochs, recipe.seed, from.pleach
    )?;
    if from.arcs_out_of_reach > 0 {
        writeln!(out, "out of reach {} of {} training arcs", from.arcs_out_of_reach, from.arcs)?;
    }
    if let Some(dev) = from.dev_scores {
        writeln!(
            out,
            "dev          {}: LP {:.2} LR {:.2} LF {:.2} UF {:.2} exact {:.2} (root arcs counted)",
            from.dev, dev.lp, dev.lr, dev.lf, dev.uf, dev.exact
        )?;
    }
    Ok(())
}
