//! A service in this process and a client that speaks plain HTTP.
#![allow(dead_code, reason = "not every test uses everything")]

use pleach_serve::{Config, Limits, Server};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// A running service.
pub struct Running {
    pub addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A configuration with a free port.
pub fn config() -> Config {
    Config { addr: "127.0.0.1:0".parse().unwrap(), threads: 2, ..Config::default() }
}

pub fn start(config: Config) -> Running {
    let (tell, told) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::bind(config).await.unwrap();
            tell.send(server.addr().unwrap()).unwrap();
            server.run(async { drop(stopped.await) }).await;
        });
    });
    Running { addr: told.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
}

pub fn default() -> Running {
    start(config())
}

pub fn limited(limits: Limits) -> Running {
    start(Config { limits, ..config() })
}

impl Running {
    /// A service that someone else has started.
    pub fn at(addr: SocketAddr) -> Running {
        Running { addr, stop: None, thread: None }
    }

    /// Asks the service to end.
    pub fn ask_to_end(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop.send(()).unwrap();
        }
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends a request and reads the whole answer.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(&request(method, path, headers, body)).unwrap();
        read_answer(&mut stream)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub fn json(&self, path: &str, body: &serde_json::Value) -> Answer {
        self.ask("POST", path, &[("content-type", "application/json")], body.to_string().as_bytes())
    }

    /// The value of a metric.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find(|line| line.split(' ').next() == Some(name));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).rsplit(' ').next().unwrap().parse().unwrap()
    }

    /// Waits until a metric has a value.
    pub fn wait_for(&self, name: &str, wanted: impl Fn(f64) -> bool) {
        for _ in 0..600 {
            if wanted(self.metric(name)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{name} stays {}", self.metric(name));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the body came to its end.
    pub whole: bool,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    #[track_caller]
    pub fn value(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The status, and the code of an error.
    #[track_caller]
    pub fn error(&self) -> (u16, String) {
        (self.status, self.value()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}

pub fn read_answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let ended = stream.read_to_end(&mut bytes).is_ok();
    parse_answer(&bytes, ended)
}

pub fn parse_answer(bytes: &[u8], ended: bool) -> Answer {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Answer { status: 0, headers: Vec::new(), body: bytes.to_vec(), whole: false };
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut body = bytes[end + 4..].to_vec();
    let mut whole = ended;
    if headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked") {
        (body, whole) = unchunk(&body);
    }
    Answer { status, headers, body, whole }
}

fn unchunk(mut bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") else { return (body, false) };
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap().trim(), 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        if bytes.len() < end + 2 + size + 2 {
            return (body, false);
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 2 + size + 2..];
    }
}
