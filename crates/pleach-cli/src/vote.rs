//! `pleach vote`: several parsers decide by majority.

use crate::failure::Failure;
use crate::input::{Input, InputArgs};
use crate::output;
use crate::say::say;
use pleach::families::{CATALOGUE, tuned_vote_section, vote_section};
use pleach::model::{Model, Section, View, comparable};
use pleach::vote::Fitted;
use pleach::{Parser, Workspace, models};
use pleach_formats::{Format, Writer};
use pleach_graph::{Graph, Sentence, visible_lines};
use pleach_lab::diversity::Diversity;
use pleach_lab::vote_files::FileVote;
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  pleach vote st.pleach ss.pleach s2s.pleach -o six.pleach    one model, for `pleach parse -m`
  pleach vote a.pleach b.pleach --dev dev.conllu -o ab.pleach  the same with weights learnt from these sentences
  pleach vote a.conllu b.conllu c.conllu -o voted.conllu      parsed files of the same sentences
  pleach vote a.conllu b.conllu --diversity                   how alike they are, nothing written
  pleach vote st.pleach ss.pleach --diversity --on dev.conllu the same for models, on these sentences

An arc is in the result when more than the threshold's share of the parsers have it; its label is the one
that most of them give. With --dev, members and what they think of each other's arcs count as much as
they should on those sentences, which no member may have been trained on. Models and parsed files are told
apart by their content. Diversity is 2|A∩B| / (|A|+|B|) over the arcs of two parsers: 1 when they always
agree.";

/// Let models or parsed files vote
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Models (files, or names that `pleach models` lists), or parsed files of the same sentences
    #[arg(value_name = "FILE", num_args = 1.., required = true)]
    files: Vec<PathBuf>,

    /// Where the ensemble's model or the voted graphs go
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// An arc needs more than this share of the votes
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    threshold: f64,

    /// For models: learn the weights of members and of their scores from sentences with gold graphs
    #[arg(long, value_name = "FILE", conflicts_with = "threshold")]
    dev: Option<PathBuf>,

    /// Print how alike every two parsers are
    #[arg(long)]
    diversity: bool,

    /// For the diversity of models: sentences to parse
    #[arg(long, value_name = "FILE", requires = "diversity")]
    on: Option<PathBuf>,

    /// Print JSON instead of tables
    #[arg(long, requires = "diversity")]
    json: bool,

    /// Format of the voted graphs; by OUT's extension, else that of the first file
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    #[command(flatten)]
    reading: InputArgs,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    if !(0.0..1.0).contains(&args.threshold) {
        return Err(Failure::Usage("--threshold is a share: from 0 to below 1".into()));
    }
    let standard = |path: &Path| path.as_os_str() == "-";
    if args.diversity && args.output.as_deref().is_some_and(standard) {
        return Err(Failure::Usage("--diversity and the graphs can't both go to standard output".into()));
    }
    if args.files.iter().filter(|path| standard(path)).count() > 1 {
        return Err(Failure::Usage("only one of the files can be standard input".into()));
    }
    let mut kinds = Vec::new();
    for path in &args.files {
        let recognised = match standard(path) {
            true => Ok(false),
            // What is no file may be the name of a model.
            false if !path.exists() && models::find(Some(path)).is_ok() => Ok(true),
            false => Model::recognise(path),
        };
        kinds.push(
            recognised.map_err(|source| pleach::model::ModelError::Io {
                file: path.display().to_string(),
                source,
            })?,
        );
    }
    match (kinds.iter().position(|&model| model), kinds.iter().position(|&model| !model)) {
        (Some(model), Some(other)) => {
            let (model, other) = (args.files[model].display(), args.files[other].display());
            Err(Failure::Usage(format!(
                "models and parsed files don't mix: {model} is a model, {other} is not"
            )))
        }
        (Some(_), None) => vote_models(&args),
        _ => vote_files(&args),
    }
}

fn vote_models(args: &Args) -> Result<(), Failure> {
    if args.output.is_none() && !args.diversity {
        return Err(Failure::Usage("-o is needed: where does the ensemble go?".into()));
    }
    if args.diversity && args.on.is_none() {
        return Err(Failure::Usage("--on is needed: on which sentences are the models compared?".into()));
    }
    if let Some(output) = &args.output {
        let models: Result<Vec<Model>, _> = args.files.iter().map(|path| models::find(Some(path))).collect();
        let roots: Vec<View> = models?.iter().map(Model::root).collect();
        let section = match &args.dev {
            Some(dev) => tuned(&roots, dev, &args.reading)?,
            None => vote_section(&roots, args.threshold),
        };
        let bytes = Model::to_bytes(&section)?;
        // What can't be parsed with must not be written.
        let name = output.display().to_string();
        let parser = Parser::new(&name, Model::from_bytes(&name, &bytes)?)?;
        output::save(output, &bytes)?;
        let parsers = parser.model().root().children().count();
        say!("wrote {name}: {parsers} parsers, {:.1} MB", bytes.len() as f64 / 1e6);
    }
    if let Some(on) = &args.on {
        let parsers: Result<Vec<Parser>, models::FindError> =
            args.files.iter().map(|path| models::open(Some(path))).collect();
        let parsers = parsers?;
        if let Some(place) = parsers.iter().position(|parser| !parser.gives_graphs()) {
            let file = args.files[place].display();
            return Err(Failure::Usage(format!("{file} gives no graphs, so there is nothing to compare")));
        }
        print_diversity(&compare(&parsers, &args.files, on, &args.reading)?, args.json)?;
    }
    Ok(())
}

/// A vote with weights that are learnt from a file.
fn tuned<'a>(roots: &'a [View], dev: &Path, reading: &InputArgs) -> Result<Section<'a>, Failure> {
    let name = dev.display().to_string();
    let mut input = Input::open(dev, reading)?;
    let sentences: Vec<Sentence> = input.by_ref().collect::<Result<_, _>>()?;
    input.report_skipped();
    let (section, tried) = tuned_vote_section(roots, &sentences, CATALOGUE)
        .map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    for (place, Fitted { name, f, .. }) in tried.iter().enumerate() {
        let chosen = if place == 0 { "  (taken)" } else { "" };
        say!("{:>6.2}  {name}{chosen}", 100.0 * f);
    }
    Ok(section)
}

/// Sentences that are parsed in parallel.
const CHUNK: usize = 1024;

fn compare(
    parsers: &[Parser],
    files: &[PathBuf],
    on: &Path,
    reading: &InputArgs,
) -> Result<Diversity, Failure> {
    let mut diversity = Diversity::new(names(files));
    let mut input = Input::open(on, reading)?;
    loop {
        let chunk: Vec<Sentence> = input.by_ref().take(CHUNK).collect::<Result<_, _>>()?;
        if chunk.is_empty() {
            break;
        }
        let parsed: Vec<Vec<Graph>> = chunk
            .par_iter()
            .map_init(Workspace::default, |workspace, sentence| {
                let one = |parser: &Parser| {
                    let mut sentence = sentence.clone();
                    parser.parse(&mut sentence, workspace);
                    comparable(sentence, false)
                };
                parsers.iter().map(one).collect()
            })
            .collect();
        parsed.iter().for_each(|graphs| diversity.add(&graphs.iter().collect::<Vec<&Graph>>()));
    }
    input.report_skipped();
    Ok(diversity)
}

fn vote_files(args: &Args) -> Result<(), Failure> {
    if args.dev.is_some() {
        return Err(Failure::Usage("--dev is for models; parsed files have no scores of arcs".into()));
    }
    if args.on.is_some() {
        return Err(Failure::Usage("--on is for models; parsed files are compared as they are".into()));
    }
    let mut inputs = open(args)?;
    let mut vote = FileVote::new(names(&args.files), args.threshold, args.diversity);
    let output = match (&args.output, args.diversity) {
        (Some(path), _) => Some(path.clone()),
        (None, false) => Some(PathBuf::from("-")),
        (None, true) => None,
    };
    let mut writer = match &output {
        Some(path) => {
            let to = args.to.or_else(|| Format::from_path(path)).unwrap_or(inputs[0].format());
            Some(Writer::create(path, Some(to))?)
        }
        None => None,
    };
    loop {
        let mut sentences = Vec::with_capacity(inputs.len());
        for input in &mut inputs {
            sentences.push(input.next().transpose()?);
        }
        let Some(voted) = vote.next(sentences)? else { break };
        if let Some(writer) = &mut writer {
            writer.write(&voted)?;
        }
    }
    inputs.iter().for_each(Input::report_skipped);
    if let Some(writer) = writer {
        let to = writer.format();
        let losses = writer.finish()?;
        if !losses.is_empty() {
            say!("warning: {to} has no place for {losses}");
        }
    }
    match vote.diversity() {
        Some(diversity) => print_diversity(diversity, args.json),
        None => Ok(()),
    }
}

/// Opens the parsed files. SemEval-2016 looks like CoNLL-X as long as no token has two heads, so one file can
/// decide for the others.
fn open(args: &Args) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for path in &args.files {
        inputs.push(Input::open(path, &args.reading)?);
    }
    if args.reading.from.is_none() && inputs.iter().any(|input| input.format() == Format::Semeval16) {
        let reading = InputArgs { from: Some(Format::Semeval16), ..args.reading.clone() };
        for (input, path) in inputs.iter_mut().zip(&args.files) {
            if input.format() == Format::ConllX {
                *input = Input::open(path, &reading)?;
            }
        }
    }
    Ok(inputs)
}

/// File names without what they share: the folder if all lie in one, else the whole path.
fn names(files: &[PathBuf]) -> Vec<String> {
    let short: Vec<String> = files
        .iter()
        .map(|path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned())
        .collect();
    let clash = short.iter().enumerate().any(|(i, name)| short[..i].contains(name));
    if clash { files.iter().map(|path| path.display().to_string()).collect() } else { short }
}

fn print_diversity(diversity: &Diversity, as_json: bool) -> Result<(), Failure> {
    match as_json {
        true => output::print(format!(
            "{}\n",
            serde_json::to_string_pretty(&json!({ "pairs": diversity.json() }))?
        )),
        false => output::print(visible_lines(&format!(
            "labelled arcs\n\n{}\nunlabelled arcs\n\n{}",
            diversity.markdown(true),
            diversity.markdown(false)
        ))),
    }
}
