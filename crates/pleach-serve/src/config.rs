//! How the service is set up.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// What a request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest body, in bytes; what it unpacks to included.
    pub body: usize,
    /// The most words of a sentence.
    pub words: usize,
    /// The longest time that a request may take once its body is there.
    pub time: Duration,
    /// The longest time that a request's head or body may take to arrive, and an answer to be fetched without progress.
    pub patience: Duration,
    /// The most requests that are worked on at a time; one more is turned away at once.
    pub requests: usize,
    /// The most open connections.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body: 4 << 20,
            words: 1000,
            time: Duration::from_secs(60),
            patience: Duration::from_secs(30),
            requests: 64,
            connections: 1024,
        }
    }
}

/// How the service is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens.
    pub addr: SocketAddr,
    /// Models by name; the built-in one when there are none. The first one is the default.
    pub models: Vec<(String, PathBuf)>,
    /// Threads that parse; all cores for 0.
    pub threads: usize,
    /// What a request may cost.
    pub limits: Limits,
    /// Tokens, of which a request must have one; none when everyone may ask.
    pub tokens: Vec<String>,
    /// Origins whose pages may ask (`https://example.org`).
    pub cors: Vec<String>,
    /// Host names by which the service may be called besides its address.
    pub hosts: Vec<String>,
    /// Whether the log may have the texts.
    pub log_text: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            addr: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7878),
            models: Vec::new(),
            threads: 0,
            limits: Limits::default(),
            tokens: Vec::new(),
            cors: Vec::new(),
            hosts: Vec::new(),
            log_text: false,
        }
    }
}
