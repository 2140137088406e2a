//! `pleach oracle`: how a transition system builds the graphs of a file, and how much of them it reaches.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use pleach_graph::{Sentence, enhanced, visible};
use pleach_transition::Node;
use pleach_transition::coverage::Coverage;
use pleach_transition::labels::EncodeError;
use pleach_transition::oracle::{Derivation, Gold};
use pleach_transition::settings::{Preset, Root, TwoCycles};
use pleach_transition::story::{Choices, Narrator};
use pleach_transition::trace::{Line, step_name, trace};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use unicode_width::UnicodeWidthStr;

const EXAMPLES: &str = "\
Examples:
  pleach oracle --system s2s-combined dev.conllu --sent 3    the third sentence, step by step
  pleach oracle --system sl-standard --root first dm.sdp     every sentence, as in the papers
  pleach oracle --system ss-standard --json dev.conllu       one JSON object for each sentence
  pleach oracle --coverage train.conllu                      what every system reaches, and its length
  pleach oracle --coverage --root first,last,none train.conllu";

/// The examples, and the systems there are.
fn after_help() -> String {
    format!(
        "{EXAMPLES}\n\nSystems: {}. {};\ncombined: an arc and the move after it are one transition; rev: from right \
         to left.\nEmpty nodes are first folded into the labels (`conj>nsubj`).",
        Preset::pattern(),
        Preset::legend()
    )
}

/// Show the transitions that build a graph, or how much of a treebank they reach
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// File to read; - for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    #[command(flatten)]
    reading: InputArgs,

    /// Transition system; with --coverage all of them when not given
    #[arg(long, value_name = "S")]
    system: Option<Preset>,

    /// Where the root is: first (bottom of the stack), last (end of the buffer), none (tops at SHIFT);
    /// several with --coverage
    #[arg(long, value_name = "WHERE", value_delimiter = ',', default_value = "last")]
    root: Vec<Root>,

    /// How two-cycles are made: encoded (one edge) or transitions (one for each direction)
    #[arg(long, value_name = "HOW", default_value = "encoded")]
    two_cycles: TwoCycles,

    /// Let words be linked to themselves
    #[arg(long)]
    self_arcs: bool,

    /// Let SHIFT carry the frames of the words
    #[arg(long)]
    supertags: bool,

    /// Put the labels aside
    #[arg(long)]
    unlabelled: bool,

    /// Only this sentence: its number in the file, from 1, or its sent_id
    #[arg(long, value_name = "N", conflicts_with = "coverage")]
    sent: Option<String>,

    /// The shares of arcs and sentences that are reached, and steps per token
    #[arg(long)]
    coverage: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let done = if args.coverage { cover(&args, &mut out) } else { derive(&args, &mut out) };
    done.and_then(|()| Ok(out.flush()?))
}

/// The largest sentence that is derived: some systems take a step for every pair of words.
const MOST_WORDS: usize = 1000;

/// The most arcs of a sentence that is derived.
const MOST_ARCS: usize = 20_000;

/// The largest derivation that is shown, in steps times words, since every step shows its configuration.
const MOST_CELLS: usize = 4_000_000;

/// Why a sentence has no derivation to show.
#[derive(Debug, thiserror::Error)]
enum Underivable {
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error(
        "a sentence of {words} words and {arcs} arcs is too large: at most {MOST_WORDS} words and {MOST_ARCS} arcs \
         are derived"
    )]
    Large { words: usize, arcs: usize },
    #[error(
        "a derivation of {steps} steps over {words} words is too long to be shown (--coverage counts its steps)"
    )]
    Long { steps: usize, words: usize },
}

impl Args {
    fn narrator(&self, preset: Preset, root: Root) -> Narrator {
        let choices = Choices {
            root,
            two_cycles: self.two_cycles,
            self_arcs: self.self_arcs,
            supertags: self.supertags,
            unlabelled: self.unlabelled,
        };
        Narrator::new(preset, choices)
    }
}

/// The graph as the system reads it.
fn derived(runner: &mut Narrator, sentence: &Sentence) -> Result<(Gold, Derivation), Underivable> {
    let (words, arcs) = (sentence.len(), sentence.graph.arcs().len());
    if words > MOST_WORDS || arcs > MOST_ARCS {
        return Err(Underivable::Large { words, arcs });
    }
    Ok(runner.derive(sentence)?)
}

fn derive(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let Some(preset) = args.system.clone() else {
        return Err(Failure::Usage("--system is needed, unless --coverage is given".into()));
    };
    let [root] = args.root[..] else {
        return Err(Failure::Usage("one --root is enough for derivations".into()));
    };
    let mut runner = args.narrator(preset, root);
    let mut input = Input::open(&args.input, &args.reading)?;
    let mut number = 0_u64;
    let mut shown = false;
    while let Some(sentence) = input.next() {
        let mut sentence = sentence?;
        number += 1;
        let wanted = |name: &String| *name == number.to_string() || sentence.sent_id() == Some(name);
        if !args.sent.as_ref().is_none_or(wanted) {
            continue;
        }
        enhanced::collapse(&mut sentence);
        let (gold, derivation) = match derived(&mut runner, &sentence) {
            Ok(found) => found,
            Err(error) => {
                input.leave_out(error)?;
                continue;
            }
        };
        if derivation.steps.len().saturating_mul(sentence.len()) > MOST_CELLS {
            input.leave_out(Underivable::Long { steps: derivation.steps.len(), words: sentence.len() })?;
            continue;
        }
        let lines = trace(&runner.system, gold.len(), &derivation.steps);
        if args.json {
            writeln!(out, "{}", serde_json::to_value(runner.tell(&sentence, &lines, &derivation))?)?;
        } else {
            if shown {
                writeln!(out)?;
            }
            write_table(&runner, &sentence, number, &lines, &derivation, out)?;
        }
        shown = true;
        if args.sent.is_some() {
            break;
        }
    }
    input.report_skipped();
    match &args.sent {
        Some(name) if !shown => {
            let message = format!("no sentence `{name}` among the {number} of {}", args.input.display());
            Err(Failure::Usage(message))
        }
        _ => Ok(()),
    }
}

/// How many nodes of a stack or the buffer are written out.
const SHOWN: usize = 4;

/// How wide a cell may be.
const WIDEST: usize = 64;

fn write_table(
    runner: &Narrator,
    sentence: &Sentence,
    number: u64,
    lines: &[Line],
    derivation: &Derivation,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let len = sentence.len();
    let word = |&node: &Node| match runner.place(node, len) {
        0 => "0".to_owned(),
        place => format!("{place}:{}", sentence.tokens[place - 1].form),
    };
    let row = |nodes: &[Node], front: bool| {
        let hidden = nodes.len().saturating_sub(SHOWN);
        let (start, end) = if front { (0, nodes.len() - hidden) } else { (hidden, nodes.len()) };
        let mut cells: Vec<String> = nodes[start..end].iter().map(word).collect();
        if hidden > 0 {
            cells.insert(if front { cells.len() } else { 0 }, format!("…{hidden}"));
        }
        format!("[{}]", cells.join(" "))
    };
    let arc = |&(head, dependent, set): &(Node, Node, u16)| {
        let labels = runner.labels.set(set).join("|");
        format!("{} → {} {labels}", word(&head), word(&dependent))
    };
    let arcs = |list: &[(Node, Node, u16)]| list.iter().map(arc).collect::<Vec<_>>().join(", ");

    let about = runner.settings().kind.about();
    let list = |place: usize| about.lists.get(place).copied().unwrap_or_default();
    let mut table = vec![["", "transition", list(0), list(1), "β", "arcs added"].map(str::to_owned)];
    for (place, line) in lines.iter().enumerate() {
        table.push([
            place.to_string(),
            line.step.map(|step| step_name(step, &runner.labels)).unwrap_or_default(),
            row(&line.stack, false),
            // A list that continues the first one has its beginning where things happen.
            row(&line.second, about.continues),
            row(&line.buffer, true),
            arcs(&line.added),
        ]);
    }
    match sentence.sent_id() {
        Some(id) => writeln!(out, "# sentence {number}, sent_id = {}", visible(id))?,
        None => writeln!(out, "# sentence {number}")?,
    }
    writeln!(out, "# system = {}, root {}", runner.name, runner.settings().root.name())?;
    let text: Vec<&str> = sentence.tokens.iter().map(|token| token.form.as_str()).collect();
    writeln!(out, "# text = {}", visible(&text.join(" ")))?;
    let columns: &[usize] = if about.lists.len() > 1 { &[0, 1, 2, 3, 4, 5] } else { &[0, 1, 2, 4, 5] };
    write_columns(&table, columns, &[0], out)?;
    let steps = derivation.steps.len();
    writeln!(out, "# {steps} steps for {len} tokens")?;
    if !derivation.lost.is_empty() {
        writeln!(out, "# out of reach: {}", visible(&arcs(&derivation.lost)))?;
    }
    Ok(())
}

/// Writes rows with aligned columns; those in `right` are aligned to the right.
fn write_columns<const N: usize>(
    table: &[[String; N]],
    columns: &[usize],
    right: &[usize],
    out: &mut impl Write,
) -> std::io::Result<()> {
    let width =
        |column: usize| table.iter().map(|row| visible(&row[column]).width()).max().unwrap_or(0).min(WIDEST);
    let widths: Vec<usize> = columns.iter().map(|&column| width(column)).collect();
    for row in table {
        let mut line = String::new();
        for (&column, &width) in columns.iter().zip(&widths) {
            // Words and labels come from a file: they may not steer the terminal.
            let cell = visible(&row[column]);
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            if !line.is_empty() {
                line.push_str("  ");
            }
            if right.contains(&column) {
                line.push_str(&padding);
                line.push_str(&cell);
            } else {
                line.push_str(&cell);
                line.push_str(&padding);
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn cover(args: &Args, out: &mut impl Write) -> Result<(), Failure> {
    let presets: Vec<Preset> = args.system.clone().map_or_else(|| Preset::all().collect(), |one| vec![one]);
    let mut runs: Vec<(Narrator, Coverage)> = Vec::new();
    for preset in &presets {
        for &root in &args.root {
            runs.push((args.narrator(preset.clone(), root), Coverage::default()));
        }
    }
    let mut input = Input::open(&args.input, &args.reading)?;
    'sentences: while let Some(sentence) = input.next() {
        let mut sentence = sentence?;
        enhanced::collapse(&mut sentence);
        for (runner, coverage) in &mut runs {
            match derived(runner, &sentence) {
                Ok((_, derivation)) => coverage.add(&sentence.graph, &runner.labels, &derivation),
                Err(error) => {
                    input.leave_out(error)?;
                    continue 'sentences;
                }
            }
        }
    }
    input.report_skipped();
    if args.json {
        let rows = runs.iter().map(|(runner, coverage)| coverage_json(runner, coverage));
        writeln!(out, "{}", Value::Array(rows.collect()))?;
        return Ok(());
    }
    let sizes = runs.first().map(|(_, coverage)| *coverage).unwrap_or_default();
    writeln!(out, "# {} sentences, {} tokens, {} arcs", sizes.sentences, sizes.words, sizes.arcs)?;
    let header = ["system", "root", "arcs %", "sentences %", "arcs lost", "steps/token"];
    let mut table = vec![header.map(str::to_owned)];
    for (runner, coverage) in &runs {
        table.push([
            runner.name.clone(),
            runner.settings().root.name().to_owned(),
            format!("{:.2}", 100.0 * coverage.arc_share()),
            format!("{:.2}", 100.0 * coverage.sentence_share()),
            coverage.lost.to_string(),
            format!("{:.3}", coverage.steps_per_word()),
        ]);
    }
    write_columns(&table, &[0, 1, 2, 3, 4, 5], &[2, 3, 4, 5], out)?;
    Ok(())
}

fn coverage_json(runner: &Narrator, coverage: &Coverage) -> Value {
    json!({
        "system": runner.name,
        "root": runner.settings().root.name(),
        "sentences": coverage.sentences,
        "sentences_reached": coverage.complete,
        "tokens": coverage.words,
        "arcs": coverage.arcs,
        "arcs_lost": coverage.lost,
        "steps": coverage.steps,
        "arc_share": coverage.arc_share(),
        "sentence_share": coverage.sentence_share(),
        "steps_per_token": coverage.steps_per_word(),
    })
}
