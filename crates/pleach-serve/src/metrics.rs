//! Numbers for Prometheus.

use crate::pool::Pool;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::time::Duration;

/// What requests are counted by. Paths are those of the router, so that their number is bounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    path: String,
    status: u16,
}

/// What durations are counted by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct PathLabels {
    path: String,
}

/// The numbers of a running service.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<PathLabels, Histogram>,
    /// Requests turned away because too many were in flight.
    pub rejected: Counter,
    /// Requests whose client went away, or whose time was up.
    pub abandoned: Counter,
    /// Sentences parsed.
    pub sentences: Counter,
    /// Words parsed.
    pub words: Counter,
    /// Handlers that panicked.
    pub panics: Counter,
    in_flight: Gauge,
    waiting: Gauge,
    busy: Gauge,
    pool_panics: Gauge,
    /// Open connections.
    pub connections: Gauge,
}

/// The upper ends of the histogram's buckets, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

impl Metrics {
    /// All at zero.
    pub fn new() -> Metrics {
        let mut registry = Registry::with_prefix("pleach");
        let requests = Family::default();
        let seconds = Family::<PathLabels, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        registry.register("requests", "Requests answered, by path and status", requests.clone());
        registry.register(
            "request_seconds",
            "Time from a request's head to its answer's head",
            seconds.clone(),
        );
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let rejected = counter("rejected", "Requests turned away because too many were in flight");
        let abandoned = counter("abandoned", "Requests whose client went away or whose time was up");
        let sentences = counter("sentences", "Sentences parsed");
        let words = counter("words", "Words parsed");
        let panics = counter("handler_panics", "Handlers that panicked");
        let mut gauge = |name: &str, help: &str| {
            let gauge: Gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let in_flight = gauge("requests_in_flight", "Requests that are worked on");
        let waiting = gauge("jobs_waiting", "Jobs that wait for a parsing thread");
        let busy = gauge("threads_busy", "Parsing threads that are at work");
        let pool_panics = gauge("pieces_panicked", "Pieces of work that panicked");
        let connections = gauge("connections", "Open connections");
        Metrics {
            registry,
            requests,
            seconds,
            rejected,
            abandoned,
            sentences,
            words,
            panics,
            in_flight,
            waiting,
            busy,
            pool_panics,
            connections,
        }
    }

    /// Counts an answer.
    pub fn answered(&self, path: &str, status: u16, time: Duration) {
        self.requests.get_or_create(&RequestLabels { path: path.to_owned(), status }).inc();
        self.seconds.get_or_create(&PathLabels { path: path.to_owned() }).observe(time.as_secs_f64());
    }

    /// Everything in Prometheus' text format.
    pub fn text(&self, pool: &Pool, in_flight: usize) -> String {
        self.in_flight.set(in_flight as i64);
        self.waiting.set(pool.waiting() as i64);
        self.busy.set(pool.busy() as i64);
        self.pool_panics.set(pool.panics() as i64);
        let mut text = String::new();
        // Writing into a string can't fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}
