//! What the service refuses, stops and survives.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

mod common;

use common::{config, request};
use pleach_serve::{Config, Limits};
use serde_json::json;
use std::io::{Read, Write};
use std::time::Duration;

const PLAIN: [(&str, &str); 1] = [("content-type", "text/plain")];

fn long_text(sentences: usize) -> String {
    "The company that Mark wants to buy is small, and she bought and ate an apple.\n\n".repeat(sentences)
}

#[test]
fn bodies_and_sentences_have_limits() {
    let service = common::limited(Limits { body: 1000, words: 20, ..Limits::default() });
    let post = |text: &str| service.ask("POST", "/v1/parse", &PLAIN, text.as_bytes());
    assert_eq!(post(&"a ".repeat(600)).error(), (413, "body_too_large".into()));
    assert_eq!(post(&"word ".repeat(30)).error(), (422, "sentence_too_long".into()));
    assert_eq!(post("Mark sleeps.").status, 200);
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    // A gzip file of 100,000 spaces, made by hand: one stored block after another would be long, so fixed Huffman codes.
    let service = common::limited(Limits { body: 4096, ..Limits::default() });
    let packed = gzip_of_spaces();
    assert!(packed.len() < 1000);
    let answer = service.ask("POST", "/v1/convert?to=json&from=conllu", &[], &packed);
    assert_eq!(answer.error(), (413, "body_too_large".into()));
}

/// 66,306 spaces: a literal and 257 matches of length 258 at distance 1.
fn gzip_of_spaces() -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    let mut put = |value: u32, count: u32, msb_first: bool| {
        for i in 0..count {
            let at = if msb_first { count - 1 - i } else { i };
            bits.push(value >> at & 1 == 1);
        }
    };
    put(1, 1, false);
    put(1, 2, false);
    put(0x30 + 0x20, 8, true);
    for _ in 0..257 {
        put(0b1100_0101, 8, true);
        put(0, 5, true);
    }
    put(0, 7, true);
    let mut bytes = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3];
    for chunk in bits.chunks(8) {
        bytes.push(chunk.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i));
    }
    bytes.extend([0; 8]);
    bytes
}

#[test]
fn a_full_service_says_so_at_once_and_still_tells_its_health() {
    let service = common::limited(Limits { requests: 1, ..Limits::default() });
    // A request whose body is not there yet holds the only permit.
    let mut slow = service.connect();
    let whole = request("POST", "/v1/parse", &PLAIN, b"Mark sleeps.");
    slow.write_all(&whole[..whole.len() - 4]).unwrap();
    service.wait_for("pleach_requests_in_flight", |value| value == 1.0);
    let refused = service.ask("POST", "/v1/parse", &PLAIN, b"Mark sleeps.");
    assert_eq!(refused.error(), (503, "too_many_requests".into()));
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(service.get("/healthz").status, 200);
    assert_eq!(service.get("/v1/models").status, 200);
    slow.write_all(&whole[whole.len() - 4..]).unwrap();
    assert_eq!(common::read_answer(&mut slow).status, 200);
    service.wait_for("pleach_requests_in_flight", |value| value == 0.0);
    assert_eq!(service.ask("POST", "/v1/parse", &PLAIN, b"Mark sleeps.").status, 200);
    assert_eq!(service.metric("pleach_rejected_total"), 1.0);
}

#[test]
fn requests_have_their_time() {
    let service = common::limited(Limits { time: Duration::from_millis(1), ..Limits::default() });
    let answer = service.ask("POST", "/v1/parse", &PLAIN, long_text(3000).as_bytes());
    assert_eq!(answer.error(), (503, "time_limit".into()));
    service.wait_for("pleach_threads_busy", |value| value == 0.0);
    service.wait_for("pleach_jobs_waiting", |value| value == 0.0);
}

#[test]
fn a_client_that_goes_away_stops_its_work() {
    let service = common::default();
    let text = long_text(40_000);
    let headers = [("content-type", "text/plain"), ("accept", "application/x-ndjson")];
    let mut client = service.connect();
    client.write_all(&request("POST", "/v1/parse", &headers, text.as_bytes())).unwrap();
    let mut first = [0; 400];
    client.read_exact(&mut first).unwrap();
    drop(client);
    service.wait_for("pleach_abandoned_total", |value| value >= 1.0);
    service.wait_for("pleach_threads_busy", |value| value == 0.0);
    service.wait_for("pleach_requests_in_flight", |value| value == 0.0);
    let parsed = service.metric("pleach_sentences_total");
    assert!(parsed < 20_000.0, "{parsed} sentences were parsed for nobody");
}

#[test]
fn a_client_that_goes_away_before_its_answer_stops_its_work_too() {
    let service = common::default();
    let mut client = service.connect();
    let headers = [("content-type", "text/plain"), ("accept", "image/svg+xml")];
    let text = "word ".repeat(900) + "\n\n";
    client.write_all(&request("POST", "/v1/parse", &headers, text.repeat(45).as_bytes())).unwrap();
    service.wait_for("pleach_requests_in_flight", |value| value == 1.0);
    drop(client);
    service.wait_for("pleach_abandoned_total", |value| value >= 1.0);
    service.wait_for("pleach_requests_in_flight", |value| value == 0.0);
}

#[test]
fn small_requests_are_not_stuck_behind_a_huge_one() {
    let service = common::default();
    let text = long_text(20_000);
    let mut huge = service.connect();
    let headers = [("content-type", "text/plain"), ("accept", "application/x-ndjson")];
    huge.write_all(&request("POST", "/v1/parse", &headers, text.as_bytes())).unwrap();
    let mut first = [0; 400];
    huge.read_exact(&mut first).unwrap();
    let (say, heard) = std::sync::mpsc::channel();
    let reading = say.clone();
    let reader = std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = huge.read_to_end(&mut rest);
        let _ = reading.send("huge");
    });
    for _ in 0..5 {
        assert_eq!(service.ask("POST", "/v1/parse", &PLAIN, b"Mark sleeps.").status, 200);
    }
    say.send("small").unwrap();
    assert_eq!(heard.recv().unwrap(), "small", "the huge request was over first");
    drop(reader);
}

#[test]
fn slow_and_half_open_clients_are_let_go() {
    let service = common::limited(Limits { patience: Duration::from_millis(300), ..Limits::default() });
    // Nothing at all, half a head, half a body.
    for start in [&b""[..], b"POST /v1/parse HTTP/1.1\r\nhost: loc"] {
        let mut client = service.connect();
        client.write_all(start).unwrap();
        let answer = common::read_answer(&mut client);
        assert!(answer.status == 0 || answer.status == 408, "{answer:?}");
    }
    let mut client = service.connect();
    let whole = request("POST", "/v1/parse", &PLAIN, b"Mark sleeps.");
    client.write_all(&whole[..whole.len() - 4]).unwrap();
    assert_eq!(common::read_answer(&mut client).error(), (408, "slow_request".into()));
    service.wait_for("pleach_connections", |value| value <= 1.0);
}

#[test]
fn an_answer_that_nobody_takes_is_given_up() {
    let service = common::limited(Limits { patience: Duration::from_millis(500), ..Limits::default() });
    let mut client = service.connect();
    let headers = [("content-type", "text/plain"), ("accept", "application/x-ndjson")];
    client.write_all(&request("POST", "/v1/parse", &headers, long_text(40_000).as_bytes())).unwrap();
    service.wait_for("pleach_abandoned_total", |value| value >= 1.0);
    service.wait_for("pleach_requests_in_flight", |value| value == 0.0);
    drop(client);
}

#[test]
fn too_many_connections_are_turned_away() {
    let service = common::limited(Limits { connections: 1, ..Limits::default() });
    let first = service.connect();
    // The second one is heard only once the first was accepted.
    let answer = common::read_answer(&mut service.connect());
    assert_eq!((answer.error(), answer.header("retry-after")), ((503, "too_many_connections".into()), "1"));
    drop(first);
}

#[test]
fn ending_finishes_what_is_in_flight() {
    let mut service = common::default();
    let mut client = service.connect();
    let headers = [("content-type", "text/plain"), ("accept", "application/x-ndjson")];
    client.write_all(&request("POST", "/v1/parse", &headers, long_text(300).as_bytes())).unwrap();
    let mut bytes = vec![0; 100];
    client.read_exact(&mut bytes).unwrap();
    service.ask_to_end();
    client.read_to_end(&mut bytes).unwrap();
    let answer = common::parse_answer(&bytes, true);
    assert!(answer.whole, "the answer was cut off");
    assert_eq!(answer.text().lines().count(), 300);
    service.wait();
    assert!(std::net::TcpStream::connect(service.addr).is_err(), "it still listens");
}

#[test]
fn tokens_origins_and_hosts_are_checked() {
    let tokens = vec!["secret".to_owned()];
    let service = common::start(Config { tokens, cors: vec!["https://a.example".into()], ..config() });
    let post = |headers: &[(&str, &str)]| {
        let headers: Vec<(&str, &str)> = PLAIN.iter().chain(headers).copied().collect();
        service.ask("POST", "/v1/parse", &headers, b"Mark sleeps.")
    };
    let answer = post(&[]);
    assert_eq!((answer.error(), answer.header("www-authenticate")), ((401, "unauthorized".into()), "Bearer"));
    assert_eq!(post(&[("authorization", "Bearer wrong")]).status, 401);
    let good = ("authorization", "Bearer secret");
    assert_eq!(post(&[good]).status, 200);
    assert_eq!(service.get("/metrics").status, 401);
    assert_eq!(service.get("/healthz").status, 200);
    assert_eq!(service.get("/").status, 200);
    let foreign = post(&[good, ("origin", "https://b.example")]);
    assert_eq!(foreign.error(), (403, "foreign_origin".into()));
    let allowed = post(&[good, ("origin", "https://a.example")]);
    assert_eq!((allowed.status, allowed.header("access-control-allow-origin")), (200, "https://a.example"));
    assert_eq!(
        service.ask("GET", "/healthz", &[("host", "evil.example")], b"").error(),
        (403, "unknown_host".into())
    );
}

#[test]
fn browsers_are_kept_safe() {
    let service = common::default();
    let page = service.get("/");
    let policy = page.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(!page.text().contains("<style") && !page.text().contains(" style="), "styles inside the page");
    assert!(!page.text().contains(" onclick") && page.text().matches("<script").count() == 1);
    let answer = service.json("/v1/parse", &json!({"text": "<script>alert(1)</script>", "format": "svg"}));
    assert!(!answer.text().contains("<script"), "{}", answer.text());
    for answer in [&page, &answer] {
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert!(answer.header("content-security-policy").contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("access-control-allow-origin"), "");
        assert!(!answer.header("x-request-id").is_empty());
    }
    let named = service.ask("GET", "/healthz", &[("x-request-id", "mine-1")], b"");
    assert_eq!(named.header("x-request-id"), "mine-1");
    let evil = service.ask("GET", "/healthz", &[("x-request-id", "a b\"c")], b"");
    assert_ne!(evil.header("x-request-id"), "a b\"c");
    for file in ["main.js", "service.js", "drawing.js", "relations.js", "stepping.js", "files.js", "page.css"]
    {
        let first = service.get(&format!("/page/{file}"));
        assert_eq!(first.status, 200, "{file}");
        assert!(!first.text().contains("innerHTML"), "{file}");
        let tag = first.header("etag").to_owned();
        let again = service.ask("GET", &format!("/page/{file}"), &[("if-none-match", &tag)], b"");
        assert_eq!(again.status, 304);
    }
}
