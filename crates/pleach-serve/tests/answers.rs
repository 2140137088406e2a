//! What the service answers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

mod common;

use serde_json::{Value, json};

const TEXT: &str = "The company that Mark wants to buy is small. It sleeps!";

const GOLD: &str = "# sent_id = a\n1\tMark\tMark\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj\t_\n2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t0:root\t_\n\n";

fn plain(service: &common::Running, query: &str, accept: &str) -> common::Answer {
    let headers = [("content-type", "text/plain"), ("accept", accept)];
    service.ask("POST", &format!("/v1/parse{query}"), &headers, TEXT.as_bytes())
}

#[test]
fn text_is_parsed_into_every_format() {
    let service = common::default();
    let conllu = plain(&service, "", "*/*");
    assert_eq!((conllu.status, conllu.header("content-type")), (200, "text/x-conllu; charset=utf-8"));
    assert!(conllu.text().starts_with("# sent_id = 1\n# text = The company that Mark"), "{}", conllu.text());
    assert_eq!(conllu.text().matches("\n\n").count(), 2);
    assert_eq!(plain(&service, "?format=conllu", "application/json").body, conllu.body);

    let mrp = plain(&service, "", "application/x-mrp").text();
    assert_eq!(mrp.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count(), 2);
    let sdp = plain(&service, "", "text/x-sdp").text();
    assert!(sdp.starts_with("#SDP 2015\n") && sdp.matches("#SDP").count() == 1, "{sdp}");
    let svg = plain(&service, "", "image/svg+xml").text();
    roxmltree::Document::parse(&svg).unwrap();

    let json = plain(&service, "", "application/json").value();
    assert_eq!(json["model"], "en");
    assert_eq!(json["sentences"][0]["tokens"][3]["form"], "Mark");
    assert_eq!(json["sentences"][1]["id"], "2");
    let lines = plain(&service, "", "application/x-ndjson").text();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, json["sentences"].as_array().unwrap()[..]);
    assert_eq!(plain(&service, "", "text/html").error(), (406, "not_acceptable".into()));
}

#[test]
fn sentences_are_parsed_as_they_are_tokenised() {
    let service = common::default();
    let words = json!({"sentences": [["Mark", "sleeps"], {"tokens": [{"form": "Sleep", "upos": "X"}, {"form": "!", "upos": "Y"}]}]});
    let answer = service.json("/v1/parse", &words).value();
    assert_eq!(answer["sentences"][0]["tokens"].as_array().unwrap().len(), 2);
    assert_eq!(answer["sentences"][1]["tokens"][0]["upos"], "X", "given tags stay");
    let mut again = words.clone();
    again["tags"] = "predicted".into();
    assert_ne!(service.json("/v1/parse", &again).value()["sentences"][1]["tokens"][0]["upos"], "X");

    let conllu = [("content-type", "text/x-conllu")];
    let parsed = service.ask("POST", "/v1/parse", &conllu, GOLD.as_bytes());
    assert!(parsed.text().starts_with("# sent_id = a\n1\tMark\t"), "{}", parsed.text());
    // Annotation that the model doesn't make is not passed on, unless it is asked for.
    let framed = br#"{"words": [{"form": "Mark", "frame": "mark.01"}, {"form": "sleeps"}]}"#;
    let jsonl = [("content-type", "application/x-pleach-jsonl")];
    assert!(!service.ask("POST", "/v1/parse", &jsonl, framed).text().contains("mark.01"));
    let kept = service.ask("POST", "/v1/parse?keep=true", &jsonl, framed).text();
    assert!(kept.contains("mark.01") && kept.contains("# kept_from_input = FRAME"), "{kept}");
}

#[test]
fn what_is_ensured_and_explained_and_drawn_is_there() {
    let service = common::default();
    let request = json!({"text": TEXT, "ensure": "rooted,connected", "explain": true,
                         "draw": {"width": 500, "basis": "both"}});
    let answer = service.json("/v1/parse", &request).value();
    let drawing = &answer["sentences"][0]["drawing"];
    assert!(drawing["width"].as_i64().unwrap() <= 500 && !drawing["shapes"].as_array().unwrap().is_empty());
    let wide = json!({"text": TEXT, "draw": {"basis": "both"}});
    let wide = service.json("/v1/parse", &wide).value();
    assert!(wide["sentences"][0]["drawing"]["width"].as_i64().unwrap() > 500, "so it was wrapped");
    for sentence in answer["sentences"].as_array().unwrap() {
        assert!(sentence["arcs"].as_array().unwrap().iter().any(|arc| arc["head"] == "0"));
    }
}

#[test]
fn errors_say_what_and_where() {
    let service = common::default();
    let json = |body: Value| service.json("/v1/parse", &body).error();
    assert_eq!(json(json!({})), (400, "no_input".into()));
    assert_eq!(json(json!({"text": "a", "sentences": []})), (400, "no_input".into()));
    assert_eq!(json(json!({"text": "a", "model": "none"})), (404, "unknown_model".into()));
    assert_eq!(json(json!({"text": "a", "beam": 0})), (400, "beam_out_of_range".into()));
    assert_eq!(json(json!({"text": "a", "beam": 2})), (400, "no_beam".into()), "the network has none");
    assert_eq!(json(json!({"text": "a", "ensure": "happy"})), (400, "unknown_guarantee".into()));
    assert_eq!(json(json!({"text": "a", "format": "pdf"})), (400, "unknown_format".into()));
    assert_eq!(json(json!({"txt": "a"})), (400, "malformed_json".into()));
    let post =
        |kind: &str, body: &str| service.ask("POST", "/v1/parse", &[("content-type", kind)], body.as_bytes());
    let broken = post("application/json", "{\n  \"text\": nope}");
    assert_eq!((broken.status, &broken.value()["error"]["line"]), (400, &json!(2)));
    let broken = post("text/x-conllu", "1\ta\n\n");
    assert_eq!(broken.error(), (422, "malformed_input".into()));
    assert_eq!(broken.value()["error"]["line"], 1);
    assert_eq!(post("image/png", "x").error(), (415, "unsupported_media_type".into()));
    assert_eq!(service.get("/nowhere").error(), (404, "no_such_path".into()));
    assert_eq!(service.get("/v1/parse").error(), (405, "method_not_allowed".into()));
    assert_eq!(post("application/octet-stream", "no format at all").error(), (422, "unknown_format".into()));
}

#[test]
fn files_are_converted_and_losses_told() {
    let service = common::default();
    let convert = |query: &str, body: &[u8]| {
        service.ask(
            "POST",
            &format!("/v1/convert?{query}"),
            &[("content-type", "application/octet-stream")],
            body,
        )
    };
    let sdp = convert("to=sdp2015", GOLD.as_bytes());
    assert!(
        sdp.text().starts_with("#SDP 2015") && sdp.header("pleach-losses").contains("basic tree"),
        "{sdp:?}"
    );
    let json = convert("to=json", GOLD.as_bytes()).value();
    assert_eq!(json["sentences"][0]["arcs"][0], json!({"head": "2", "dependent": "1", "label": "nsubj"}));
    let back = service.json("/v1/convert?to=conllu", &json);
    assert_eq!(back.text(), GOLD);
    let bad = format!("{GOLD}1\tbad\n\n{GOLD}");
    assert_eq!(convert("to=conllu&from=conllu", bad.as_bytes()).error(), (422, "malformed_input".into()));
    let kept = convert("to=conllu&from=conllu&on_error=skip", bad.as_bytes());
    assert_eq!((kept.text(), kept.header("pleach-skipped")), (GOLD.repeat(2), "1"));
}

#[test]
fn systems_are_scored() {
    let service = common::default();
    let system = GOLD.replace("2:nsubj", "2:obj");
    let scores = service.json("/v1/eval", &json!({"gold": GOLD, "system": system})).value();
    assert_eq!((&scores["metric"], &scores["ELAS"]["f1"]), (&json!("eud"), &json!(0.5)));
    assert!(scores["table"].as_str().unwrap().contains("ELAS"));
    let two = json!({"gold": GOLD, "system": system, "second": GOLD, "metric": "sdp"});
    assert_eq!(service.json("/v1/eval", &two).value()["systems"][1]["LF"], 1.0);
    let sentence =
        json!([{"tokens": [{"form": "a"}], "arcs": [{"head": "0", "dependent": "1", "label": "root"}]}]);
    let scores = service.json("/v1/eval", &json!({"gold": sentence, "system": sentence})).value();
    assert_eq!(scores["ELAS"]["f1"], 1.0);
    let other = GOLD.replace("sleeps", "walks");
    let unfit = service.json("/v1/eval", &json!({"gold": GOLD, "system": other}));
    assert_eq!(unfit.error(), (422, "files_do_not_fit".into()));
}

/// A small parser that goes step by step.
fn transition_parser(folder: &std::path::Path) -> std::path::PathBuf {
    use pleach::train::{Corpus, Training};
    let gold = pleach::formats::Reader::from_bytes("gold", GOLD.repeat(4).as_bytes(), None).unwrap();
    let train: Vec<_> = gold.collect::<Result<_, _>>().unwrap();
    let mut recipe = pleach::recipe::preset("s2s-combined").unwrap();
    recipe.set("epochs", 1).unwrap();
    let corpus = Corpus { train, dev: Vec::new() };
    let run = Training { recipe, corpus, names: ("train".into(), "dev".into()), fresh: true };
    let path = folder.join("steps.pleach");
    pleach::train::run(run, &path, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    path
}

#[test]
fn derivations_and_comparisons_are_told() {
    let service = common::default();
    let conllu = [("content-type", "text/x-conllu")];
    let told = service.ask("POST", "/v1/oracle?system=s2s-combined", &conllu, GOLD.as_bytes()).value();
    let story = &told["derivations"][0];
    assert_eq!(story["configurations"][0]["buffer"], json!([1, 2, 0]));
    assert_eq!(story["configurations"][2]["transition"], "LEFT-ARC(nsubj)-POP", "{story}");
    assert_eq!(story["sentence"]["tokens"][0]["form"], "Mark");
    // The built-in model decides everything at once: it has no steps to tell.
    let none = service.json("/v1/oracle", &json!({"sentences": [["Mark", "sleeps"]], "model": "en"}));
    assert_eq!(none.error(), (422, "no_steps".into()));
    let folder = tempfile::tempdir().unwrap();
    let steps = transition_parser(folder.path());
    let models = vec![("en".to_owned(), "en".into()), ("steps".to_owned(), steps)];
    let service = common::start(pleach_serve::Config { models, ..common::config() });
    let listed = service.get("/v1/models").value();
    assert_eq!(listed["models"][1]["system"], "s2s-combined");
    let sentence = json!({"sentences": [["Mark", "sleeps"]], "model": "steps"});
    let watched = service.json("/v1/oracle", &sentence).value();
    let steps = watched["derivations"][0]["configurations"].as_array().unwrap();
    let (last, before) = steps.split_last().unwrap();
    assert!(last.get("offers").is_none());
    for (step, next) in before.iter().zip(&steps[1..]) {
        let taken: Vec<&Value> =
            step["offers"].as_array().unwrap().iter().filter(|offer| offer["taken"] == true).collect();
        assert_eq!(taken.len(), 1, "{step}");
        assert_eq!(taken[0]["transition"], next["transition"]);
    }
    let unknown = service.ask("POST", "/v1/oracle?system=none", &conllu, GOLD.as_bytes());
    assert_eq!(unknown.error(), (400, "unknown_system".into()));

    let sentences = json!([{"tokens": [{"form": "a"}, {"form": "b"}, {"form": "c"}], "arcs": [
        {"head": "0", "dependent": "1", "label": "root"}, {"head": "1", "dependent": "2", "label": "x"},
        {"head": "1", "dependent": "3", "label": "y"}, {"head": "2", "dependent": "3", "label": "z"}]}]);
    let trees = service.json("/v1/trees", &json!({"sentences": sentences})).value();
    let trees = trees["trees"][0].as_array().unwrap().clone();
    assert_eq!(trees.len(), 3);
    assert!(trees.iter().all(|tree| tree["arcs"] == 4 && tree["held"].as_u64().unwrap() <= 4));

    let sentence = |label: &str| {
        json!([{"tokens": [{"form": "a"}, {"form": "b"}],
                                         "arcs": [{"head": "1", "dependent": "2", "label": label}]}])
    };
    let drawn =
        service.json("/v1/draw", &json!({"sentences": sentence("x"), "against": sentence("y")})).value();
    assert_eq!(drawn["drawings"][0]["differences"]["relabelled"], 1);
    let different = json!({"sentences": sentence("x"), "against": [["a", "c"]]});
    assert_eq!(service.json("/v1/draw", &different).error(), (422, "different_words".into()));
}

#[test]
fn the_description_names_paths_that_are_there() {
    let service = common::default();
    let description = service.get("/openapi.json").value();
    assert!(description["openapi"].as_str().unwrap().starts_with("3."));
    let paths = description["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 12);
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            let status = service.ask(&method.to_uppercase(), path, &[], b"").status;
            assert!(status != 404 && status != 405, "{method} {path}: {status}");
        }
    }
    let models = service.get("/v1/models").value();
    assert_eq!(models["models"][0]["name"], "en");
}
