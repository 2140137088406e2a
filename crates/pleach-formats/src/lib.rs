//! Files of dependency graphs: one module per format, read and written sentence by sentence.
//!
//! A [`Reader`] is an iterator over sentences in constant memory, a [`Writer`] counts in its [`Losses`]
//! what the target format has no place for. Reading and then writing a canonical file gives the same bytes.
//!
//! ```
//! use pleach_formats::{Format, Reader, Writer};
//!
//! let text = "1\tPleach\tpleach\tVERB\t_\t_\t0\troot\t0:root\t_\n\n";
//! let reader = Reader::from_read("example", Box::new(text.as_bytes()), None)?;
//! assert_eq!(reader.format(), Format::Conllu);
//! let mut writer = Writer::to_write(Box::new(std::io::sink()), Format::Sdp2015);
//! for sentence in reader {
//!     writer.write(&sentence?)?;
//! }
//! assert_eq!(writer.finish()?.to_string(), "1 basic tree");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod anchors;
mod arguments;
pub mod atomic;
mod brackets;
mod columns;
mod companion;
mod compression;
mod conll09;
mod conllu;
mod conllx;
mod error;
pub mod format;
mod gb18030;
mod json;
mod jsonl;
mod losses;
mod mrp;
mod parg;
mod reader;
mod rows;
mod sdp;
mod source;
mod writer;
mod zstandard;

pub use atomic::AtomicFile;
pub use compression::{open_counted, open_unpacked, pack, unpack};
pub use error::{ReadError, WriteError};
pub use format::{Format, UnknownFormat};
pub use losses::{Loss, Losses};
pub use reader::{ReadOptions, Reader, read_file};
pub use source::{MAX_ARCS, MAX_COMMENTS, MAX_SENTENCE_BYTES, MAX_TOKENS, MAX_UNKNOWN_WORDS};
pub use writer::Writer;
