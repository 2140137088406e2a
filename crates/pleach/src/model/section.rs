//! The parts of a model: [`Section`] for writing, [`View`] for reading from the mapped file.

use super::card::Provenance;
use super::file::Model;
use crate::family::VOTE;
use pleach_linear::table::Table;
use serde_json::{Value, json};

/// A part of a model that is to be written.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// What it is to the section above it; empty for a model of its own.
    pub role: String,
    /// The family that can open it.
    pub family: String,
    /// What the family needs to know.
    pub card: Value,
    /// How it was trained, if it was.
    pub provenance: Option<Provenance>,
    /// Its weights.
    pub table: Table<'a>,
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
            provenance: None,
            table: Table::new(&[], &[], 1.0),
            children,
        }
    }

    /// Several models that vote; the members of votes vote themselves.
    pub fn vote(models: impl IntoIterator<Item = &'a Model>, threshold: f64) -> Self {
        let mut voters = Vec::new();
        for model in models {
            match model.root() {
                root if root.family() == VOTE => voters.extend(root.children().map(View::section)),
                root => voters.push(root.section()),
            }
        }
        Section::group(VOTE, json!({ "threshold": threshold }), voters)
    }

    /// The same section in another role.
    pub fn with_role(mut self, role: &str) -> Self {
        self.role = role.to_owned();
        self
    }
}

/// A part of an open model; cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) model: &'a Model,
    pub(super) at: usize,
}

impl<'a> View<'a> {
    /// What it is to the section above it.
    pub fn role(self) -> &'a str {
        &self.model.entry(self.at).role
    }

    /// The family that can open it.
    pub fn family(self) -> &'a str {
        &self.model.entry(self.at).family
    }

    /// What the family needs to know.
    pub fn card(self) -> &'a Value {
        &self.model.entry(self.at).card
    }

    /// How it was trained, if it was.
    pub fn provenance(self) -> Option<&'a Provenance> {
        self.model.entry(self.at).provenance.as_ref()
    }

    /// Its weights.
    pub fn table(self) -> Table<'a> {
        self.model.table(self.at)
    }

    /// The sections below it.
    pub fn children(self) -> impl Iterator<Item = View<'a>> {
        self.model.entry(self.at).children.iter().map(move |&at| View { model: self.model, at })
    }

    /// The section of that number below it.
    pub fn child(self, number: usize) -> Option<View<'a>> {
        self.model.entry(self.at).children.get(number).map(|&at| View { model: self.model, at })
    }

    /// The section of that role below it.
    pub fn role_child(self, role: &str) -> Option<View<'a>> {
        self.children().find(|child| child.role() == role)
    }

    /// This and all sections below it, to be written into another model.
    pub fn section(self) -> Section<'a> {
        Section {
            role: self.role().to_owned(),
            family: self.family().to_owned(),
            card: self.card().clone(),
            provenance: self.provenance().cloned(),
            table: self.table(),
            children: self.children().map(View::section).collect(),
        }
    }
}
