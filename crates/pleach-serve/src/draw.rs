//! Drawings for the page: the shapes of a scene as JSON, each with what it belongs to.

use crate::error::ApiError;
use pleach_graph::{Graph, NodeId, Sentence};
use pleach_render::{Basis, Differences, Mark, Owner, Pages, Picture, Scene, Shape, compare, constituents};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// Which arcs are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    /// The deep graph, or the basic tree when there is none.
    #[default]
    Auto,
    /// The deep graph.
    Graph,
    /// The basic tree.
    Tree,
    /// Both, with what only one of them has marked: `missing` is in the tree only, `spurious` in the graph only.
    Both,
}

/// How arcs use the sides of the words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Book {
    /// Crossing arcs go to different sides.
    #[default]
    Book,
    /// All arcs are above.
    Above,
}

/// How a sentence is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Draw {
    /// Which arcs.
    pub basis: Shown,
    /// On which sides.
    pub pages: Book,
    /// Longer sentences are wrapped onto several lines of this width, in pixels; never when it is not given.
    #[schema(example = 900)]
    pub width: Option<u32>,
}

impl Draw {
    /// The picture of a sentence, or of two that are compared.
    pub fn picture(&self, sentence: &Sentence, against: Option<&Sentence>) -> Result<Picture, ApiError> {
        let different = |error| {
            ApiError::unprocessable(
                "different_words",
                format!("the two sentences can't be compared: {error}"),
            )
        };
        let basis = match self.basis {
            Shown::Auto | Shown::Both => Basis::Auto,
            Shown::Graph => Basis::Graph,
            Shown::Tree => Basis::Tree,
        };
        if let Some(against) = against {
            return compare(sentence, against, basis).map_err(different);
        }
        if self.basis == Shown::Both && sentence.tokens.iter().any(|token| token.head.is_some()) {
            let tree = Sentence { graph: tree(sentence), ..sentence.clone() };
            return compare(&tree, sentence, Basis::Graph).map_err(different);
        }
        Ok(Picture::new(sentence, basis))
    }

    /// The scene of a picture.
    pub fn scene(&self, picture: &Picture) -> Scene {
        let pages = match self.pages {
            Book::Book => Pages::Book,
            Book::Above => Pages::Above,
        };
        match self.width {
            Some(width) => Scene::wrapped(picture, pages, width.clamp(120, 20_000) as i32),
            None => Scene::new(picture, pages),
        }
    }

    /// The drawing of a sentence, or of two that are compared, as JSON.
    pub fn json(&self, sentence: &Sentence, against: Option<&Sentence>) -> Result<Value, ApiError> {
        let picture = self.picture(sentence, against)?;
        let mut drawing = drawing(&self.scene(&picture), &picture);
        if let Some(phrase) = sentence.phrase.as_deref().filter(|_| against.is_none()) {
            drawing["phrase"] = scene_json(&constituents::scene(phrase));
        }
        if picture.differs() || against.is_some() {
            let Differences { missing, spurious, relabelled } = Differences::of(&picture);
            drawing["differences"] =
                json!({"missing": missing, "spurious": spurious, "relabelled": relabelled});
        }
        Ok(drawing)
    }
}

/// The basic tree as a graph, also when it is not whole.
fn tree(sentence: &Sentence) -> Graph {
    let mut arcs = Vec::new();
    for (place, token) in (1u32..).zip(&sentence.tokens) {
        if let Some(head) = token.head.filter(|head| head.index() <= sentence.len()) {
            arcs.push(pleach_graph::Arc { head, dependent: NodeId(place), label: token.deprel.clone() });
        }
    }
    Graph::from_arcs(sentence.len(), arcs)
}

fn mark_name(mark: Mark) -> &'static str {
    match mark {
        Mark::Same => "",
        Mark::Missing => "missing",
        Mark::Spurious => "spurious",
        Mark::Relabelled => "relabelled",
    }
}

/// `w3` for the fourth word, `l0` for the first link.
fn owner_name(owner: Owner) -> String {
    match owner {
        Owner::None => String::new(),
        Owner::Word(word) => format!("w{word}"),
        Owner::Link(link) => format!("l{link}"),
    }
}

/// Shapes as the page draws them: class, owner, and a path, or place and text, or a box.
fn scene_json(scene: &Scene) -> Value {
    let shape = |(shape, owner): (&Shape, &Owner)| {
        let owner = owner_name(*owner);
        match shape {
            Shape::Path(class, path) => json!([class.name(), owner, path]),
            Shape::Text { class, x, y, text } => json!([class.name(), owner, x, y, text]),
            Shape::Box { class, x, y, width, height } => json!([class.name(), owner, x, y, width, height]),
        }
    };
    let shapes: Vec<Value> = scene.shapes.iter().zip(&scene.owners).map(shape).collect();
    json!({"width": scene.width, "height": scene.height, "rtl": scene.right_to_left, "shapes": shapes})
}

fn drawing(scene: &Scene, picture: &Picture) -> Value {
    let words: Vec<Value> = picture
        .words
        .iter()
        .map(|word| {
            json!({"id": word.id, "form": word.form, "lemma": word.lemma, "tag": word.tag, "empty": word.empty,
                   "mark": mark_name(word.mark)})
        })
        .collect();
    let links: Vec<Value> = picture
        .links
        .iter()
        .map(|link| {
            let labels: Vec<Value> =
                link.labels.iter().map(|label| json!([label.text, mark_name(label.mark)])).collect();
            // Words by their place, from 0; the root is -1.
            json!({"head": i64::from(link.head.0) - 1, "dependent": i64::from(link.dependent.0) - 1,
                   "labels": labels, "mark": mark_name(link.mark)})
        })
        .collect();
    let mut drawing = scene_json(scene);
    drawing["words"] = words.into();
    drawing["links"] = links.into();
    drawing["description"] = scene.description.clone().into();
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence() -> Sentence {
        let mut sentence = Sentence::from_forms(["a", "b", "c"]);
        for (head, dependent, label) in [(0, 1, "root"), (1, 2, "x"), (1, 3, "z"), (2, 3, "y")] {
            sentence.graph.insert(NodeId(head), NodeId(dependent), label.into());
        }
        for (token, (head, label)) in sentence.tokens.iter_mut().zip([(0, "root"), (1, "w"), (2, "y")]) {
            (token.head, token.deprel) = (Some(NodeId(head)), label.into());
        }
        sentence
    }

    #[test]
    fn tree_and_graph_together_mark_what_differs() {
        let draw = Draw { basis: Shown::Both, ..Draw::default() };
        let drawing = draw.json(&sentence(), None).unwrap();
        assert_eq!(drawing["differences"], json!({"missing": 0, "spurious": 1, "relabelled": 1}));
        let plain = Draw::default().json(&sentence(), None).unwrap();
        assert!(plain.get("differences").is_none());
    }

    #[test]
    fn shapes_say_what_they_belong_to() {
        let drawing = Draw { width: Some(120), ..Draw::default() }.json(&sentence(), None).unwrap();
        let shapes = drawing["shapes"].as_array().unwrap();
        for (number, link) in drawing["links"].as_array().unwrap().iter().enumerate() {
            let owner = format!("l{number}");
            let own: Vec<&Value> = shapes.iter().filter(|shape| shape[1] == owner.as_str()).collect();
            assert!(
                own.iter().any(|shape| shape[4] == link["labels"][0][0]),
                "{owner} has no label: {own:?}"
            );
        }
        assert_eq!(drawing["words"][2]["form"], "c");
        assert_eq!(drawing["links"][0]["head"], -1);
    }
}
