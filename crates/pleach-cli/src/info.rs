//! `pleach info`: what a model is, how it was trained, what it reached.

use crate::failure::Failure;
use crate::output;
use pleach::CATALOGUE;
use pleach::ensure::Guarantees;
use pleach::model::{Model, TensorView, View};
use pleach::models;
use pleach_graph::visible_lines;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pleach info my.pleach
  pleach info my.pleach --json | jq '.model.provenance.recipe'
  pleach info en                        the built-in model
  pleach info my.pleach --check         is the file as it was written?
  pleach info my.pleach --templates     the feature templates it was trained with";

/// Say what a model is, how it was trained and what it reached
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Model file, or the name of a model that `pleach models` lists
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Everything as JSON
    #[arg(long)]
    json: bool,

    /// Print the feature templates instead
    #[arg(long, conflicts_with = "json")]
    templates: bool,

    /// Read all of it and compare its checksums: is the file as it was written?
    #[arg(long, conflicts_with_all = ["json", "templates"])]
    check: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let model = models::find(Some(&args.model))?;
    if args.check {
        return check(&model, &args);
    }
    let root = model.root();
    let mut out = String::new();
    if args.templates {
        templates(&root, &mut out);
    } else if args.json {
        let value = json!({ "bytes": model.size(), "model": as_json(&root)? });
        out = format!("{}\n", serde_json::to_string_pretty(&value)?);
    } else {
        writeln!(out, "{}: {:.1} MB", args.model.display(), model.size() as f64 / 1e6)?;
        describe(&root, "", &mut out)?;
    }
    // A model is a file from somewhere: its words may not steer the terminal. JSON stays what it is.
    let out = if args.json { out } else { visible_lines(&out).into_owned() };
    output::print(out)
}

/// Compares the checksums of a model.
fn check(model: &Model, args: &Args) -> Result<(), Failure> {
    model.verify()?;
    let name = args.model.display();
    output::print(match model.has_checksums() {
        true => format!("{name}: all checksums are right\n"),
        false => format!("{name}: written before models had checksums; nothing to compare\n"),
    })
}

fn templates(view: &View, out: &mut String) {
    // Models of version 2 have their templates in the family's card.
    let old = view.card().get("templates").and_then(Value::as_str);
    let sets = view.scorer().get("sets").and_then(Value::as_array).into_iter().flatten();
    let texts = sets.filter_map(|set| set.get("templates")).filter_map(Value::as_str);
    texts.chain(old).for_each(|text| out.push_str(text));
    view.children().for_each(|child| templates(&child, out));
}

fn as_json(view: &View) -> Result<Value, serde_json::Error> {
    let children: Result<Vec<Value>, _> = view.children().map(|child| as_json(&child)).collect();
    Ok(json!({
        "role": view.role(),
        "family": view.family(),
        "provenance": serde_json::to_value(view.provenance())?,
        "card": view.card(),
        "scorer": view.scorer(),
        "tensors": tensors(view),
        "parts": children?,
    }))
}

/// The names, kinds and shapes of a part's weights.
fn tensors(view: &View) -> Value {
    let describe = |(name, tensor): (&str, TensorView<'_>)| json!({ "name": name, "type": format!("{:?}", tensor.dtype), "shape": tensor.shape });
    view.tensors().map(describe).collect()
}

/// What a part reads with beside its own network: an encoder, a language model, word vectors.
fn given(view: &View) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let given = |origin: &str| view.scorer().get("given").and_then(|given| given.get(origin));
    let text = |card: &Value, key: &str| match card.get(key) {
        Some(Value::String(text)) => text.clone(),
        other => other.map_or(String::new(), Value::to_string),
    };
    if let Some(card) = given("encoder") {
        let held = match text(card, "use").as_str() {
            "tuned" => "has learnt and is part of the model",
            _ => "is not part of the model: --encoder or $PLEACH_ENCODER says where it is if it was moved",
        };
        lines.push(("encoder", format!("{}, hash {}; it {held}", text(card, "path"), text(card, "hash"))));
    }
    if let Some(card) = given("lm") {
        lines.push(("lm", format!("{}, hash {}", text(card, "file"), text(card, "hash"))));
    }
    if let Some(card) = given("vectors") {
        let [file, words, width, using] = ["file", "words", "width", "use"].map(|key| text(card, key));
        lines.push(("vectors", format!("{words} words of {file}, {width} wide, {using}")));
    }
    lines
}

/// Says what a part is, then what its parts are, further to the right.
fn describe(view: &View, indent: &str, out: &mut String) -> std::fmt::Result {
    let mut line = |name: &str, value: &str| writeln!(out, "{indent}{name:<12} {value}");
    let family = view.family();
    match view.role() {
        "" => line("family", family)?,
        role => line(role, family)?,
    }
    if let Some(from) = view.provenance() {
        line("preset", from.preset())?;
        for (name, value) in CATALOGUE.family(family).map_or(Vec::new(), |family| family.summary(view.card()))
        {
            line(name, &value)?;
        }
        for (name, value) in given(view) {
            line(name, &value)?;
        }
        line("weights", &format!("{} in {} features", from.weights, from.features))?;
        // 0 stands for as many as the size of the treebank asked for.
        let epochs = from.number("epochs").filter(|&epochs| epochs > 0);
        let epochs = epochs.map_or(String::new(), |epochs| format!(" of {epochs}"));
        let trained = format!(
            "{} ({} sentences, {} words), epoch {}{epochs}, seed {}, by pleach {}",
            from.train,
            from.sentences,
            from.tokens,
            from.epoch,
            from.number("seed").unwrap_or_default(),
            from.pleach
        );
        line("trained on", &trained)?;
        if from.arcs_out_of_reach > 0 {
            line("out of reach", &format!("{} of {} training arcs", from.arcs_out_of_reach, from.arcs))?;
        }
        if let Some(kept) = from.kept.as_ref().filter(|kept| kept.graphs > 0) {
            line(
                "ensures",
                &format!("{}, as its {} training graphs do", Guarantees::from(kept), kept.graphs),
            )?;
        }
        if let Some(dev) = &from.dev_scores {
            line("dev", &format!("{}: {dev}", from.dev))?;
        }
    } else {
        for (name, value) in CATALOGUE.family(family).map_or(Vec::new(), |family| family.summary(view.card()))
        {
            line(name, &value)?;
        }
    }
    let further = format!("{indent}  ");
    for child in view.children() {
        writeln!(out)?;
        describe(&child, &further, out)?;
    }
    Ok(())
}
