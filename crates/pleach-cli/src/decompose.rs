//! `pleach decompose`: graphs taken apart into three trees, as pictures or as figures.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use crate::{output, screen};
use pleach::families::merging::{Coverage, Forester, MergingRecipe};
use pleach_graph::{Sentence, enhanced};
use pleach_render::{Basis, Ink, Picture, paint};
use serde_json::{Value, json};
use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pleach decompose dev.conllu --sent 3                   the three trees of the third sentence
  pleach decompose train.conllu --coverage               how much of a treebank three trees hold; --json for programs
  pleach decompose train.conll --coverage --long 'r*' --coordination eCoo

Each tree is drawn as the part of the graph that it holds. Edges are held by Lagrangian relaxation; --iterations 1
takes each tree as it comes. Sentences of more than 400 words are left out.";

/// Take graphs apart into three projective trees that together hold their arcs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// File to read; - for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    #[command(flatten)]
    reading: InputArgs,

    /// The number of the sentence to draw, from 1; all when not given
    #[arg(long, value_name = "N", conflicts_with = "coverage")]
    sent: Option<usize>,

    /// Show how many arcs and sentences the trees hold, simply and by relaxation
    #[arg(long)]
    coverage: bool,

    /// Print JSON instead of a table
    #[arg(long, requires = "coverage")]
    json: bool,

    /// The labels of long-distance dependencies, as LABEL,LABEL*,… [default: those of enhanced UD and of Chinese semantic
    /// dependencies; `pleach train merge-linear --show-recipe` lists them]
    #[arg(long, value_name = "LABELS", default_value_t = MergingRecipe::default().long_labels, hide_default_value = true)]
    long: String,

    /// The labels of arcs from one conjunct to another
    #[arg(long, value_name = "LABELS", default_value_t = MergingRecipe::default().coordination_labels)]
    coordination: String,

    /// d: what a long-distance arc or a conjunct is worth to the tree that should have it (an edge is worth 100)
    #[arg(long, value_name = "WEIGHT", default_value_t = MergingRecipe::default().variation_weight)]
    variation: f64,

    /// By how much the trees prefer different edges
    #[arg(long, value_name = "WEIGHT", default_value_t = MergingRecipe::default().lean_weight)]
    lean: f64,

    /// The most iterations of the relaxation
    #[arg(long, value_name = "N", default_value_t = MergingRecipe::default().decompositions)]
    iterations: usize,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    if args.iterations == 0 || args.sent == Some(0) {
        return Err(Failure::Usage("--iterations and --sent count from 1".into()));
    }
    if args.coverage { coverage(&args) } else { draw(&args) }
}

fn forester(args: &Args, iterations: usize) -> Forester {
    let recipe = MergingRecipe {
        long_labels: args.long.clone(),
        coordination_labels: args.coordination.clone(),
        variation_weight: args.variation,
        lean_weight: args.lean,
        decompositions: iterations,
        ..MergingRecipe::default()
    };
    Forester::new(recipe.marks(), recipe.plan())
}

fn draw(args: &Args) -> Result<(), Failure> {
    let mut forester = forester(args, args.iterations);
    let terminal = screen::terminal();
    let mut out = BufWriter::new(stdout().lock());
    let mut read = 0;
    for sentence in Input::open(&args.input, &args.reading)? {
        let mut sentence = sentence?;
        read += 1;
        if args.sent.is_some_and(|sent| sent != read) {
            continue;
        }
        enhanced::collapse(&mut sentence);
        let trees = forester.trees(&sentence.graph);
        if trees.is_none() {
            writeln!(out, "{read}: too long")?;
        }
        for (number, tree) in trees.iter().flatten().enumerate() {
            let part = Sentence { graph: tree.subgraph(), ..sentence.clone() };
            let (held, all) = (part.graph.arcs().len(), sentence.graph.arcs().len());
            let heading = format!("{read} · tree {} · {held} of {all} arcs", number + 1);
            writeln!(out, "{}", paint(&heading, Ink::Heading, terminal.colour))?;
            writeln!(out, "{}", terminal.draw(&Picture::new(&part, Basis::Auto)))?;
        }
        if args.sent == Some(read) {
            break;
        }
    }
    if args.sent.is_some_and(|sent| sent > read) {
        return Err(Failure::Usage(format!("there are only {read} sentences")));
    }
    Ok(out.flush()?)
}

fn coverage(args: &Args) -> Result<(), Failure> {
    let mut foresters = [("simple", forester(args, 1)), ("relaxed", forester(args, args.iterations))];
    for sentence in Input::open(&args.input, &args.reading)? {
        let mut sentence = sentence?;
        enhanced::collapse(&mut sentence);
        for (_, forester) in &mut foresters {
            forester.trees(&sentence.graph);
        }
    }
    if args.json {
        let one = |(name, forester): &(&str, Forester)| {
            let Coverage { arcs, held, sentences, whole, too_long, .. } = *forester.coverage();
            let parts: Vec<Value> = ["tree 1", "tree 2", "tree 3", "merged"]
                .into_iter()
                .enumerate()
                .map(|(place, part)| json!({"part": part, "arcs": held[place], "sentences": whole[place]}))
                .collect();
            json!({"how": name, "arcs": arcs, "sentences": sentences, "too_long": too_long, "held": parts})
        };
        return output::print(format!("{:#}\n", foresters.iter().map(one).collect::<Value>()));
    }
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "{:<8} {:<8} {:>8} {:>10}", "", "", "arcs %", "sentences %")?;
    for (name, forester) in &foresters {
        let Coverage { arcs, held, sentences, whole, .. } = *forester.coverage();
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        for (place, part) in ["tree 1", "tree 2", "tree 3", "merged"].into_iter().enumerate() {
            let (arcs, sentences) = (share(held[place], arcs), share(whole[place], sentences));
            writeln!(out, "{name:<8} {part:<8} {arcs:>8.2} {sentences:>10.2}")?;
        }
    }
    let Coverage { arcs, sentences, too_long, .. } = *foresters[1].1.coverage();
    writeln!(out, "{arcs} arcs in {sentences} sentences; {too_long} sentences too long")?;
    Ok(out.flush()?)
}
