//! Work that is done in one go on the pool's threads: converting, scoring, derivations, drawing.

use crate::engine::Scratch;
use crate::error::ApiError;
use crate::pool::{Job, Next, Piece, Pool};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Whether anyone still waits for the result.
#[derive(Clone, Default)]
pub struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// An error when the client has gone, for `?` in loops.
    pub fn check(&self) -> Result<(), ApiError> {
        match self.0.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(ApiError::unavailable("cancelled", "the client has gone")),
        }
    }
}

/// Stops the work when the request is dropped.
struct Stop(Wanted);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

struct Once {
    piece: Mutex<Option<Piece>>,
    heavy: bool,
    wanted: Wanted,
}

impl Job for Once {
    fn next(&self, heavy: bool) -> Next {
        let mut piece = self.piece.lock().unwrap_or_else(PoisonError::into_inner);
        if self.wanted.check().is_err() {
            *piece = None;
        }
        match (piece.is_some(), self.heavy) {
            (true, true) if !heavy => Next::OnlyHeavy,
            (true, is_heavy) => match piece.take() {
                Some(piece) if is_heavy => Next::Heavy(piece),
                Some(piece) => Next::Piece(piece),
                None => Next::Wait,
            },
            (false, _) => Next::Wait,
        }
    }

    // The sender was dropped with the piece, which the receiver notices.
    fn broken(&self) {}
}

/// Work of which more than so many bytes are the input is heavy.
const HEAVY_BYTES: usize = 32 << 10;

/// Runs work on the pool; `size` is that of its input in bytes.
pub async fn run<T: Send + 'static>(
    pool: &Pool,
    size: usize,
    work: impl FnOnce(&Wanted, &mut Scratch) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let wanted = Wanted::default();
    let _stop = Stop(wanted.clone());
    let (send, receive) = oneshot::channel();
    let inside = wanted.clone();
    let piece: Piece = Box::new(move |scratch| {
        // When nobody waits any more, the result is for no one.
        let _ = send.send(work(&inside, scratch));
    });
    let job = Once { piece: Mutex::new(Some(piece)), heavy: size > HEAVY_BYTES, wanted };
    let _ticket = pool.submit(Arc::new(job));
    receive.await.unwrap_or_else(|_| Err(ApiError::internal()))
}
