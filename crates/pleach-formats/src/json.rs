//! JSON on one line in the style of Python's `json.dumps`, in which the corpora are written: `", "` and `": "`.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

struct Python {
    /// Whether characters beyond ASCII are written as `\u` escapes, Python's default.
    ascii: bool,
}

impl Formatter for Python {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if !self.ascii || fragment.is_ascii() {
            return out.write_all(fragment.as_bytes());
        }
        let mut units = [0; 2];
        for character in fragment.chars() {
            if character.is_ascii() {
                write!(out, "{character}")?;
            } else {
                for unit in character.encode_utf16(&mut units) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

/// Appends a value.
pub(crate) fn push(out: &mut Vec<u8>, value: &impl Serialize, ascii: bool) -> Result<(), String> {
    let mut serializer = Serializer::with_formatter(out, Python { ascii });
    value.serialize(&mut serializer).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn python_style() {
        let value = json!({"a": [1, 0.9, "é\n𝄞"], "b": {}, "c": []});
        let mut out = Vec::new();
        push(&mut out, &value, false).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\"a\": [1, 0.9, \"é\\n𝄞\"], \"b\": {}, \"c\": []}");
        let mut out = Vec::new();
        push(&mut out, &value, true).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"a\": [1, 0.9, \"\\u00e9\\n\\ud834\\udd1e\"], \"b\": {}, \"c\": []}"
        );
    }
}
