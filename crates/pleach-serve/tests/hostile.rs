//! Thousands of mutated requests: no panic, no hang, no error of ours.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed")]

mod common;

use common::{Running, parse_answer, request};
use pleach_serve::Limits;
use std::io::{Read, Write};
use std::time::Duration;

/// How many clients send at a time.
const THREADS: u64 = 12;

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

const CONLLU: &str = "# sent_id = a\n# text = Mark can't\n1\tMark\tMark\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj|2.1:x\t_\n2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n\
2\tca\tcan\tAUX\tMD\t_\t0\troot\t0:root\tSpaceAfter=No\n2.1\t_\t_\t_\t_\t_\t_\t_\t2:conj>e\t_\n3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t2:advmod\t_\n\n";

fn seeds() -> Vec<Vec<u8>> {
    let json = |path: &str, body: &str| {
        request("POST", path, &[("content-type", "application/json")], body.as_bytes())
    };
    let sentence = r#"{"id":"x","tokens":[{"id":"1","form":"a","upos":"X","head":"0","deprel":"root"},{"id":"1.1","form":"e"},{"id":"2","form":"b"}],"multiwords":[{"first":1,"last":2,"form":"ab"}],"arcs":[{"head":"1","dependent":"2","label":"x"},{"head":"1.1","dependent":"1","label":"y"}]}"#;
    let gold = serde_json::to_string(CONLLU).unwrap();
    vec![
        json("/v1/parse", r#"{"text":"Mark wants to sleep. He can't!","ensure":"rooted,acyclic","draw":{"width":300,"basis":"both"}}"#),
        json("/v1/parse", &format!(r#"{{"sentences":[["Mark","sleeps"],{sentence}],"tags":"predicted","format":"ndjson"}}"#)),
        request("POST", "/v1/parse?format=mrp&ranges=true", &[("content-type", "text/plain")], "Größe 你好 <b>\u{202e}x".as_bytes()),
        request("POST", "/v1/parse", &[("content-type", "text/x-conllu"), ("accept", "image/svg+xml")], CONLLU.as_bytes()),
        request("POST", "/v1/convert?to=sdp2015&from=conllu", &[], CONLLU.as_bytes()),
        request("POST", "/v1/convert?to=json&on_error=skip", &[("content-type", "application/octet-stream")], CONLLU.as_bytes()),
        json("/v1/convert?to=svg", &format!(r#"{{"sentences":[{sentence}]}}"#)),
        json("/v1/eval", &format!(r#"{{"gold":{gold},"system":{gold},"metric":"eud"}}"#)),
        json("/v1/eval", &format!(r#"{{"gold":[{sentence}],"system":[{sentence}],"second":[{sentence}]}}"#)),
        json("/v1/oracle", &format!(r#"{{"sentences":[{sentence}],"system":"sl-standard-rev","root":"first","self_arcs":true}}"#)),
        request("POST", "/v1/oracle?system=ss-combined", &[("content-type", "text/x-conllu")], CONLLU.as_bytes()),
        json("/v1/draw", &format!(r#"{{"sentences":[{sentence}],"against":[{sentence}],"draw":{{"width":200,"pages":"above"}}}}"#)),
        request("POST", "/process", &[("content-type", "application/x-www-form-urlencoded")], b"tokenizer=ranges&tagger=&parser=&data=Mark+can%27t%0A"),
        request("POST", "/process", &[("content-type", "multipart/form-data; boundary=x")], b"--x\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\nMark sleeps.\r\n--x\r\nContent-Disposition: form-data; name=\"tokenizer\"\r\n\r\n\r\n--x--\r\n"),
        request("GET", "/process?data=a%20b&input=horizontal&parser=&output=vertical", &[], b""),
        request("GET", "/v1/models", &[("authorization", "Bearer x")], b""),
    ]
}

const PIECES: [&[u8]; 24] = [
    b"\r\n\r\n",
    b"\n",
    b"\t",
    b"\0",
    b"\xff",
    b"\xc3",
    b"{",
    b"}",
    b"[[[[[[[[",
    b"\"",
    b":",
    b"-1",
    b"99999999999999999999",
    b"1e999",
    b"null",
    b"%",
    b"%ff%00",
    b"..%2f",
    b"\"beam\":3,",
    b"1.1",
    b"_",
    b"Transfer-Encoding: chunked\r\n",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
];

/// Changes a request; its length is told anew, unless that is the mutation.
fn mutate(seed: &[u8], seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let split = seed.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    let (mut head, mut body) = (seed[..split].to_vec(), seed[split..].to_vec());
    let in_head = random.below(4) == 0 || body.is_empty();
    for _ in 0..1 + random.below(4) {
        let part = if in_head { &mut head } else { &mut body };
        let at = random.below(part.len());
        match random.below(7) {
            0 if !part.is_empty() => part[at] = random.next() as u8,
            1 if !part.is_empty() => drop(part.remove(at)),
            2 => part.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied()).for_each(drop),
            3 => part.truncate(at),
            4 => {
                let end = (at + random.below(40)).min(part.len());
                let copy = part[at..end].to_vec();
                part.splice(at..at, copy).for_each(drop);
            }
            5 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let piece = other[from..(from + random.below(60)).min(other.len())].to_vec();
                part.splice(at..at, piece).for_each(drop);
            }
            _ => {
                let end = (at + random.below(30)).min(part.len());
                part.drain(at..end);
            }
        }
    }
    if !in_head {
        let text = String::from_utf8_lossy(&head).into_owned();
        let kept: Vec<&str> = text
            .split("\r\n")
            .filter(|line| !line.starts_with("content-length") && !line.is_empty())
            .collect();
        head = format!("{}\r\ncontent-length: {}\r\n\r\n", kept.join("\r\n"), body.len()).into_bytes();
    }
    head.extend(body);
    head
}

fn send(service: &Running, bytes: &[u8]) -> u16 {
    let mut stream = service.connect();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The service may close before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => answer.extend_from_slice(&buffer[..n]),
            Err(error)
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) =>
            {
                panic!("a hang after {:?}", String::from_utf8_lossy(bytes));
            }
            Err(_) => break,
        }
    }
    parse_answer(&answer, true).status
}

#[test]
fn mutated_requests_are_answered_or_refused() {
    let seeds = seeds();
    let patient = common::default();
    for seed in &seeds {
        let status = send(&patient, seed);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(seed));
    }
    // Many mutations leave a request without its end: the service waits for that, but not long.
    let service = common::limited(Limits { patience: Duration::from_millis(150), ..Limits::default() });
    let rounds = std::env::var("PLEACH_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(3000);
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (addr_seeds, service_addr) = (seeds.clone(), service.addr);
            std::thread::spawn(move || {
                let service = Running::at(service_addr);
                let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ ((thread + 1) * 7919));
                let mut statuses = std::collections::BTreeMap::new();
                for _ in 0..rounds / THREADS {
                    let seed = random.below(addr_seeds.len());
                    let bytes = mutate(&addr_seeds[seed], &addr_seeds, &mut random);
                    let status = send(&service, &bytes);
                    assert!(
                        status < 500 || status == 503,
                        "{status} for {:?}",
                        String::from_utf8_lossy(&bytes)
                    );
                    *statuses.entry(status).or_insert(0) += 1;
                }
                statuses
            })
        })
        .collect();
    let mut all = std::collections::BTreeMap::new();
    for thread in threads {
        for (status, count) in thread.join().unwrap() {
            *all.entry(status).or_insert(0) += count;
        }
    }
    println!("answers: {all:?}");
    assert!(
        all.get(&200).is_some_and(|&count| count > 50) && all.contains_key(&400) && all.contains_key(&422),
        "{all:?}"
    );
    assert_eq!(service.get("/healthz").status, 200);
    assert_eq!(service.metric("pleach_pieces_panicked"), 0.0);
    assert_eq!(service.metric("pleach_handler_panics_total"), 0.0);
    service.wait_for("pleach_requests_in_flight", |value| value == 0.0);
}
