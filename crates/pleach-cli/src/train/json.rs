//! A run for programs: one JSON object for each stage, epoch and end.

use pleach::model::Scores;
use pleach::train::Event;
use serde_json::{Map, Value, json};
use std::path::Path;

fn scores(scores: &Scores) -> Value {
    scores.iter().map(|(name, score)| (name.to_owned(), json!(score))).collect::<Map<_, _>>().into()
}

/// What happened; nothing for single steps, which are many. `seconds` are those of the stage.
pub(super) fn event(event: &Event, seconds: f64) -> Option<Value> {
    Some(match event {
        Event::Stage { name, place } => json!({
            "event": "stage", "name": name,
            "number": place.map(|(number, _)| number), "of": place.map(|(_, all)| all),
        }),
        Event::Prepared { sentences, tokens, choices, templates, epochs, lost } => json!({
            "event": "prepared", "sentences": sentences, "words": tokens, "choices": choices,
            "templates": templates, "epochs": epochs, "arcs": lost.1, "arcs_out_of_reach": lost.0,
        }),
        Event::Resumed { epoch } => json!({"event": "resumed", "epoch": epoch}),
        Event::Step { .. } => return None,
        Event::Epoch { epoch, loss, dev, best, features } => json!({
            "event": "epoch", "epoch": epoch, "seconds": seconds, "wrong": loss,
            "dev": dev.as_ref().map(scores), "best": best, "features": features,
        }),
    })
}

/// The model is there.
pub(super) fn written(output: &Path, best: Option<&(Scores, usize)>) -> Value {
    json!({
        "event": "written", "model": output.display().to_string(),
        "epoch": best.map(|(_, epoch)| epoch), "dev": best.map(|(dev, _)| scores(dev)),
    })
}
