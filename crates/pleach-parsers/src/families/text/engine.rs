//! What the stages of a text model do for a parser.

use crate::engine::WordEngine;
use crate::scorer::{Table, linear_table};
use crate::train::OpenError;
use crate::workspace::Workspace;
use pleach_graph::Sentence;
use pleach_model::View;
use pleach_text::forms::Forms;
use pleach_text::labelling::search::Memory;
use pleach_text::stage::Annotate;

/// The weights of a stage: a table in an open model.
#[derive(Clone, Debug)]
pub(super) struct Weights(View);

impl Weights {
    /// The weights of a section.
    pub fn open(view: &View) -> Result<Self, OpenError> {
        match linear_table(view) {
            Some(_) => Ok(Weights(view.clone())),
            None => Err(OpenError::Inconsistent(format!("the section '{}' has no table", view.family()))),
        }
    }

    /// The table.
    pub fn table(&self) -> Table<'_> {
        // That there is one was checked when the model was opened.
        linear_table(&self.0).unwrap_or(Table::new(&[], &[], 1.0))
    }
}

/// Any stage that annotates.
#[derive(Debug)]
pub(super) struct Annotator<S> {
    pub stage: S,
    pub beam: usize,
    pub weights: Weights,
}

impl<S: Annotate> WordEngine for Annotator<S> {
    fn given(&self, sentence: &Sentence) -> bool {
        S::given(sentence)
    }

    fn annotate(&self, sentence: &mut Sentence, workspace: &mut Workspace) {
        let mut forms = std::mem::take(workspace.part::<Forms>());
        let memory = workspace.part::<Memory<S::History>>();
        self.stage.annotate(self.weights.table(), sentence, self.beam, &mut forms, memory);
        *workspace.part() = forms;
    }

    fn known(&self, sentence: &Sentence) -> Option<(usize, usize)> {
        self.stage.known(self.weights.table(), sentence)
    }
}
