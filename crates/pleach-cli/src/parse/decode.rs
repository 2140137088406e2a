//! What bytes are when they are no UTF-8 text: UTF-16 is decoded, other things are named.

use std::io::{self, Read};

/// The byte order of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

/// The order that a byte order mark at the start tells.
pub fn marked(start: &[u8]) -> Option<Order> {
    match start {
        // UTF-32 begins like UTF-16; no text begins with a NUL character.
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some(Order::Little),
        [0xFE, 0xFF, ..] => Some(Order::Big),
        _ => None,
    }
}

/// A stream of UTF-16 as UTF-8, with its mark; halves of characters are replaced.
pub struct Utf16<R> {
    input: R,
    order: Order,
    /// Bytes that were read and not decoded: less than a unit, or half of a pair.
    rest: Vec<u8>,
    /// UTF-8 that was not given away.
    ready: Vec<u8>,
    given: usize,
}

impl<R: Read> Utf16<R> {
    /// Decodes a stream from its start.
    pub fn new(input: R, order: Order) -> Self {
        Utf16 { input, order, rest: Vec::new(), ready: Vec::new(), given: 0 }
    }

    /// Decodes more; false at the end.
    fn more(&mut self) -> io::Result<bool> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut buffer = [0; 1 << 14];
        let got = self.input.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..got]);
        let mut units: Vec<u16> = bytes
            .chunks_exact(2)
            .map(|pair| match self.order {
                Order::Little => u16::from_le_bytes([pair[0], pair[1]]),
                Order::Big => u16::from_be_bytes([pair[0], pair[1]]),
            })
            .collect();
        let mut used = 2 * units.len();
        if got > 0 && units.last().is_some_and(|unit| (0xD800..0xDC00).contains(unit)) {
            // The other half is still to come.
            units.pop();
            used -= 2;
        }
        if got > 0 {
            self.rest = bytes[used..].to_vec();
        }
        (self.ready, self.given) = (String::from_utf16_lossy(&units).into_bytes(), 0);
        if got == 0 && used < bytes.len() {
            self.ready.extend_from_slice("\u{fffd}".as_bytes());
        }
        Ok(got > 0 || !self.ready.is_empty())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() && !buffer.is_empty() {
            if !self.more()? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.ready.len() - self.given);
        buffer[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// Why the start of a file is no text, and what to do; `None` when it may be text.
pub fn not_text(start: &[u8]) -> Option<String> {
    let known: [(&[u8], &str); 7] = [
        (b"%PDF-", "a PDF file: take the text out of it first, for instance with pdftotext"),
        (b"PK\x03\x04", "a ZIP archive, as office documents are: save it as plain text first"),
        (b"\x89PNG", "a picture"),
        (b"\xFF\xD8\xFF", "a picture"),
        (b"\x7FELF", "a program"),
        (b"BZh", "compressed with bzip2: unpack it first (gzip and Zstandard are unpacked here)"),
        (b"\xFD7zXZ", "compressed with xz: unpack it first (gzip and Zstandard are unpacked here)"),
    ];
    if let Some((_, what)) = known.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(format!("this is {what}"));
    }
    // A safetensors header: its length, then JSON.
    if start.len() > 9 && start[4..8] == [0; 4] && start[8] == b'{' {
        return Some("this is a model, not text: give it with -m".to_owned());
    }
    let nul = |parity: usize| start.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (nul(0), nul(1));
    if even + odd == 0 {
        return None;
    }
    let half = start.len() / 2;
    let order = match (even * 10 > half * 3, odd * 10 > half * 3) {
        (true, false) => Some("UTF-16BE"),
        (false, true) => Some("UTF-16LE"),
        _ => None,
    };
    Some(match order {
        Some(name) => {
            format!(
                "this looks like {name} without a byte order mark: convert it with iconv -f {name} -t UTF-8"
            )
        }
        None => "this is no text: it has NUL bytes; with --from text it is parsed all the same".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time, so that units and pairs are cut everywhere.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn encode(text: &str, order: Order) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            Order::Little => unit.to_le_bytes(),
            Order::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf16_is_decoded_however_it_is_cut() {
        let text = "\u{feff}Ann mag 𝄞 und 漢字.\n";
        for order in [Order::Little, Order::Big] {
            let bytes = encode(text, order);
            assert_eq!(marked(&bytes), Some(order));
            for cut in [&mut Slow(&bytes) as &mut dyn Read, &mut bytes.as_slice()] {
                let mut decoded = String::new();
                Utf16::new(cut, order).read_to_string(&mut decoded).unwrap();
                assert_eq!(decoded, text);
            }
        }
        let mut half = encode("a𝄞", Order::Big);
        half.truncate(5);
        let mut decoded = String::new();
        Utf16::new(half.as_slice(), Order::Big).read_to_string(&mut decoded).unwrap();
        assert_eq!(decoded, "a\u{fffd}\u{fffd}");
        assert_eq!((marked(b"ab"), marked(&[0xFF, 0xFE, 0, 0])), (None, None));
    }

    #[test]
    fn what_is_no_text_is_named() {
        let told = |bytes: &[u8]| not_text(bytes).unwrap_or_default();
        assert!(told(&encode("plain words", Order::Little)).contains("iconv -f UTF-16LE"));
        assert!(told(&encode("plain words", Order::Big)).contains("iconv -f UTF-16BE"));
        assert!(told(b"%PDF-1.7").contains("pdftotext"));
        assert!(told(b"\x40\x02\0\0\0\0\0\0{\"x\":1}").contains("-m"));
        assert!(told(b"a few\0words").contains("--from text"));
        for text in ["", "caf\u{e9}", "{\"a\": 1}", "PK is short"] {
            assert_eq!(not_text(text.as_bytes()), None, "{text}");
        }
    }
}
