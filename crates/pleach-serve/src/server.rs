//! Listening, connections, and ending.

use crate::app::{App, StartError};
use crate::config::Config;
use crate::routes;
use crate::stall::Stall;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// How long requests in flight may take once the service is ending, beyond the time of a request.
const GRACE: Duration = Duration::from_secs(5);

/// What a client hears when there are too many connections.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
connection: close\r\ncontent-length: 79\r\n\r\n\
{\"error\":{\"code\":\"too_many_connections\",\"message\":\"too many connections; retry\"}}";

/// A service that listens.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
}

impl Server {
    /// Opens the models and listens.
    ///
    /// # Errors
    /// When a model can't be opened or the address can't be had.
    pub async fn bind(config: Config) -> Result<Server, StartError> {
        for origin in &config.cors {
            if origin != "*"
                && (!origin.contains("://") || axum::http::HeaderValue::from_str(origin).is_err())
            {
                return Err(StartError::Origin(origin.clone()));
            }
        }
        let addr = config.addr;
        let app = Arc::new(App::new(config)?);
        let listener = TcpListener::bind(addr).await;
        let listener =
            listener.map_err(|source| StartError::Io { what: format!("listening on {addr}"), source })?;
        Ok(Server { listener, app })
    }

    /// Where it listens.
    pub fn addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The number of parsing threads.
    pub fn threads(&self) -> usize {
        self.app.pool.threads()
    }

    /// The names of the models.
    pub fn models(&self) -> Vec<String> {
        self.app.models.iter().map(|model| model.name.clone()).collect()
    }

    /// Answers requests until `end` is ready, then finishes those in flight.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Server { listener, app } = self;
        let router = routes::router(Arc::clone(&app));
        let graceful = GracefulShutdown::new();
        let connections = Arc::new(Semaphore::new(app.config.limits.connections));
        let mut end = std::pin::pin!(end);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut end => break,
            };
            let Ok((stream, _)) = accepted else {
                // Out of file descriptors: a pause lets some come free.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else {
                tokio::spawn(turn_away(stream));
                continue;
            };
            // Answers are whole or come in lines that someone waits for.
            let _ = stream.set_nodelay(true);
            let patience = app.config.limits.patience;
            let service = TowerToHyperService::new(router.clone());
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(patience)
                .max_buf_size(64 << 10)
                .serve_connection(TokioIo::new(Stall::new(stream, patience)), service);
            let connection = graceful.watch(connection);
            app.metrics.connections.inc();
            let app = Arc::clone(&app);
            tokio::spawn(async move {
                // A client that breaks off, is too slow or speaks no HTTP is no event for the log.
                let _ = connection.await;
                app.metrics.connections.dec();
                drop(permit);
            });
        }
        drop(listener);
        app.ending.store(true, Ordering::Relaxed);
        tracing::info!(in_flight = app.in_flight(), "ending");
        if tokio::time::timeout(app.config.limits.time + GRACE, graceful.shutdown()).await.is_err() {
            tracing::warn!("some requests did not end in time");
        }
        app.pool.close();
    }
}

/// Says that there are too many connections and closes.
async fn turn_away(mut stream: TcpStream) {
    let answer = async {
        stream.write_all(FULL).await?;
        stream.shutdown().await
    };
    // Whether the client hears it is its own business.
    let _ = tokio::time::timeout(Duration::from_secs(1), answer).await;
}

/// Ready when the process is asked to end: SIGTERM or Ctrl-C.
pub async fn asked_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let terminated = async {
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupted => {}
            () = terminated => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = interrupted.await;
    }
}
