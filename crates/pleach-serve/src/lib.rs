//! Pleach as a service: a REST interface, UDPipe's interface, and a page to look at graphs.
//!
//! A request is read whole, within limits; its work is cut into pieces that a pool of parsing threads takes in turn
//! (`pool`), and its answer is written sentence by sentence (`answer`). The threads that talk to clients never
//! parse, so that the service answers while it is saturated.
//!
//! ```no_run
//! use pleach_serve::{Config, Server, asked_to_end};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::bind(Config::default()).await?;
//! println!("http://{}", server.addr()?);
//! server.run(asked_to_end()).await;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]
#![allow(unused_qualifications, reason = "utoipa's macros write them")]

mod answer;
mod app;
mod config;
mod draw;
mod engine;
mod error;
mod guard;
mod job;
mod log;
mod media;
mod metrics;
mod observe;
mod openapi;
mod pool;
mod request;
mod routes;
mod server;
mod stall;
mod task;
mod wire;

pub use app::StartError;
pub use config::{Config, Limits};
pub use log::{LogFormat, start as start_log};
pub use server::{Server, asked_to_end};

/// Runs a service until the process is asked to end; `started` hears where it listens.
///
/// # Errors
/// When it can't start.
pub fn run(config: Config, started: impl FnOnce(&Server)) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("serve")
        .enable_all()
        .build()
        .map_err(|source| StartError::Io { what: "starting the runtime".into(), source })?;
    runtime.block_on(async {
        let server = Server::bind(config).await?;
        started(&server);
        server.run(asked_to_end()).await;
        Ok(())
    })
}
