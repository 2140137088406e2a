//! The tokenizer's family: the character tagger, and below it the stage that splits multiword tokens.

use super::engine::TextEngine;
use super::recipe::StageRecipe;
use super::task::StageTask;
use super::{Card, Family, OpenError, Opened, summary};
use crate::model::View;
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Fitted, Session, TrainError};
use crate::workspace::Workspace;
use pleach_graph::Sentence;
use pleach_text::labelling::search::Memory;
use pleach_text::multiword::Splitter;
use pleach_text::stage::Stage;
use pleach_text::tokenizer::{Assembler, Past, Piece, Tokenizer};
use serde_json::Value;

/// The family.
#[derive(Debug)]
pub struct TokenizerFamily;

impl Family for TokenizerFamily {
    fn name(&self) -> &'static str {
        Tokenizer::NAME
    }

    fn presets(&self) -> Vec<String> {
        vec![Tokenizer::NAME.to_owned()]
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(StageRecipe::preset(name)).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        recipe.typed::<StageRecipe>().map(|_| ()).map_err(|error| error.to_string())
    }

    fn sources(&self, _: &Recipe) -> Result<String, TrainError> {
        Ok(String::new())
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: StageRecipe = recipe.typed()?;
        let splitter = Splitter::new(&corpus.train);
        let model = match splitter.is_empty() {
            true => None,
            false => {
                let recipe = StageRecipe { beam: 1, ..recipe.clone() };
                let task = StageTask::new(&splitter, &recipe, &corpus, None);
                match session.fit(Splitter::NAME, &task, &recipe.schedule)? {
                    Fitted::Done(model, _) => Some(model),
                    Fitted::Stopped => return Ok(Ended::STOPPED),
                }
            }
        };
        let tokenizer = Tokenizer::new(&corpus.train);
        let task = StageTask::new(&tokenizer, &recipe, &corpus, model.as_ref().map(|model| model.root()));
        Ok(session.fit("", &task, &recipe.schedule)?.into())
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        let card: Card<Tokenizer> = serde_json::from_value(view.card().clone())?;
        let splitter = match view.children().position(|child| child.family() == Splitter::NAME) {
            None => None,
            Some(place) => {
                let child = view.child(place).map_or(Value::Null, |child| child.card().clone());
                let card: Card<Splitter> = serde_json::from_value(child)?;
                Some((place, card.stage))
            }
        };
        Ok(Opened::Text(Box::new(Engine { tokenizer: card.stage, beam: card.beam, splitter })))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        summary(card)
    }
}

#[derive(Debug)]
struct Engine {
    tokenizer: Tokenizer,
    beam: usize,
    /// The stage for multiword tokens, and which section below is its.
    splitter: Option<(usize, Splitter)>,
}

impl TextEngine for Engine {
    fn sentences(
        &self,
        view: View<'_>,
        text: &str,
        start: Option<usize>,
        workspace: &mut Workspace,
    ) -> Vec<Sentence> {
        let pieces = self.tokenizer.pieces(view.table(), text, self.beam, workspace.part::<Memory<Past>>());
        let splitter = self.splitter.as_ref();
        let splitter = splitter.and_then(|(place, splitter)| Some((view.child(*place)?.table(), splitter)));
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
