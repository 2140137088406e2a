//! Many sentences as one self-contained HTML page with search and keyboard paging.
//!
//! The page holds two lines of JSON a sentence, what can be searched and what is drawn; its script turns the
//! shapes of the sentences in view into SVG. So a page with ten thousand sentences opens at once, and
//! writing it needs no more memory than one sentence.

use crate::compare::Differences;
use crate::picture::Picture;
use crate::scene::{Class, Scene, Shape};
use crate::svg::{LEGEND, escape};
use crate::theme;
use serde_json::{Value, json};
use std::io::{self, Write};

/// A page that is being written.
pub struct Page<W: Write> {
    out: W,
}

impl<W: Write> Page<W> {
    /// Starts a page. A comparison has a legend and a switch that hides sentences without differences.
    pub fn new(mut out: W, title: &str, comparison: bool) -> io::Result<Self> {
        let title = escape(&crate::text::visible(title));
        let css = include_str!("page/page.css").replace("FONTS", theme::FONTS);
        write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"und\" class=\"light\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <meta name=\"generator\" content=\"Pleach\">\n<title>{title}</title>\n\
             <style>\n{css}{}\n{}\n{}\n</style>\n</head>\n<body>\n",
            theme::shapes(),
            theme::colours(".light ", &theme::LIGHT),
            theme::colours(".dark ", &theme::DARK),
        )?;
        let only = "<label title=\"d\"><input type=\"checkbox\" id=\"only\"> only differences</label>\n";
        write!(
            out,
            "<header>\n<h1 title=\"{title}\">{title}</h1>\n<input type=\"search\" id=\"query\" autocomplete=\"off\" \
             spellcheck=\"false\" placeholder=\"Search forms, lemmas, labels, ids  ( / )\" \
             aria-label=\"Search forms, lemmas, labels and ids\">\n{}\
             <span id=\"where\" aria-live=\"polite\"></span>\n\
             <button id=\"previous\" title=\"previous page (p)\">‹ Previous</button>\n\
             <button id=\"next\" title=\"next page (n)\">Next ›</button>\n\
             <button id=\"smaller\" title=\"smaller (-)\">−</button>\n\
             <button id=\"zoom\" title=\"as it was (0)\">100 %</button>\n\
             <button id=\"larger\" title=\"larger (+)\">+</button>\n\
             <button id=\"theme\" title=\"light or dark (t)\">Theme</button>\n\
             <button id=\"ask\" title=\"keys (?)\">?</button>\n</header>\n",
            if comparison { only } else { "" },
        )?;
        if comparison {
            out.write_all(legend().as_bytes())?;
        }
        out.write_all(
            b"<noscript><p class=\"none\">This page draws its graphs with a script, which is switched off.</p>\
              </noscript>\n<main id=\"main\"></main>\n",
        )?;
        out.write_all(include_str!("page/help.html").as_bytes())?;
        out.write_all(b"<script type=\"application/json\" id=\"data\">\n")?;
        Ok(Page { out })
    }

    /// Adds a sentence: its number in the file, its picture, and the scenes that show it.
    pub fn push(&mut self, number: usize, picture: &Picture, scenes: &[Scene]) -> io::Result<()> {
        let forms: Vec<&str> =
            picture.words.iter().filter(|word| !word.empty).map(|word| word.form.as_str()).collect();
        let mut lemmas: Vec<&str> = picture.words.iter().map(|word| word.lemma.as_str()).collect();
        let mut labels: Vec<&str> = picture
            .links
            .iter()
            .flat_map(|link| link.labels.iter().map(|label| label.text.as_str()))
            .collect();
        for texts in [&mut lemmas, &mut labels] {
            texts.sort_unstable();
            texts.dedup();
        }
        let differences = match picture.differs() {
            true => Differences::of(picture).to_string(),
            false => String::new(),
        };
        let name = picture.name.as_deref().unwrap_or("");
        self.line(&json!([number, name, forms, lemmas, labels, differences, picture.text]))?;
        self.line(&Value::Array(scenes.iter().map(scene).collect()))
    }

    /// Ends the page.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(b"</script>\n<script>\n")?;
        self.out.write_all(include_str!("page/page.js").as_bytes())?;
        self.out.write_all(b"</script>\n</body>\n</html>\n")?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// One line of data. No text may end the script element, so `<` is escaped.
    fn line(&mut self, value: &Value) -> io::Result<()> {
        let line = value.to_string().replace('<', "\\u003c");
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\n")
    }
}

/// A scene in the form that the page's script draws.
fn scene(scene: &Scene) -> Value {
    let shape = |shape: &Shape| match shape {
        Shape::Path(class, path) => json!([class.name(), path]),
        Shape::Text { class, x, y, text } => json!([class.name(), x, y, text]),
        Shape::Box { class, x, y, width, height } => json!([class.name(), x, y, width, height]),
    };
    let shapes: Vec<Value> = scene.shapes.iter().map(shape).collect();
    json!([scene.width, scene.height, u8::from(scene.right_to_left), shapes])
}

fn legend() -> String {
    let entries: Vec<String> = LEGEND
        .iter()
        .map(|&(mark, text)| {
            format!(
                "<span><svg width=\"34\" height=\"8\" aria-hidden=\"true\"><path class=\"{}\" d=\"M0 4h34\"/></svg>{}\
                 </span>\n",
                Class::Arc(mark).name(),
                escape(text)
            )
        })
        .collect();
    format!("<div class=\"legend\">\n{}</div>\n", entries.concat())
}
