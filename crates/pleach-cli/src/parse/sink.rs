//! Where `pleach parse` puts its graphs: a format, a JSON document, pictures on the terminal, in a page or in a file.

use super::part::{Part, Progressed};
use super::target::Target;
use crate::failure::Failure;
use crate::output::{Output, Unwritten};
use crate::screen;
use pleach_formats::{AtomicFile, Format, Losses, Writer, pack};
use pleach_graph::Sentence;
use pleach_render::{Basis, Page, Pages, Picture, Scene, Svg, Terminal};
use serde_json::Value;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The most sentences that go into one SVG, as for `pleach view`.
const LARGEST_SVG: usize = 50;

/// How wide pictures are before they are wrapped, in pixels.
const WIDTH: i32 = 1200;

/// A file that is written piece by piece; each piece is packed by itself if the name asks for it.
pub struct Out {
    path: PathBuf,
    to: Destination,
    pieces: usize,
}

enum Destination {
    Atomic(AtomicFile),
    Part(Box<Part>),
}

impl Out {
    /// Prepares a file, or standard output as `-`.
    pub fn create(path: &Path) -> Result<Out, Unwritten> {
        let file = AtomicFile::create(path).map_err(Output::unwritten(Some(path)))?;
        Ok(Out { path: path.to_owned(), to: Destination::Atomic(file), pieces: 0 })
    }

    /// Goes on with a part, or begins it.
    pub fn resume(path: &Path, part: Box<Part>, progressed: &Progressed) -> Out {
        Out { path: path.to_owned(), to: Destination::Part(part), pieces: usize::from(progressed.bytes > 0) }
    }

    /// Writes a piece.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Unwritten> {
        if bytes.is_empty() && self.pieces > 0 {
            return Ok(());
        }
        self.pieces += 1;
        let unwritten = Output::unwritten(Some(&self.path));
        let packed = pack(&self.path, bytes).map_err(&unwritten)?;
        match &mut self.to {
            // Who waits for standard output gets whole sentences at once.
            Destination::Atomic(file) => file.write_all(&packed).and_then(|()| file.flush()),
            Destination::Part(part) => part.write_all(&packed),
        }
        .map_err(&unwritten)
    }

    fn note(&mut self, progressed: &Progressed) -> Result<(), Unwritten> {
        match &mut self.to {
            Destination::Atomic(_) => Ok(()),
            Destination::Part(part) => part.note(progressed).map_err(Output::unwritten(Some(&self.path))),
        }
    }

    fn finish(self) -> Result<(), Unwritten> {
        let done = match self.to {
            Destination::Atomic(file) => file.commit(),
            Destination::Part(part) => part.finish(),
        };
        done.map_err(Output::unwritten(Some(&self.path)))
    }
}

/// The output.
pub struct Sink {
    kind: Kind,
    losses: Losses,
    written: usize,
}

enum Kind {
    /// Sentences in a format, or lines that are made elsewhere.
    Format(Format, Out),
    Json(Out),
    Screen(Terminal),
    Html(Box<Page<Output>>, PathBuf),
    Svg(Box<Svg>, Output, PathBuf),
}

impl Sink {
    fn new(kind: Kind) -> Sink {
        Sink { kind, losses: Losses::default(), written: 0 }
    }

    /// Draws on the screen.
    pub fn screen() -> Self {
        Sink::new(Kind::Screen(screen::terminal()))
    }

    /// Writes a format.
    pub fn format(format: Format, mut out: Out) -> Result<Self, Failure> {
        if out.pieces == 0 {
            let header = Writer::to_vec(format).into_vec()?.0;
            if !header.is_empty() {
                out.put(&header)?;
            }
        }
        Ok(Sink::new(Kind::Format(format, out)))
    }

    /// Opens a file, or standard output as `-`, for whatever it is.
    pub fn open(target: Target, path: &Path, model: &str, title: &str) -> Result<Self, Failure> {
        Ok(match target {
            Target::Format(format) => Sink::format(format, Out::create(path)?)?,
            Target::Json => {
                let mut out = Out::create(path)?;
                out.put(format!("{{\"model\": {}, \"sentences\": [", Value::from(model)).as_bytes())?;
                Sink::new(Kind::Json(out))
            }
            Target::Html => {
                let page = Page::new(Output::open(Some(path))?, title, false);
                let page = page.map_err(Output::unwritten(Some(path)))?;
                Sink::new(Kind::Html(Box::new(page), path.to_owned()))
            }
            Target::Svg => {
                Sink::new(Kind::Svg(Box::new(Svg::new(false)), Output::open(Some(path))?, path.to_owned()))
            }
        })
    }

    /// Writes some sentences.
    pub fn put(&mut self, sentences: &[Sentence]) -> Result<(), Failure> {
        match &mut self.kind {
            Kind::Format(format, out) => {
                let mut writer = Writer::piece(*format);
                for sentence in sentences {
                    writer.write(sentence)?;
                }
                let (bytes, losses) = writer.into_vec()?;
                self.losses.merge(&losses);
                out.put(&bytes)?;
            }
            Kind::Json(out) => {
                let mut writer = Writer::piece(Format::Jsonl);
                for sentence in sentences {
                    writer.write(sentence)?;
                }
                let (bytes, losses) = writer.into_vec()?;
                self.losses.merge(&losses);
                let mut text = String::new();
                for (place, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
                    text.push_str(if self.written + place > 0 { ",\n" } else { "\n" });
                    text.push_str(line);
                }
                out.put(text.as_bytes())?;
            }
            Kind::Screen(terminal) => {
                let mut out = io::stdout().lock();
                for (place, sentence) in sentences.iter().enumerate() {
                    if self.written + place > 0 {
                        writeln!(out)?;
                    }
                    out.write_all(terminal.draw(&Picture::new(sentence, Basis::Auto)).as_bytes())?;
                }
                out.flush()?;
            }
            Kind::Html(page, path) => {
                for (place, sentence) in sentences.iter().enumerate() {
                    let picture = Picture::new(sentence, Basis::Auto);
                    let scene = Scene::wrapped(&picture, Pages::Book, WIDTH);
                    page.push(self.written + place + 1, &picture, &[scene])
                        .map_err(Output::unwritten(Some(path)))?;
                }
            }
            Kind::Svg(svg, ..) => {
                if self.written + sentences.len() > LARGEST_SVG {
                    return Err(Failure::Usage(format!(
                        "more than {LARGEST_SVG} sentences for one SVG: write a page (-o OUT.html), or parse to a format \
                         and choose some with `pleach view --sent`"
                    )));
                }
                for (place, sentence) in sentences.iter().enumerate() {
                    let scene = Scene::wrapped(&Picture::new(sentence, Basis::Auto), Pages::Book, WIDTH);
                    svg.push(&scene, Some(&(self.written + place + 1).to_string()));
                }
            }
        }
        self.written += sentences.len();
        Ok(())
    }

    /// Writes lines that were made elsewhere.
    pub fn put_lines(&mut self, lines: &[u8]) -> Result<(), Failure> {
        match &mut self.kind {
            Kind::Format(_, out) => Ok(out.put(lines)?),
            _ => Err(Failure::Usage("records are written as JSON lines: name the output .jsonl".into())),
        }
    }

    /// Says to whoever may go on with a part that it is right up to here.
    pub fn note(&mut self, progressed: &Progressed) -> Result<(), Failure> {
        match &mut self.kind {
            Kind::Format(_, out) => Ok(out.note(progressed)?),
            _ => Ok(()),
        }
    }

    /// Writes what is held back and says what the format had no place for.
    pub fn finish(self) -> Result<Losses, Failure> {
        match self.kind {
            Kind::Format(_, mut out) => {
                // Even nothing is a packed file.
                out.put(b"")?;
                out.finish()?;
            }
            Kind::Json(mut out) => {
                out.put(if self.written > 0 { b"\n]}\n" } else { b"]}\n" })?;
                out.finish()?;
            }
            Kind::Screen(_) => io::stdout().flush()?,
            Kind::Html(page, path) => page.finish().map_err(Output::unwritten(Some(&path)))?.finish()?,
            Kind::Svg(svg, mut out, path) => {
                out.write_all(svg.finish().as_bytes()).map_err(Output::unwritten(Some(&path)))?;
                out.finish()?;
            }
        }
        Ok(self.losses)
    }
}
