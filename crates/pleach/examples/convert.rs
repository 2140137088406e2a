//! From one format to another, in memory or between files, and what gets lost on the way.
//!
//! `cargo run -p pleach --example convert -- in.conllu out.sdp`; without files a sentence is converted to every format.

use pleach::formats::{Format, Losses, Reader, Writer};
use std::error::Error;
use std::path::Path;

const SENTENCE: &str = "\
# sent_id = 1
1\tMark\tMark\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj|4:nsubj:xsubj\t_
2\twants\twant\tVERB\tVBZ\t_\t0\troot\t0:root\t_
3\tto\tto\tPART\tTO\t_\t4\tmark\t4:mark\t_
4\tsleep\tsleep\tVERB\tVB\t_\t2\txcomp\t2:xcomp\t_

";

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if let [from, to] = &files[..] {
        // Formats are told from the content of the one and the extension of the other.
        let mut writer = Writer::create(Path::new(to), None)?;
        for sentence in Reader::open(Path::new(from), None)? {
            writer.write(&sentence?)?;
        }
        println!("lost: {}", writer.finish()?);
        return Ok(());
    }
    for format in Format::ALL {
        match convert(format) {
            Ok((text, losses)) => println!("== {format}, lost: {losses}\n{text}"),
            Err(reason) => println!("== {format}: {reason}\n"),
        }
    }
    Ok(())
}

/// The sentence in another format, and what that has no place for.
fn convert(to: Format) -> Result<(String, Losses), Box<dyn Error>> {
    let mut writer = Writer::to_vec(to);
    for sentence in Reader::from_bytes("sentence", SENTENCE.as_bytes(), Some(Format::Conllu))? {
        writer.write(&sentence?)?;
    }
    let (bytes, losses) = writer.into_vec()?;
    Ok((String::from_utf8(bytes)?, losses))
}
