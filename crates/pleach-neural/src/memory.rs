//! Buffers that a pass over a batch gives back, so that the next one need not ask the system for memory.

/// The free buffers of one thread.
#[derive(Debug, Default)]
pub struct Memory {
    free: Vec<Vec<f32>>,
}

impl Memory {
    /// A buffer with anything in it: the smallest free one that is large enough.
    pub fn take(&mut self, length: usize) -> Vec<f32> {
        let fitting = self.free.iter().enumerate().filter(|(_, buffer)| buffer.capacity() >= length);
        let place = fitting.min_by_key(|(_, buffer)| buffer.capacity()).map(|(place, _)| place);
        let mut buffer = match place {
            Some(place) => self.free.swap_remove(place),
            // Growing an old one keeps the number of buffers at what is in use at once.
            None => self.free.pop().unwrap_or_default(),
        };
        if buffer.capacity() < length {
            buffer = Vec::with_capacity(length);
        }
        buffer.resize(length, 0.0);
        buffer
    }

    /// A buffer of zeros.
    pub fn zeros(&mut self, length: usize) -> Vec<f32> {
        let mut buffer = self.take(length);
        buffer.fill(0.0);
        buffer
    }

    /// Takes a buffer back.
    pub fn give(&mut self, buffer: Vec<f32>) {
        if buffer.capacity() > 0 {
            self.free.push(buffer);
        }
    }
}
