//! `pleach serve` as a process: its answers are those of `pleach parse`, and SIGTERM ends it.

#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

const TEXT: &str = "The company that Mark wants to buy is small.  She can't!\n\n“Größe”, he said\tand slept.\n\n\n1. One 2. Two";

/// A service that ends with the test.
struct Service {
    child: Child,
    addr: String,
}

impl Service {
    fn start(arguments: &[&str]) -> Service {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
            .args(["serve", "--addr", "127.0.0.1:0", "--log", "off"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let addr = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        Service { addr: addr.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned(), child }
    }

    fn post(&self, path: &str, kind: &str, accept: &str, body: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        let head = format!(
            "POST {path} HTTP/1.0\r\nhost: localhost\r\ncontent-type: {kind}\r\naccept: {accept}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        assert!(answer.starts_with(b"HTTP/1.0 200"), "{}", String::from_utf8_lossy(&answer));
        answer.split_off(end + 4)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_pleach")).arg("parse").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn answers_are_those_of_parse_to_the_byte() {
    let service = Service::start(&[]);
    for (format, accept) in
        [("conllu", "text/x-conllu"), ("mrp", "application/x-mrp"), ("sdp2015", "text/x-sdp")]
    {
        let expected = parse(&["--text", TEXT, "--to", format]);
        assert!(!expected.is_empty());
        let answer = service.post("/v1/parse", "text/plain", accept, TEXT.as_bytes());
        assert_eq!(String::from_utf8_lossy(&answer), String::from_utf8_lossy(&expected), "{format}");
    }
    // A text of many paragraphs comes in a stream, and ranges count characters of the whole.
    let long = TEXT.repeat(200);
    let expected = parse(&["--text", &long, "--to", "conllu", "--ranges"]);
    let answer = service.post("/v1/parse?ranges=true", "text/plain", "text/x-conllu", long.as_bytes());
    assert!(answer.len() > 300_000 && answer == expected);
    // Sentences that were parsed before, with other options.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.conllu");
    let sentences = parse(&["--text", TEXT, "--to", "conllu"]);
    std::fs::write(&file, &sentences).unwrap();
    let options = ["--tags", "predicted", "--ensure", "rooted,connected"];
    let expected = parse(&[&[file.to_str().unwrap()][..], &options].concat());
    let query = "/v1/parse?tags=predicted&ensure=rooted,connected";
    assert_eq!(service.post(query, "text/x-conllu", "*/*", &sentences), expected);
}

#[cfg(unix)]
#[test]
fn sigterm_ends_it_well() {
    let mut service = Service::start(&["--threads", "1"]);
    assert!(!service.post("/v1/parse", "text/plain", "*/*", b"Mark sleeps.").is_empty());
    let pid = service.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(service.child.wait().unwrap().success());
}

/// Nothing of a text is logged, unless that is asked for.
#[test]
fn logs_have_no_text() {
    for (more, logged) in [(&[][..], false), (&["--log-text"][..], true)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
            .args(["serve", "--addr", "127.0.0.1:0", "--log-format", "json"])
            .args(more)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let addr = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        let service = Service { child, addr };
        service.post("/v1/parse", "text/plain", "*/*", b"Xyzzyplugh sleeps.");
        service.post("/process", "application/x-www-form-urlencoded", "*/*", b"tokenizer=&data=Xyzzyplugh");
        drop(service);
        let mut rest = String::new();
        log.read_to_string(&mut rest).unwrap();
        assert_eq!(rest.contains("Xyzzyplugh"), logged, "{rest}");
        assert!(rest.contains("\"path\":\"/v1/parse\"") && rest.contains("\"status\":200"), "{rest}");
        assert!(rest.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{rest}");
    }
}

#[test]
fn nonsense_is_refused() {
    for arguments in
        [&["-m", "a/b"][..], &["-m", "en", "-m", "en"], &["--max-words", "0"], &["--addr", "nowhere"]]
    {
        let output =
            Command::new(env!("CARGO_BIN_EXE_pleach")).arg("serve").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let output =
        Command::new(env!("CARGO_BIN_EXE_pleach")).args(["serve", "-m", "x=no.pleach"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}
