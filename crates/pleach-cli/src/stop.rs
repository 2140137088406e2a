//! Ctrl-C: long work ends at the next safe place instead of losing what it did.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user wants the work to end.
#[derive(Clone, Debug)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether Ctrl-C (or SIGTERM) came.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Catches the first Ctrl-C; a second one ends the process at once.
pub fn on_ctrl_c() -> Result<Stop, ctrlc::Error> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(Stop(flag))
}
