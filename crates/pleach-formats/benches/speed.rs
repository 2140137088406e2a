//! How fast files are read and written, beside what merely scanning their bytes takes.
//!
//! `cargo bench -p pleach-formats -- [--json] [--rounds N] [FILE]` takes the best of N rounds over FILE, or
//! over a made-up CoNLL-U file. The bytes are in memory: discs are not measured.

#![allow(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot run stops")]

use pleach_formats::{Format, Reader, Writer};
use pleach_graph::Sentence;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Cursor;
use std::time::{Duration, Instant};

fn main() {
    let mut json = false;
    let mut rounds = 10;
    let mut file = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--rounds" => rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(rounds),
            // Cargo passes this one.
            "--bench" => {}
            _ => file = Some(argument),
        }
    }
    let bytes = match &file {
        Some(path) => std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}")),
        None => made_up(20_000).into_bytes(),
    };
    let format = read(&bytes, None).0;
    let sentences = read(&bytes, Some(format)).1;
    let tokens: usize = sentences.iter().map(Sentence::len).sum();

    let scan = best(rounds, || {
        black_box(memchr::memchr2_iter(b'\t', b'\n', &bytes).count());
    });
    let reading = best(rounds, || {
        let reader = Reader::from_read("bench", Box::new(Cursor::new(bytes.clone())), Some(format));
        black_box(reader.expect("the format was detected").filter(Result::is_ok).count());
    });
    let copying = best(rounds, || {
        black_box(bytes.clone());
    });
    let reading = reading.saturating_sub(copying);
    let writing = best(rounds, || {
        let mut writer = Writer::to_write(Box::new(std::io::sink()), format);
        for sentence in &sentences {
            writer.write(sentence).expect("what was read can be written");
        }
        black_box(writer.finish().expect("a sink takes everything"));
    });
    if json {
        println!(
            "{{\"format\": \"{format}\", \"bytes\": {}, \"sentences\": {}, \"tokens\": {tokens}, \"scan\": {}, \"read\": {}, \"write\": {}}}",
            bytes.len(),
            sentences.len(),
            scan.as_secs_f64(),
            reading.as_secs_f64(),
            writing.as_secs_f64()
        );
        return;
    }
    println!(
        "{format}: {} sentences, {tokens} tokens, {} bytes; best of {rounds}",
        sentences.len(),
        bytes.len()
    );
    for (what, time) in [("scan for tabs and line ends", scan), ("read", reading), ("write", writing)] {
        let rate = bytes.len() as f64 / time.as_secs_f64() / 1e6;
        let ratio = time.as_secs_f64() / scan.as_secs_f64();
        println!("{what:28} {:8.2} ms {rate:8.0} MB/s {ratio:6.1} x scan", time.as_secs_f64() * 1e3);
    }
}

fn best(rounds: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..rounds.max(1)).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn read(bytes: &[u8], format: Option<Format>) -> (Format, Vec<Sentence>) {
    let reader =
        Reader::from_read("bench", Box::new(Cursor::new(bytes.to_vec())), format).expect("a known format");
    (reader.format(), reader.map(|sentence| sentence.expect("a well-formed file")).collect())
}

/// A CoNLL-U file with the shape of a treebank, the same on every run.
fn made_up(sentences: usize) -> String {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let words =
        ["the", "of", "pleached", "hedges", "grow", "Überraschung", "词", "internationalisation", ","];
    let tags = ["DET", "ADP", "ADJ", "NOUN", "VERB", "PROPN", "PUNCT"];
    let mut text = String::new();
    for i in 0..sentences {
        let _ = writeln!(text, "# sent_id = made-up-{i}\n# text = a sentence that nobody wrote");
        let len = 3 + random(30);
        for word in 1..=len {
            let form = words[random(words.len())];
            let tag = tags[random(tags.len())];
            let (head, second) = (random(len + 1), 1 + random(len));
            let deps = if word % 9 == 0 && head < second {
                format!("{head}:dep|{second}:conj:and")
            } else {
                format!("{head}:dep")
            };
            let _ = writeln!(
                text,
                "{word}\t{form}\t{form}\t{tag}\tXX\tCase=Nom|Number=Sing\t{head}\tdep\t{deps}\tSpaceAfter=No"
            );
        }
        text.push('\n');
    }
    text
}
