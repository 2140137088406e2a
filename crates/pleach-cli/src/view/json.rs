//! What a picture shows, for programs: one JSON object a sentence.

use pleach_render::{Mark, Picture};
use serde_json::{Value, json};

/// Who has something, in a comparison.
fn name(mark: Mark) -> &'static str {
    match mark {
        Mark::Same => "same",
        Mark::Missing => "missing",
        Mark::Spurious => "spurious",
        Mark::Relabelled => "relabelled",
    }
}

/// A sentence with its words and links; `compared` says whether marks mean anything.
pub(super) fn sentence(number: usize, picture: &Picture, compared: bool) -> Value {
    let marked = |mut value: Value, mark: Mark| {
        if compared {
            value["mark"] = name(mark).into();
        }
        value
    };
    let words = picture.words.iter().map(|word| {
        marked(json!({"id": word.id, "form": word.form, "lemma": word.lemma, "tag": word.tag}), word.mark)
    });
    let id = |place: usize| match place {
        0 => "0",
        place => picture.words.get(place - 1).map_or("", |word| word.id.as_str()),
    };
    let links = picture.links.iter().map(|link| {
        let labels = link.labels.iter().map(|label| marked(json!({"label": label.text}), label.mark));
        let (head, dependent) = (id(link.head.index()), id(link.dependent.index()));
        let labels: Vec<Value> = labels.collect();
        marked(json!({"head": head, "dependent": dependent, "labels": labels}), link.mark)
    });
    json!({
        "number": number,
        "id": picture.name,
        "words": words.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
    })
}
