//! From treebank sentences to what the perceptron learns from: hashed words and gold action sequences.

use crate::engine::{Engine, EngineError, settings};
use crate::recipe::{Recipe, When};
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence, Text};
use pleach_linear::hash;
use pleach_linear::template::{self, TemplateError, Templates};
use pleach_linear::words::Words;
use pleach_transition::graph::system;
use pleach_transition::inventory::{InventoryBuilder, TooManyEdges};
use pleach_transition::labels::{EncodeError, Labels};
use pleach_transition::oracle::{Gold, oracle};
use pleach_transition::search::ActionIndex;
use pleach_transition::settings::Kind;

/// Why data can't be trained on.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// There is nothing in it.
    #[error("the training data has no arcs to learn from; is the graph in another column or format?")]
    NoArcs,
    /// A sentence can't be encoded.
    #[error("training sentence {sentence}: {source}")]
    Encode {
        /// Its number, from 1.
        sentence: usize,
        /// Why not.
        source: EncodeError,
    },
    /// Too many different edges.
    #[error(transparent)]
    Edges(#[from] TooManyEdges),
    /// More actions than a model can hold.
    #[error("{0} actions are too many: a model holds 65535")]
    Actions(usize),
    /// The settings make no sense.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The templates are wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The template file can't be read.
    #[error("{file}: {source}; shipped template files are {}", shipped_names())]
    TemplateFile {
        /// Its path.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
}

fn shipped_names() -> String {
    let names: Vec<&str> = template::SHIPPED.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// One sentence to learn from.
#[derive(Debug)]
pub struct Example {
    /// Its words, in reading direction.
    pub words: Words,
    /// Its graph.
    pub gold: Gold,
    /// The ids of the actions that build it.
    pub actions: Vec<u32>,
}

/// A treebank made ready, and the engine that fits it.
#[derive(Debug)]
pub struct Data {
    /// The parser to train.
    pub engine: Engine,
    /// The training sentences.
    pub examples: Vec<Example>,
    /// The development sentences and their graphs, with empty nodes collapsed and labels in full.
    pub dev: Vec<(Sentence, Graph)>,
    /// The number of training words.
    pub tokens: usize,
    /// The number of training arcs.
    pub arcs: usize,
    /// Those that the system can't build.
    pub lost: usize,
    /// A hash of all of it, so that a checkpoint knows its data again.
    pub fingerprint: u64,
}

impl Data {
    /// Transforms the sentences, runs the oracle and collects the actions.
    pub fn prepare(recipe: &Recipe, mut train: Vec<Sentence>, dev: Vec<Sentence>) -> Result<Self, DataError> {
        let fingerprint = fingerprint(&train, &dev);
        let transform = transform(recipe, &train);
        for sentence in &mut train {
            transform.apply(sentence);
        }
        let has_loops = || train.iter().any(|s| s.graph.arcs().iter().any(|arc| arc.head == arc.dependent));
        let self_arcs = match recipe.self_arcs {
            When::Auto => has_loops(),
            When::Always => true,
            When::Never => false,
        };
        let settings = settings(recipe, self_arcs)?;
        let system = system(&settings);
        let mut labels = Labels::new(&settings, recipe.unlabelled);
        let mut builder = InventoryBuilder::default();
        let mut derivations = Vec::new();
        let (mut tokens, mut arcs, mut lost) = (0, 0, 0);
        for (i, sentence) in train.iter().enumerate() {
            if sentence.is_empty() {
                continue;
            }
            let mut frames: Vec<Text> = sentence.tokens.iter().map(|token| token.frame.clone()).collect();
            let mirrored;
            let graph = if recipe.reversed {
                frames.reverse();
                mirrored = sentence.graph.mirrored();
                &mirrored
            } else {
                &sentence.graph
            };
            let gold = labels.encode(graph, &frames);
            let gold = gold.map_err(|source| DataError::Encode { sentence: i + 1, source })?;
            let derivation = oracle(&system, &gold);
            builder.add(&derivation.steps);
            tokens += sentence.len();
            arcs += graph.arcs().len();
            lost += derivation.lost.len();
            let mut words = Words::default();
            words.fill(sentence, recipe.reversed);
            derivations.push((words, gold, derivation.steps));
        }
        if arcs == 0 {
            return Err(DataError::NoArcs);
        }
        let inventory = builder.finish(&settings)?;
        if inventory.actions.len() > usize::from(u16::MAX) {
            return Err(DataError::Actions(inventory.actions.len()));
        }
        let examples = derivations.into_iter().map(|(words, gold, steps)| {
            // The inventory was collected from these very steps.
            let ids = steps.iter().filter_map(|&step| inventory.id(inventory.action(step)?));
            Example { words, gold, actions: ids.map(|id| id as u32).collect() }
        });
        let examples = examples.collect();
        let dev = dev.into_iter().map(|mut sentence| {
            pleach_graph::enhanced::collapse(&mut sentence);
            if recipe.unlabelled {
                sentence.graph = unlabelled(&sentence.graph);
            }
            let gold = std::mem::replace(&mut sentence.graph, Graph::new(0));
            sentence.graph = Graph::new(gold.len());
            (sentence, gold)
        });
        Ok(Data {
            engine: Engine {
                index: ActionIndex::new(&inventory),
                inventory,
                templates: templates(recipe, settings.kind)?,
                labels,
                transform,
                reversed: recipe.reversed,
                beam: recipe.beam,
                system,
            },
            examples,
            dev: dev.collect(),
            tokens,
            arcs,
            lost,
            fingerprint,
        })
    }
}

fn unlabelled(graph: &Graph) -> Graph {
    graph.map_labels(|_| Text::from(pleach_transition::labels::UNLABELLED))
}

/// Which transforms the recipe asks for, or the data.
fn transform(recipe: &Recipe, train: &[Sentence]) -> Transform {
    let decide = |when: When, auto: &dyn Fn() -> bool| match when {
        When::Auto => auto(),
        When::Always => true,
        When::Never => false,
    };
    // A placeholder pays when there are lexicalised labels, which only enhanced UD has.
    let enhanced = || {
        let with_case =
            |s: &&Sentence| s.graph.arcs().iter().any(|arc| arc.label == "case" || arc.label == "mark");
        let lexical = |s: &Sentence| {
            s.graph.arcs().iter().any(|arc| arc.label.starts_with("obl:") || arc.label.starts_with("nmod:"))
        };
        train.iter().filter(with_case).take(2000).any(lexical)
    };
    Transform {
        // A graph over words can't be learnt with nodes that are not there at run time.
        collapse: decide(recipe.collapse, &|| train.iter().any(Sentence::has_empty_nodes)),
        delexicalise: decide(recipe.delexicalise, &enhanced),
    }
}

/// The recipe's templates, shipped ones or a file's.
pub(crate) fn templates(recipe: &Recipe, kind: Kind) -> Result<Templates, DataError> {
    let name = match recipe.templates.as_str() {
        "" => match kind {
            Kind::Thmm => "thmm",
            Kind::Reorder => "reorder",
            Kind::TwoStack => "two-stack",
            Kind::List => "list",
        },
        name => name,
    };
    if let Some(text) = template::shipped(name) {
        return Ok(Templates::parse(name, text)?);
    }
    let text = std::fs::read_to_string(name);
    let text = text.map_err(|source| DataError::TemplateFile { file: name.to_owned(), source })?;
    Ok(Templates::parse(name, &text)?)
}

/// A hash of everything that training looks at.
pub(crate) fn fingerprint(train: &[Sentence], dev: &[Sentence]) -> u64 {
    let mut h = hash::seed(0);
    for (part, sentences) in [train, dev].into_iter().enumerate() {
        h = hash::mix(h, part as u32);
        for sentence in sentences {
            for token in &sentence.tokens {
                for text in [&token.form, &token.lemma, &token.upos, &token.xpos, &token.feats, &token.frame]
                {
                    h = hash::mix(h, hash::text(text));
                }
            }
            for arc in sentence.graph.arcs() {
                h = hash::mix(hash::mix(hash::mix(h, arc.head.0), arc.dependent.0), hash::text(&arc.label));
            }
        }
    }
    hash::finish(h)
}
