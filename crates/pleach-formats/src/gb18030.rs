//! Older Chinese treebanks are in GB2312 or GBK; GB18030 contains both. A file that is not UTF-8 is taken to
//! be one of them.

use encoding_rs::{CoderResult, Decoder, GB18030};
use std::io::{self, Read};

/// Turns GB18030 into UTF-8 on the way; a byte that is neither becomes U+FFFD.
pub(crate) struct FromGb18030 {
    input: Box<dyn Read + Send>,
    decoder: Decoder,
    raw: Vec<u8>,
    decoded: Vec<u8>,
    /// How much of `decoded` has been handed out.
    taken: usize,
    ended: bool,
}

impl FromGb18030 {
    pub fn new(input: Box<dyn Read + Send>) -> Self {
        let decoder = GB18030.new_decoder_without_bom_handling();
        FromGb18030 { input, decoder, raw: vec![0; 32 << 10], decoded: Vec::new(), taken: 0, ended: false }
    }

    /// Decodes the next bytes; `decoded` stays empty only at the end of the file.
    fn refill(&mut self) -> io::Result<()> {
        self.taken = 0;
        self.decoded.clear();
        while self.decoded.is_empty() && !self.ended {
            let got = self.input.read(&mut self.raw)?;
            self.ended = got == 0;
            let mut rest = &self.raw[..got];
            loop {
                let room = self.decoder.max_utf8_buffer_length(rest.len()).unwrap_or(1 << 20);
                let from = self.decoded.len();
                self.decoded.resize(from + room, 0);
                let (result, read, written, _) =
                    self.decoder.decode_to_utf8(rest, &mut self.decoded[from..], self.ended);
                self.decoded.truncate(from + written);
                rest = &rest[read..];
                if result == CoderResult::InputEmpty {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl Read for FromGb18030 {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.decoded.len() {
            self.refill()?;
        }
        let given = out.len().min(self.decoded.len() - self.taken);
        out[..given].copy_from_slice(&self.decoded[self.taken..self.taken + given]);
        self.taken += given;
        Ok(given)
    }
}

/// Whether bytes are UTF-8, a character cut off by their end aside; `None` when all are ASCII, so that
/// nothing is known yet.
pub(crate) fn looks_like_utf8(bytes: &[u8]) -> Option<bool> {
    match std::str::from_utf8(bytes) {
        Ok(_) if bytes.is_ascii() => None,
        Ok(_) => Some(true),
        Err(error) => Some(error.error_len().is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gbk_becomes_utf8_whatever_the_chunks() {
        struct Slow(Vec<u8>);
        impl Read for Slow {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let n = self.0.len().min(1);
                out[..n].copy_from_slice(&self.0[..n]);
                self.0.drain(..n);
                Ok(n)
            }
        }
        let text = "( (NP (NR 浦东) (NN 镕)) )\n".repeat(300);
        let (bytes, _, _) = GB18030.encode(&text);
        assert_eq!(looks_like_utf8(&bytes), Some(false));
        let mut out = String::new();
        FromGb18030::new(Box::new(Slow(bytes.into_owned()))).read_to_string(&mut out).unwrap();
        assert_eq!(out, text);
    }

    #[test]
    fn a_cut_character_is_still_utf8() {
        assert_eq!(looks_like_utf8("东".as_bytes().split_last().unwrap().1), Some(true));
        assert_eq!(looks_like_utf8(b"plain"), None);
        assert_eq!(looks_like_utf8(b"\xC6\xD6\xB6\xAB"), Some(false));
    }
}
