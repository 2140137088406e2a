//! The tokenizer's family: the character tagger, and below it the stage that splits multiword tokens.

use super::engine::Weights;
use super::recipe::StageRecipe;
use super::task::StageCourse;
use super::{Card, summary};
use crate::engine::TextEngine;
use crate::train::{Catalogue, Corpus, Ended, Family, Fitted, OpenError, Opened, Session, TrainError};
use crate::workspace::Workspace;
use pleach_graph::Sentence;
use pleach_model::View;
use pleach_model::recipe::{Gives, Keys, Recipe};
use pleach_text::labelling::search::Memory;
use pleach_text::multiword::Splitter;
use pleach_text::stage::Stage;
use pleach_text::tokenizer::{Assembler, Past, Piece, Tokenizer};
use serde_json::Value;

/// The family.
#[derive(Debug)]
pub struct TokenizerFamily;

impl Keys for TokenizerFamily {
    fn name(&self) -> &'static str {
        Tokenizer::NAME
    }

    fn gives(&self, _: &toml::Table) -> Gives {
        Gives::Sentences
    }

    fn presets(&self) -> Vec<String> {
        vec![Tokenizer::NAME.to_owned()]
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(StageRecipe::preset(name)).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe = recipe.typed::<StageRecipe>().map_err(|error| error.to_string())?;
        if recipe.sure > 0 {
            return Err("a tokenizer labels characters: no words are sure".into());
        }
        match recipe.teacher.is_empty() && recipe.more.is_empty() {
            true => Ok(()),
            false => Err("a tokenizer has no teacher: its sentences are cut already".into()),
        }
    }
}

impl Family for TokenizerFamily {
    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: StageRecipe = recipe.typed()?;
        let splitter = Splitter::new(&corpus.train);
        let model = match splitter.is_empty() {
            true => None,
            false => {
                let recipe = StageRecipe { beam: 1, ..recipe.clone() };
                let mut course = StageCourse::new(&splitter, &recipe, &corpus, None);
                match session.fit(Splitter::NAME, &mut course, &recipe.schedule)? {
                    Fitted::Done(model, _) => Some(model),
                    Fitted::Stopped => return Ok(Ended::STOPPED),
                }
            }
        };
        let tokenizer = Tokenizer::new(&corpus.train);
        let below = model.map(|model| model.root());
        let mut course = StageCourse::new(&tokenizer, &recipe, &corpus, below);
        Ok(session.fit("", &mut course, &recipe.schedule)?.into())
    }

    fn open(&self, view: &View, _: Catalogue) -> Result<Opened, OpenError> {
        let card: Card<Tokenizer> = serde_json::from_value(view.card().clone())?;
        let splitter = match view.children().find(|child| child.family() == Splitter::NAME) {
            None => None,
            Some(child) => {
                let card: Card<Splitter> = serde_json::from_value(child.card().clone())?;
                Some((Weights::open(&child)?, card.stage))
            }
        };
        let weights = Weights::open(view)?;
        Ok(Opened::Text(Box::new(Engine { tokenizer: card.stage, beam: card.beam, weights, splitter })))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        summary(card)
    }
}

#[derive(Debug)]
struct Engine {
    tokenizer: Tokenizer,
    beam: usize,
    weights: Weights,
    /// The stage for multiword tokens.
    splitter: Option<(Weights, Splitter)>,
}

impl TextEngine for Engine {
    fn sentences(&self, text: &str, start: Option<usize>, workspace: &mut Workspace) -> Vec<Sentence> {
        let table = self.weights.table();
        let pieces = self.tokenizer.pieces(table, text, self.beam, workspace.part::<Memory<Past>>());
        let splitter = self.splitter.as_ref().map(|(weights, splitter)| (weights.table(), splitter));
        let mut assembler = Assembler::new(text, start);
        let memory = workspace.part::<Memory<()>>();
        let sentence = |pieces: &[Piece]| {
            let tokens = |piece: &Piece| &text[piece.bytes.clone()];
            let mut words = match splitter {
                Some((table, splitter)) => splitter.split(table, pieces.iter().map(tokens), memory),
                None => Vec::new(),
            };
            assembler.sentence(pieces, |number| words.get_mut(number).map(std::mem::take).unwrap_or_default())
        };
        pieces.chunk_by(|piece, _| !piece.last).map(sentence).collect()
    }
}
