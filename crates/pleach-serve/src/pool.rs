//! The threads that parse, and how requests share them.
//!
//! A request is a [`Job`] that gives its work away in small pieces. Jobs stand in a ring: a thread takes one piece of the
//! first job and sends the job to the end, so that a request of one sentence waits for one piece of every other request
//! and not for all of them. Several threads may work on one job.
//!
//! Some pieces can't be cut: a paragraph of a megabyte, a file to convert. They are *heavy*, and at most all threads but
//! one work on such pieces at a time.
//!
//! Invariant: a job that has a piece to give stands in the ring, among the parked, or in the hands of a thread.

use crate::engine::Scratch;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A piece of work.
pub type Piece = Box<dyn FnOnce(&mut Scratch) + Send>;

/// What a job has to do next.
pub enum Next {
    /// A short piece.
    Piece(Piece),
    /// A piece that may take long.
    Heavy(Piece),
    /// There is only a heavy piece, which was not allowed.
    OnlyHeavy,
    /// Nothing now: others are at work, or what is done has not been fetched. Whoever changes that wakes the job.
    Wait,
}

/// A request as the pool sees it.
pub trait Job: Send + Sync {
    /// The next piece; `heavy` says whether it may be a heavy one.
    fn next(&self, heavy: bool) -> Next;

    /// A piece has panicked; nothing more is asked for.
    fn broken(&self);
}

/// A job with its place in the ring.
pub struct Entry {
    job: Arc<dyn Job>,
    /// Whether it stands in the ring or among the parked.
    queued: AtomicBool,
}

#[derive(Default)]
struct Ring {
    jobs: VecDeque<Arc<Entry>>,
    /// Jobs that wait until a heavy piece may run.
    parked: Vec<Arc<Entry>>,
    heavy: usize,
    closed: bool,
}

struct Shared {
    ring: Mutex<Ring>,
    wake: Condvar,
    threads: usize,
    busy: AtomicUsize,
    panics: AtomicUsize,
}

/// The threads.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Memory stays usable after a panic: every change under these locks is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Starts threads.
    pub fn new(threads: usize) -> std::io::Result<Pool> {
        let threads = threads.max(1);
        let shared = Arc::new(Shared {
            ring: Mutex::default(),
            wake: Condvar::new(),
            threads,
            busy: AtomicUsize::new(0),
            panics: AtomicUsize::new(0),
        });
        let start = |number: usize| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("parse-{number}")).spawn(move || shared.work())
        };
        let threads = (0..threads).map(start).collect::<std::io::Result<_>>()?;
        Ok(Pool { shared, threads: Mutex::new(threads) })
    }

    /// Puts a job into the ring.
    pub fn submit(&self, job: Arc<dyn Job>) -> Ticket {
        let entry = Arc::new(Entry { job, queued: AtomicBool::new(false) });
        self.shared.queue(&entry);
        Ticket { shared: Arc::clone(&self.shared), entry }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// How many threads are at work.
    pub fn busy(&self) -> usize {
        self.shared.busy.load(Ordering::Relaxed)
    }

    /// How many jobs wait for a thread.
    pub fn waiting(&self) -> usize {
        let ring = lock(&self.shared.ring);
        ring.jobs.len() + ring.parked.len()
    }

    /// How many pieces have panicked.
    pub fn panics(&self) -> usize {
        self.shared.panics.load(Ordering::Relaxed)
    }

    /// Lets the threads finish their pieces and ends them.
    pub fn close(&self) {
        lock(&self.shared.ring).closed = true;
        self.shared.wake.notify_all();
        for thread in std::mem::take(&mut *lock(&self.threads)) {
            // A thread only ends by itself: its pieces' panics are caught.
            let _ = thread.join();
        }
    }
}

/// A job's place in the pool.
pub struct Ticket {
    shared: Arc<Shared>,
    entry: Arc<Entry>,
}

impl Ticket {
    /// Says that the job may have something to do again.
    pub fn wake(&self) {
        self.shared.queue(&self.entry);
    }
}

impl Shared {
    fn queue(&self, entry: &Arc<Entry>) {
        if !entry.queued.swap(true, Ordering::AcqRel) {
            lock(&self.ring).jobs.push_back(Arc::clone(entry));
            self.wake.notify_one();
        }
    }

    fn work(&self) {
        let mut scratch = Scratch::default();
        loop {
            let mut ring = lock(&self.ring);
            let (entry, allowed) = loop {
                if ring.closed {
                    return;
                }
                if let Some(entry) = ring.jobs.pop_front() {
                    // The place for a heavy piece is taken before asking, so that two threads can't take the last one.
                    let allowed = ring.heavy < (self.threads - 1).max(1);
                    ring.heavy += usize::from(allowed);
                    break (entry, allowed);
                }
                ring = self.wake.wait(ring).unwrap_or_else(PoisonError::into_inner);
            };
            drop(ring);
            // From here on a wake puts the job back: what it reports was not seen by `next`.
            entry.queued.store(false, Ordering::Release);
            let next = entry.job.next(allowed);
            let heavy = matches!(next, Next::Heavy(_));
            if allowed && !heavy {
                self.release_heavy();
            }
            match next {
                Next::Piece(piece) | Next::Heavy(piece) => {
                    self.queue(&entry);
                    self.run(piece, &mut scratch, &entry);
                    if heavy {
                        self.release_heavy();
                    }
                    self.queue(&entry);
                }
                Next::OnlyHeavy => self.park(entry),
                Next::Wait => {}
            }
        }
    }

    fn run(&self, piece: Piece, scratch: &mut Scratch, entry: &Entry) {
        self.busy.fetch_add(1, Ordering::Relaxed);
        if catch_unwind(AssertUnwindSafe(|| piece(scratch))).is_err() {
            // Half-written memory is not used again.
            *scratch = Scratch::default();
            self.panics.fetch_add(1, Ordering::Relaxed);
            entry.job.broken();
        }
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    fn release_heavy(&self) {
        let mut ring = lock(&self.ring);
        ring.heavy -= 1;
        let parked = std::mem::take(&mut ring.parked);
        let any = !parked.is_empty();
        ring.jobs.extend(parked);
        drop(ring);
        if any {
            self.wake.notify_all();
        }
    }

    fn park(&self, entry: Arc<Entry>) {
        if entry.queued.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut ring = lock(&self.ring);
        if ring.heavy < (self.threads - 1).max(1) {
            // The heavy piece ended meanwhile.
            ring.jobs.push_back(entry);
            drop(ring);
            self.wake.notify_one();
        } else {
            ring.parked.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    /// A job of `pieces` pieces that says its name for each.
    struct Talker {
        name: &'static str,
        left: Mutex<usize>,
        heavy: bool,
        said: Sender<&'static str>,
        /// Held by the test to keep pieces from ending.
        gate: Arc<Mutex<()>>,
    }

    impl Job for Talker {
        fn next(&self, heavy: bool) -> Next {
            let mut left = lock(&self.left);
            if *left == 0 {
                return Next::Wait;
            }
            if self.heavy && !heavy {
                return Next::OnlyHeavy;
            }
            *left -= 1;
            let (name, said, gate) = (self.name, self.said.clone(), Arc::clone(&self.gate));
            let piece: Piece = Box::new(move |_| {
                said.send(name).unwrap();
                drop(lock(&gate));
                assert_ne!(name, "panics");
            });
            if self.heavy { Next::Heavy(piece) } else { Next::Piece(piece) }
        }

        fn broken(&self) {
            self.said.send("broken").unwrap();
        }
    }

    fn talker(name: &'static str, pieces: usize, heavy: bool, said: &Sender<&'static str>) -> Arc<Talker> {
        let (left, gate) = (Mutex::new(pieces), Arc::default());
        Arc::new(Talker { name, left, heavy, said: said.clone(), gate })
    }

    #[test]
    fn a_small_job_waits_for_one_piece_of_a_large_one() {
        let pool = Pool::new(1).unwrap();
        let (said, heard) = channel();
        let large = talker("large", 50, false, &said);
        let gate = Arc::clone(&large.gate);
        let held = lock(&gate);
        let _large = pool.submit(large);
        assert_eq!(heard.recv().unwrap(), "large");
        let _small = pool.submit(talker("small", 1, false, &said));
        drop(held);
        let order: Vec<_> = (0..50).map(|_| heard.recv().unwrap()).collect();
        let place = order.iter().position(|&name| name == "small").unwrap();
        assert!(place <= 1, "small came after {place} pieces");
    }

    #[test]
    fn heavy_pieces_leave_a_thread_free() {
        let pool = Pool::new(2).unwrap();
        let (said, heard) = channel();
        let heavy = [talker("heavy", 1, true, &said), talker("heavy", 1, true, &said)];
        let gates = [Arc::clone(&heavy[0].gate), Arc::clone(&heavy[1].gate)];
        let held = [lock(&gates[0]), lock(&gates[1])];
        let _tickets = heavy.map(|job| pool.submit(job));
        let _light = pool.submit(talker("light", 3, false, &said));
        let mut order: Vec<_> = (0..4).map(|_| heard.recv().unwrap()).collect();
        order.sort_unstable();
        assert_eq!(order, ["heavy", "light", "light", "light"]);
        drop(held);
        assert_eq!(heard.recv().unwrap(), "heavy", "a parked job comes back");
    }

    #[test]
    fn a_panic_breaks_its_job_only() {
        let pool = Pool::new(1).unwrap();
        let (said, heard) = channel();
        let _panics = pool.submit(talker("panics", 1, false, &said));
        assert_eq!([heard.recv().unwrap(), heard.recv().unwrap()], ["panics", "broken"]);
        let _after = pool.submit(talker("after", 1, false, &said));
        assert_eq!(heard.recv().unwrap(), "after");
        assert_eq!(pool.panics(), 1);
        pool.close();
    }
}
