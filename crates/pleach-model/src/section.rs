//! The parts of a model: [`Section`] for writing, [`View`] for reading from an open file.

use crate::file::{Entry, Inner};
use crate::provenance::Provenance;
use crate::tensor::{Tensor, TensorView};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A part of a model that is to be written.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// What it is to the section above it; empty for a model of its own.
    pub role: String,
    /// The family that can open it.
    pub family: String,
    /// What the family needs to know.
    pub card: Value,
    /// Who scores and what the scorer needs to know; null for a part that has no scorer of its own.
    pub scorer: Value,
    /// How it was trained, if it was.
    pub provenance: Option<Provenance>,
    /// Its weights.
    pub tensors: Vec<Tensor<'a>>,
    /// The sections below it.
    pub children: Vec<Section<'a>>,
}

impl<'a> Section<'a> {
    /// A section without weights of its own.
    pub fn group(family: &str, card: Value, children: Vec<Section<'a>>) -> Self {
        Section {
            role: String::new(),
            family: family.to_owned(),
            card,
            scorer: Value::Null,
            provenance: None,
            tensors: Vec::new(),
            children,
        }
    }

    /// The same section in another role.
    pub fn with_role(mut self, role: &str) -> Self {
        self.role = role.to_owned();
        self
    }
}

/// A part of an open model: it keeps the model open and is cheap to copy.
#[derive(Clone)]
pub struct View {
    pub(crate) model: Arc<Inner>,
    pub(crate) at: usize,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("role", &self.role()).field("family", &self.family()).finish()
    }
}

impl View {
    fn entry(&self) -> &Entry {
        &self.model.sections[self.at]
    }

    fn at(&self, at: usize) -> View {
        View { model: self.model.clone(), at }
    }

    /// What it is to the section above it.
    pub fn role(&self) -> &str {
        &self.entry().role
    }

    /// The family that can open it.
    pub fn family(&self) -> &str {
        &self.entry().family
    }

    /// What the family needs to know.
    pub fn card(&self) -> &Value {
        &self.entry().card
    }

    /// Who scores and what the scorer needs to know; null for a part without a scorer and for files of version 2.
    pub fn scorer(&self) -> &Value {
        &self.entry().scorer
    }

    /// How it was trained, if it was.
    pub fn provenance(&self) -> Option<&Provenance> {
        self.entry().provenance.as_ref()
    }

    /// A tensor by its name.
    pub fn tensor(&self, name: &str) -> Option<TensorView<'_>> {
        let (_, place) = self.entry().tensors.iter().find(|(other, _)| other == name)?;
        Some(self.model.tensor(place))
    }

    /// All tensors with their names, in the order they were written.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, TensorView<'_>)> {
        self.entry().tensors.iter().map(|(name, place)| (name.as_str(), self.model.tensor(place)))
    }

    /// What one step of a weight is worth in a linear table of version 2, where that was no tensor.
    pub fn old_scale(&self) -> Option<f32> {
        self.entry().old_scale
    }

    /// The sections below it.
    pub fn children(&self) -> impl Iterator<Item = View> {
        self.entry().children.iter().map(|&at| self.at(at))
    }

    /// The section of that role below it.
    pub fn role_child(&self, role: &str) -> Option<View> {
        self.children().find(|child| child.role() == role)
    }

    /// This and all sections below it, to be written into another model.
    pub fn section(&self) -> Section<'_> {
        self.model.section(self.at)
    }
}
