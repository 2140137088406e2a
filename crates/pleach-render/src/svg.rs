//! Scenes as one self-contained SVG file: no script, no font, no link, readable on light and dark screens.

use crate::picture::Mark;
use crate::scene::{Class, SMALL, Scene, Shape, size};
use crate::theme;

/// The room that a heading takes.
const HEADING: i32 = 30;
/// The room between two scenes.
const BETWEEN: i32 = 14;

/// What an SVG file is made of.
#[derive(Clone, Debug, Default)]
pub struct Svg {
    body: String,
    width: i32,
    height: i32,
    description: Vec<String>,
}

impl Svg {
    /// An empty file; with a legend for the marks of a comparison.
    pub fn new(legend: bool) -> Svg {
        let mut svg = Svg::default();
        if legend {
            svg.put_legend();
        }
        svg
    }

    /// Puts a scene under those that are there, with a heading if one is given.
    pub fn push(&mut self, scene: &Scene, heading: Option<&str>) {
        if self.height > 0 {
            self.height += BETWEEN;
        }
        if let Some(heading) = heading {
            let y = self.height + HEADING - 8;
            self.body.push_str(&format!("<text class=\"n\" x=\"12\" y=\"{y}\">{}</text>\n", escape(heading)));
            self.width = self.width.max(24 + size(heading, 13) * 11 / 10);
            self.height += HEADING;
        }
        let direction = if scene.right_to_left { " class=\"rtl\"" } else { "" };
        self.body.push_str(&format!("<g transform=\"translate(0 {})\"{direction}>\n", self.height));
        for shape in &scene.shapes {
            self.body.push_str(&element(shape));
        }
        self.body.push_str("</g>\n");
        self.width = self.width.max(scene.width);
        self.height += scene.height;
        self.description.push(scene.description.clone());
    }

    /// The file's content.
    pub fn finish(self) -> String {
        let (width, height) = (self.width.max(1), self.height.max(1));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
             <style>{}{}@media (prefers-color-scheme:dark){{{}}}</style>\n\
             <rect class=\"g\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n{}</svg>\n",
            escape(&self.description.join("\n")),
            escape(&theme::shapes()),
            theme::colours("", &theme::LIGHT),
            theme::colours("", &theme::DARK),
            self.body,
        )
    }

    fn put_legend(&mut self) {
        let mut x = 12;
        for (mark, text) in LEGEND {
            self.body.push_str(&element(&Shape::Path(Class::Arc(mark), format!("M{x} 18h34"))));
            let centre = x + 42 + size(text, SMALL) / 2;
            let class = Class::Label(mark);
            let text_shape = Shape::Text { class, x: centre, y: 22, text: text.to_owned() };
            self.body.push_str(&element(&text_shape));
            x += 42 + size(text, SMALL) + 24;
        }
        self.width = x;
        self.height = 30;
    }
}

/// The marks of a comparison and what they mean.
pub(crate) const LEGEND: [(Mark, &str); 4] = [
    (Mark::Same, "in both"),
    (Mark::Missing, "− missing (gold only)"),
    (Mark::Spurious, "+ spurious (system only)"),
    (Mark::Relabelled, "other label (−gold, +system)"),
];

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Path(class, path) => format!("<path class=\"{}\" d=\"{path}\"/>\n", class.name()),
        Shape::Text { class, x, y, text } => {
            format!("<text class=\"{}\" x=\"{x}\" y=\"{y}\">{}</text>\n", class.name(), escape(text))
        }
        Shape::Box { class, x, y, width, height } => format!(
            "<rect class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\"/>\n",
            class.name()
        ),
    }
}

/// Text as XML; what XML can't hold was made visible before.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}
