//! Standard input that somebody is still writing to: what is there can be looked at without waiting for more.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// How long more is awaited when a line is there.
const PATIENCE: Duration = Duration::from_millis(20);

/// Whether standard input is a pipe or a terminal, and not a file.
pub fn is_live() -> bool {
    !std::fs::metadata("/dev/stdin").is_ok_and(|found| found.is_file())
}

/// A stream that a thread reads.
pub struct Live {
    from: Receiver<io::Result<Vec<u8>>>,
    ready: Vec<u8>,
    given: usize,
}

impl Live {
    /// Starts to read.
    pub fn new(mut input: impl Read + Send + 'static) -> Live {
        let (to, from) = sync_channel(4);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let read = match input.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(got) => Ok(buffer[..got].to_vec()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let end = read.is_err();
                if to.send(read).is_err() || end {
                    break;
                }
            }
        });
        Live { from, ready: Vec::new(), given: 0 }
    }

    /// The start of the stream: up to `most` bytes, but no more than are there when a line that is no comment is
    /// complete. Nothing is taken away.
    pub fn peek(&mut self, most: usize) -> io::Result<&[u8]> {
        while self.ready.len() < most {
            let told = match tells(&self.ready) {
                true => self.from.recv_timeout(PATIENCE).ok(),
                false => self.from.recv().ok(),
            };
            let Some(bytes) = told else { break };
            self.ready.extend_from_slice(&bytes?);
        }
        Ok(&self.ready)
    }
}

/// Whether a line is complete that says what a stream is.
fn tells(start: &[u8]) -> bool {
    let complete = start.iter().rposition(|&byte| byte == b'\n').map_or(&start[..0], |end| &start[..end]);
    complete.split(|&byte| byte == b'\n').any(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
}

impl Read for Live {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            // A thread that has gone has given everything.
            let Ok(bytes) = self.from.recv() else { return Ok(0) };
            (self.ready, self.given) = (bytes?, 0);
        }
        let count = buffer.len().min(self.ready.len() - self.given);
        buffer[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_takes_nothing_away() {
        let text = "# a comment\nand a line\n".repeat(10_000);
        let mut live = Live::new(io::Cursor::new(text.clone().into_bytes()));
        assert!(live.peek(100).unwrap().starts_with(b"# a comment\nand"));
        let mut all = String::new();
        live.read_to_string(&mut all).unwrap();
        assert_eq!(all, text);
    }

    #[test]
    fn comments_alone_say_nothing() {
        assert!(!tells(b"# sent_id = 1\n") && !tells(b"half of a li") && !tells(b"\n\n"));
        assert!(tells(b"# x\nwords\n") && tells(b"{}\n"));
    }
}
