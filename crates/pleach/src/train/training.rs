//! A training run from its recipe and data to the model file.

use super::session::{Fitted, Session, Watch, stages_folder};
use crate::family::book::BookError;
use crate::family::text::Annotation;
use crate::family::transition::{DataError, EngineError};
use crate::model::ModelError;
use crate::parser::ParserError;
use crate::recipe::{Recipe, RecipeError};
use crate::score::Scores;
use pleach_graph::{Sentence, Token};
use pleach_linear::hash;
use pleach_linear::template::{self, TemplateError, Templates};
use std::path::Path;

/// Why a training run failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The recipe makes no sense.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The data can't be trained on.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The settings make no sense.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A book parser's settings make no sense.
    #[error(transparent)]
    Book(#[from] BookError),
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
    /// The model can't be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file or folder of the run can't be made.
    #[error("{file}: {source}")]
    Io {
        /// Its path.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The checkpoint can't be read or written.
    #[error("{file}: {message}; delete it to start anew")]
    Checkpoint {
        /// The checkpoint's file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// The checkpoint belongs to another run.
    #[error(
        "{file} is the checkpoint of a run with another {what}; delete it, or use --fresh, to start anew"
    )]
    OtherRun {
        /// The checkpoint's file.
        file: String,
        /// What differs.
        what: &'static str,
    },
    /// A sentence without the tree that is to be learnt.
    #[error("training or development sentence {sentence} has no tree in HEAD and DEPREL")]
    NoTree {
        /// Its number, from 1.
        sentence: usize,
    },
    /// A model that was trained on the way can't be used.
    #[error(transparent)]
    Parser(#[from] ParserError),
    /// A family whose models are put together from others.
    #[error("models of the family '{0}' are not trained but made of other models")]
    NotTrained(&'static str),
}

fn shipped_names() -> String {
    let names: Vec<&str> = template::SHIPPED.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// Templates by the names of shipped files or by the paths of others, one after the other.
pub fn templates(names: &[&str]) -> Result<Templates, TrainError> {
    let mut all = String::new();
    for &name in names {
        match template::shipped(name) {
            Some(text) => all += text,
            None => {
                let text = std::fs::read_to_string(name);
                all += &text.map_err(|source| TrainError::TemplateFile { file: name.to_owned(), source })?;
            }
        }
    }
    Ok(Templates::parse(&names.join("+"), &all)?)
}

/// Sentences to learn from and to measure on, as read.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The training sentences.
    pub train: Vec<Sentence>,
    /// The development sentences; without them the last epoch's model is kept.
    pub dev: Vec<Sentence>,
}

impl Corpus {
    /// A hash of everything that training looks at.
    pub fn fingerprint(&self) -> u64 {
        let mut h = hash::seed(0);
        for (part, sentences) in [&self.train, &self.dev].into_iter().enumerate() {
            h = hash::mix(h, part as u32);
            for sentence in sentences {
                for token in &sentence.tokens {
                    let Token { form, lemma, upos, xpos, feats, frame, deprel, .. } = token;
                    for text in [form, lemma, upos, xpos, feats, frame, deprel] {
                        h = hash::mix(h, hash::text(text));
                    }
                    h = hash::mix(h, token.head.map_or(u32::MAX, |head| head.0));
                }
                for arc in sentence.graph.arcs() {
                    h = hash::mix(
                        hash::mix(hash::mix(h, arc.head.0), arc.dependent.0),
                        hash::text(&arc.label),
                    );
                }
            }
        }
        hash::finish(h)
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The best development scores and their epoch.
    pub best: Option<(Scores, usize)>,
    /// Whether the run was stopped before its end; a checkpoint lies beside the model.
    pub stopped: bool,
}

impl From<Fitted> for Ended {
    /// How a run ended whose last stage this was.
    fn from(last: Fitted) -> Self {
        match last {
            Fitted::Done(_, best) => Ended { best, stopped: false },
            Fitted::Stopped => Ended::STOPPED,
        }
    }
}

impl Ended {
    /// The run was stopped.
    pub const STOPPED: Ended = Ended { best: None, stopped: true };
}

/// A training run to be.
#[derive(Debug)]
pub struct Training {
    /// What to do.
    pub recipe: Recipe,
    /// What to learn from.
    pub corpus: Corpus,
    /// The files' names, for the model's card.
    pub names: (String, String),
    /// Don't look for a checkpoint.
    pub fresh: bool,
}

impl Training {
    /// Runs the training, or goes on with it, and writes the model to `output`. `watch` hears what happens and
    /// may stop the run at any step.
    pub fn run(self, output: &Path, watch: &mut Watch<'_>) -> Result<Ended, TrainError> {
        self.run_with(None, output, watch)
    }

    /// As [`Training::run`], on tags, features and lemmas as they will be at run time: predicted, for the training
    /// sentences by jackknifing.
    pub fn run_on_predicted_tags(
        self,
        annotation: &Annotation,
        output: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Ended, TrainError> {
        self.run_with(Some(annotation), output, watch)
    }

    fn run_with(
        self,
        annotation: Option<&Annotation>,
        output: &Path,
        watch: &mut Watch<'_>,
    ) -> Result<Ended, TrainError> {
        let unknown = || RecipeError::UnknownPreset { name: self.recipe.name().to_owned() };
        let family = self.recipe.family().ok_or_else(unknown)?;
        let mut session = Session {
            recipe: &self.recipe,
            output: output.to_owned(),
            names: self.names,
            // A run on predicted tags is another run than one on the treebank's.
            fingerprint: self.corpus.fingerprint()
                ^ annotation.map_or(0, |annotation| annotation.folds as u64),
            fresh: self.fresh,
            watch: &mut |event| watch(event),
        };
        let corpus = match annotation {
            None => self.corpus,
            Some(annotation) => match annotation.supply(&self.corpus, &mut session)? {
                Some(annotated) => annotated.corpus,
                None => return Ok(Ended::STOPPED),
            },
        };
        let ended = family.train(&self.recipe, corpus, &mut session)?;
        if !ended.stopped {
            let folder = stages_folder(output);
            if folder.exists() {
                let _ = std::fs::remove_dir_all(folder);
            }
        }
        Ok(ended)
    }
}
