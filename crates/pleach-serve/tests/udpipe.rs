//! UDPipe's interface: requests as its documentation and its clients make them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

mod common;

use common::{Answer, Running};

fn form(service: &Running, body: &str) -> Answer {
    service.ask("POST", "/process", &[("content-type", "application/x-www-form-urlencoded")], body.as_bytes())
}

fn result(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.value()["result"].as_str().unwrap().to_owned()
}

/// The columns of all words.
fn rows(conllu: &str) -> Vec<Vec<&str>> {
    let words = conllu.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    words.map(|line| line.split('\t').collect()).collect()
}

#[test]
fn text_is_tokenised_tagged_and_parsed() {
    let service = common::default();
    let answer = form(&service, "tokenizer=&tagger=&parser=&data=Mark+wants+to+sleep.%20He%20can't.");
    assert_eq!(answer.value()["model"], "en");
    let conllu = result(&answer);
    assert!(conllu.starts_with("# generator = Pleach"), "{conllu}");
    assert!(
        conllu.contains(
            "# udpipe_model = en\n# newdoc\n# newpar\n# sent_id = 1\n# text = Mark wants to sleep.\n"
        )
    );
    for row in rows(&conllu) {
        assert_eq!(row.len(), 10);
        if row[0].contains(['-', '.']) {
            continue;
        }
        assert!(!row[3].is_empty() && row[6].parse::<u32>().is_ok() && row[7] != "_", "{row:?}");
    }
    let roots = rows(&conllu).iter().filter(|row| row[6] == "0").count();
    assert_eq!(roots, 2, "a tree has one root: {conllu}");
}

#[test]
fn stages_are_done_as_they_are_asked_for() {
    let service = common::default();
    let tokens = result(&form(&service, "tokenizer=&data=Mark+sleeps."));
    assert!(rows(&tokens).iter().all(|row| row[3] == "_" && row[6] == "_"), "{tokens}");
    let tags = result(&form(&service, "tokenizer=&tagger=&data=Mark+sleeps."));
    assert!(rows(&tags).iter().all(|row| row[3] != "_" && row[6] == "_" && row[8] == "_"), "{tags}");
    let given = "1%09Mark%09_%09X%09_%09_%09_%09_%09_%09_%0A%0A";
    let parsed = result(&form(&service, &format!("parser=&data={given}")));
    assert_eq!((rows(&parsed)[0][3], rows(&parsed)[0][6]), ("X", "0"));
    // Tagging leaves trees and graphs as they came, wrong or not.
    let tree = "1%09Mark%09_%09_%09_%09_%092%09odd%092:odd%09_%0A2%09sleeps%09_%09_%09_%09_%090%09root%090:root%09_%0A%0A";
    let tagged = result(&form(&service, &format!("tagger=&data={tree}")));
    let first = &rows(&tagged)[0];
    assert_eq!((first[3], first[6], first[7], first[8]), ("PROPN", "2", "odd", "2:odd"), "{tagged}");
}

#[test]
fn inputs_and_outputs_of_its_documentation() {
    let service = common::default();
    let horizontal =
        result(&form(&service, "input=horizontal&tagger=&parser=&data=Mark+sleeps+.%0AHe+wakes+.%0A"));
    assert_eq!(rows(&horizontal).len(), 6);
    let vertical =
        result(&form(&service, "input=vertical&output=horizontal&tagger=&data=Mark%0Asleeps%0A%0AHe%0A"));
    assert_eq!(vertical, "Mark sleeps\nHe\n");
    let lines = result(&form(&service, "tokenizer=presegmented&output=vertical&data=One.+Two.%0AThree.%0A"));
    assert_eq!(lines, "One\n.\nTwo\n.\n\nThree\n.\n\n");
    let segmented =
        result(&form(&service, "tokenizer=&output=plaintext%3Dnormalized_spaces&data=He+sleeps.+She+wakes."));
    assert_eq!(segmented, "He sleeps.\nShe wakes.\n");
    let ranges = result(&form(&service, "tokenizer=ranges&data=Mark+sleeps."));
    assert!(ranges.contains("TokenRange=0:4"), "{ranges}");
    // Everything in the address, as in the documentation's first example.
    let get = service.get("/process?tokenizer&tagger&parser&data=Mark%20sleeps.");
    assert_eq!(rows(&result(&get)).len(), 3);
}

#[test]
fn multipart_forms_are_read() {
    let service = common::default();
    let mut body = String::new();
    for (name, value) in [("data", "Mark sleeps.\r\n"), ("tokenizer", ""), ("tagger", ""), ("parser", "")] {
        body.push_str(&format!(
            "--xyz\r\nContent-Type: text/plain; charset=\"utf-8\"\r\nMIME-Version: 1.0\r\n\
             Content-Disposition: form-data; name=\"{name}\"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{value}\r\n"
        ));
    }
    body.push_str("--xyz--\r\n");
    let kind = [("content-type", "multipart/form-data; boundary=\"xyz\"")];
    let answer = service.ask("POST", "/process", &kind, body.as_bytes());
    assert_eq!(rows(&result(&answer)).len(), 3);
}

#[test]
fn models_are_listed_and_errors_are_text() {
    let service = common::default();
    let models = service.get("/models").value();
    assert_eq!(
        models,
        serde_json::json!({"models": {"en": ["tokenizer", "tagger", "parser"]}, "default_model": "en"})
    );
    for (body, status) in [
        ("tokenizer=", 400),
        ("data=x&model=none&tokenizer=", 404),
        ("data=x&output=matxin&tokenizer=", 400),
        ("data=x&input=epe", 400),
        ("data=not+conllu", 422),
    ] {
        let answer = form(&service, body);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (status, "text/plain; charset=utf-8"),
            "{body}"
        );
        assert!(!answer.text().trim().is_empty());
    }
}
