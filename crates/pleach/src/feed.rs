//! What is read piece by piece: when it is asked for, or by a thread that waits for what somebody is still writing.

use std::io;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// How long more is awaited before what is there is taken.
const PATIENCE: Duration = Duration::from_millis(10);

/// Pieces that may wait to be taken.
const WAITING: usize = 32;

/// Who reads pieces.
pub(crate) trait Pieces {
    /// A piece.
    type Piece;
    /// The next one; none at the end.
    fn next_piece(&mut self) -> io::Result<Option<Self::Piece>>;
    /// Its size in bytes.
    fn size(piece: &Self::Piece) -> usize;
}

/// Where pieces come from.
#[derive(Debug)]
pub(crate) enum Feed<S: Pieces> {
    /// Read when they are asked for.
    Here(S),
    /// Read by a thread.
    Live(Receiver<io::Result<S::Piece>>),
}

impl<S: Pieces> Feed<S> {
    /// The next pieces, about so many bytes; none at the end. Of a live source, those that are there, but at least one.
    pub fn chunk(&mut self, bytes: usize) -> io::Result<Vec<S::Piece>> {
        let mut chunk = Vec::new();
        let mut size = 0;
        while size < bytes {
            let piece = match self {
                Feed::Here(source) => source.next_piece()?,
                // The thread goes when there is no more, so an error means the end, or that nothing is there yet.
                Feed::Live(from) if chunk.is_empty() => from.recv().ok().transpose()?,
                Feed::Live(from) => from.recv_timeout(PATIENCE).ok().transpose()?,
            };
            let Some(piece) = piece else { break };
            size += S::size(&piece);
            chunk.push(piece);
        }
        Ok(chunk)
    }
}

impl<S: Pieces + Send + 'static> Feed<S>
where
    S::Piece: Send,
{
    /// Starts a thread that reads.
    pub fn live(mut source: S) -> Self {
        let (to, from) = sync_channel(WAITING);
        std::thread::spawn(move || {
            while let Some(piece) = source.next_piece().transpose() {
                let end = piece.is_err();
                if to.send(piece).is_err() || end {
                    break;
                }
            }
        });
        Feed::Live(from)
    }
}
