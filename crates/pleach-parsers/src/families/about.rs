//! What a recipe trains, in a line: made from its keys, so that no preset is named twice.

use pleach_model::recipe::{Gives, Recipe};
use pleach_transition::graph::Kind;

/// A line on what a recipe trains.
pub fn about(recipe: &Recipe) -> String {
    let mut line = structure(recipe);
    match recipe.scorer() {
        Some("bilstm") => line += ", by a BiLSTM",
        Some(scorer) if scorer != "linear" => line += &format!(", scored by `{scorer}`"),
        _ => {}
    }
    line
}

fn structure(recipe: &Recipe) -> String {
    let text = |key: &str| recipe.text(key).unwrap_or_default();
    let number = |key: &str| recipe.number(key).unwrap_or_default();
    match recipe.family() {
        "transition" => {
            let title = text("system").parse::<Kind>().map_or("transitions", |kind| kind.about().title);
            let combined = if recipe.flag("combined") { ", combined" } else { "" };
            let reversed = if recipe.flag("reversed") { ", right to left" } else { "" };
            let factored = text("labelling") == "factored";
            let labels = if factored { ", labels of made arcs only" } else { "" };
            format!("{title}{combined}{reversed}{}{labels}", search(recipe))
        }
        "transition-trees" => {
            // The names of the systems are those of the paper, and say it all.
            let system = recipe.name().trim_end_matches("-bilstm").trim_end_matches("-greedy");
            match recipe.scorer() {
                Some("linear") | None => format!("system {system}{}", search(recipe)),
                Some(_) => system.trim_end_matches("-greedy").to_owned(),
            }
        }
        "books" => {
            let pages = match text("pages") {
                "one" => "one page of arcs that don't cross",
                "naive" => "two pages, laid upon each other",
                _ => "two pages, bound by relaxation",
            };
            format!("{pages}, factors {}", text("model"))
        }
        "graph-based-trees" => match (text("trees"), number("order")) {
            ("projective", order) => format!("projective trees, order {order}, exact"),
            ("spanning", _) => "spanning trees, order 1, exact".into(),
            (_, order) => format!("projective trees of order {order}, rearranged"),
        },
        "merging" => match number("iterations") {
            1 => "three trees, put together as they are".into(),
            _ => "three trees that must agree".into(),
        },
        "factorization" if text("loss") == "local" => "every arc on its own".into(),
        "factorization" => {
            let names = [("pc", "argument chains"), ("ac", "head chains"), ("ta", "a tree")];
            let models = text("models");
            let parts: Vec<&str> = models
                .split('+')
                .filter_map(|part| names.iter().find(|(name, _)| *name == part))
                .map(|(_, about)| *about)
                .collect();
            let agree = if parts.len() > 1 { ", made to agree" } else { "" };
            format!("{}{agree}", parts.join(", "))
        }
        "joint" => "tags, lemmas, trees, graphs at once".into(),
        "tokenizer" => "cuts text into sentences, tokens and words".into(),
        "tagger" => "UPOS and XPOS".into(),
        "morphology" => "FEATS".into(),
        "lemmatizer" => "lemmas".into(),
        _ if recipe.gives() == Gives::Everything => match recipe.stage("tagger") {
            None => "from text to graphs: a tokenizer, then one parser".into(),
            Some(_) => "from text to graphs, a linear stage for each step".into(),
        },
        other => format!("family {other}"),
    }
}

fn search(recipe: &Recipe) -> String {
    match recipe.number("beam") {
        Some(1) | None => ", greedy".into(),
        Some(beam) => format!(", beam {beam}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::SHELF;
    use super::*;

    #[test]
    fn every_preset_has_a_short_line_of_its_own() {
        let mut lines = Vec::new();
        for name in SHELF.preset_names() {
            let line = about(&SHELF.preset(&name).unwrap());
            assert!(line.chars().count() <= 56, "{name}: {line}");
            assert!(!line.starts_with("family "), "{name}: say what it is");
            lines.push((line, name));
        }
        lines.sort();
        for pair in lines.windows(2) {
            assert!(pair[0].0 != pair[1].0, "{} and {}: {}", pair[0].1, pair[1].1, pair[0].0);
        }
    }
}
