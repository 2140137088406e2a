//! `pleach serve`: a service to call and a page to look at.

use crate::failure::Failure;
use crate::output;
use clap::ValueEnum;
use pleach_serve::{Config, Limits, LogFormat};
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  pleach serve                                          built-in English; the page is at http://127.0.0.1:7878/
  pleach serve -m en -m zh=models/zh.pleach             several models, the first one is the default
  curl -d 'Mark sleeps.' -H 'content-type: text/plain' 127.0.0.1:7878/v1/parse
  curl -d 'data=Mark sleeps.&tokenizer=&tagger=&parser=' 127.0.0.1:7878/process
                                                        UDPipe's interface, for its clients
  pleach serve --addr 0.0.0.0:80 --token-file tokens    everyone who has a token may ask

Paths: /v1/parse, /v1/convert, /v1/eval, /v1/oracle, /v1/draw, /v1/models; /process and /models as UDPipe's;
/openapi.json, /healthz, /readyz, /metrics. How to run it for others: docs/deploy.md.

Nothing of the texts is logged, unless --log-text is given. SIGTERM finishes what is in flight.";

/// Serve parsing over HTTP, with a page to look at graphs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model, as NAME=MODEL or as the name of an installed one; may be given several times [default: the built-in
    /// English model]
    #[arg(short, long, value_name = "NAME=MODEL")]
    model: Vec<Named>,

    /// Where to listen
    #[arg(long, value_name = "ADDR", default_value_t = Config::default().addr)]
    addr: SocketAddr,

    /// Threads that parse; all cores when not given
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,

    /// A file with bearer tokens, one a line, of which requests must have one
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// An origin whose pages may ask, such as https://example.org; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,

    /// A host name by which the service is called besides its address; may be given several times
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,

    /// The largest body, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().body)]
    max_body: usize,

    /// The most words of a sentence
    #[arg(long, value_name = "N", default_value_t = Limits::default().words)]
    max_words: usize,

    /// The longest time that a request may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().time.as_secs())]
    max_time: u64,

    /// The most requests that are worked on at a time; more are told to come back
    #[arg(long, value_name = "N", default_value_t = Limits::default().requests)]
    max_requests: usize,

    /// The most open connections
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections)]
    max_connections: usize,

    /// How long a client may take to send a request or to take an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().patience.as_secs())]
    patience: u64,

    /// What is logged: off, error, warn, info
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: String,

    /// How it is logged
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    log_format: Lines,

    /// Everything that is said is JSON: `--log-format json`, and on standard output one object when the service listens
    #[arg(long)]
    json: bool,

    /// Put the texts into the log
    #[arg(long)]
    log_text: bool,
}

/// What lines of the log look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Lines {
    /// For people
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// A model and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named(String, PathBuf);

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').unwrap_or((text, text));
        if name.is_empty() || path.is_empty() || name.contains(['/', '\\']) {
            return Err("expected NAME=MODEL, or the name of an installed model".to_owned());
        }
        Ok(Named(name.to_owned(), PathBuf::from(path)))
    }
}

/// Runs the verb.
#[allow(clippy::print_stderr, reason = "where the page is, is for people")]
pub fn run(args: Args) -> Result<(), Failure> {
    if args.max_requests == 0 || args.max_words == 0 || args.max_connections == 0 {
        return Err(Failure::Usage("limits are at least 1".to_owned()));
    }
    let mut names: Vec<&str> = args.model.iter().map(|model| model.0.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Failure::Usage(format!("two models are named {}", twice[0])));
    }
    let tokens = match &args.token_file {
        None => Vec::new(),
        Some(path) => {
            let text = std::fs::read_to_string(path)?;
            let tokens: Vec<String> =
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
            if tokens.is_empty() {
                return Err(Failure::Usage(format!("{}: no token", path.display())));
            }
            tokens
        }
    };
    let config = Config {
        addr: args.addr,
        models: args.model.into_iter().map(|Named(name, path)| (name, path)).collect(),
        threads: args.threads,
        limits: Limits {
            body: args.max_body,
            words: args.max_words,
            time: Duration::from_secs(args.max_time),
            patience: Duration::from_secs(args.patience),
            requests: args.max_requests,
            connections: args.max_connections,
        },
        tokens,
        cors: args.cors,
        hosts: args.host,
        log_text: args.log_text,
    };
    let format = match args.log_format {
        Lines::Text if !args.json => LogFormat::Text,
        _ => LogFormat::Json,
    };
    pleach_serve::start_log(format, &args.log);
    let open = config.tokens.is_empty();
    let exposed = !args.addr.ip().is_loopback() && open;
    pleach_serve::run(config, |server| {
        let addr = server.addr().unwrap_or(args.addr);
        if args.json {
            let listening = json!({
                "address": format!("http://{addr}/"), "threads": server.threads(), "models": server.models(),
                "needs_token": !open,
            });
            // Nobody may be reading; the service goes on.
            let _ = output::print(format_args!("{listening}\n"));
            return;
        }
        let models = server.models().join(", ");
        eprintln!("listening on http://{addr}/ with {} threads and the models {models}", server.threads());
        if exposed {
            eprintln!("anyone who can reach {addr} may ask: consider --token-file");
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_names() {
        let named = |text: &str| text.parse::<Named>().ok();
        assert_eq!(named("en"), Some(Named("en".into(), "en".into())));
        assert_eq!(named("zh=a/b.pleach"), Some(Named("zh".into(), "a/b.pleach".into())));
        assert_eq!((named("a/b.pleach"), named("=x"), named("x=")), (None, None, None));
    }
}
