//! What the stages of a text model do for a parser.

use crate::model::View;
use crate::workspace::Workspace;
use pleach_graph::Sentence;
use pleach_text::labelling::search::Memory;
use pleach_text::stage::Annotate;
use std::fmt::Debug;

/// Cuts text into sentences of words.
pub trait TextEngine: Send + Sync + Debug {
    /// The sentences of a text. With a start (the characters before the text), MISC says where every token stands.
    fn sentences(
        &self,
        view: View<'_>,
        text: &str,
        start: Option<usize>,
        workspace: &mut Workspace,
    ) -> Vec<Sentence>;
}

/// Writes something into the words of sentences: tags, features, lemmas.
pub trait WordEngine: Send + Sync + Debug {
    /// Whether a sentence has already what the engine would write.
    fn given(&self, sentence: &Sentence) -> bool;

    /// Writes it, in place of what was there.
    fn annotate(&self, view: View<'_>, sentence: &mut Sentence, workspace: &mut Workspace);
}

/// Any stage that annotates.
#[derive(Debug)]
pub(super) struct Annotator<S> {
    pub stage: S,
    pub beam: usize,
}

impl<S: Annotate> WordEngine for Annotator<S> {
    fn given(&self, sentence: &Sentence) -> bool {
        S::given(sentence)
    }

    fn annotate(&self, view: View<'_>, sentence: &mut Sentence, workspace: &mut Workspace) {
        let memory = workspace.part::<Memory<S::History>>();
        self.stage.annotate(view.table(), sentence, self.beam, memory);
    }
}
