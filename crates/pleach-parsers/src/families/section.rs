//! Sections of models without their weights.

use crate::trees;
use pleach_model::{Section, View};
use serde::Serialize;
use serde_json::Value;

/// A section of a family with the tree parser that its models look at, if they do.
pub fn with_tree<'a>(family: &str, card: &impl Serialize, tree: Option<&'a View>) -> Section<'a> {
    // A card of strings and numbers always has JSON.
    let card = serde_json::to_value(card).unwrap_or(Value::Null);
    let children = tree.map(|tree| tree.section().with_role(trees::ROLE));
    Section::group(family, card, children.into_iter().collect())
}
