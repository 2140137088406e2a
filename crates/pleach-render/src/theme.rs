//! Colours and fonts, for light and dark backgrounds. Marks have colours that people who don't see red and
//! green apart can tell (after Okabe and Ito), and different dashes besides.

use crate::scene::{FORM, SMALL};

/// The colours of one theme.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// What everything stands on.
    pub background: &'static str,
    /// Words.
    pub ink: &'static str,
    /// Tags and headings.
    pub faint: &'static str,
    /// Arcs.
    pub line: &'static str,
    /// Their labels.
    pub label: &'static str,
    /// Arcs of the second page.
    pub second_line: &'static str,
    /// Their labels.
    pub second_label: &'static str,
    /// What only the gold standard has.
    pub missing: &'static str,
    /// What only the system has.
    pub spurious: &'static str,
    /// What has other labels.
    pub relabelled: &'static str,
}

/// For light backgrounds.
pub const LIGHT: Palette = Palette {
    background: "#ffffff",
    ink: "#1b1f24",
    faint: "#667080",
    line: "#8a94a3",
    label: "#23538f",
    second_line: "#5f9e8f",
    second_label: "#0f766e",
    missing: "#c2410c",
    spurious: "#0369a1",
    relabelled: "#a21caf",
};

/// For dark backgrounds.
pub const DARK: Palette = Palette {
    background: "#12161c",
    ink: "#e6e9ee",
    faint: "#96a0af",
    line: "#6f7a89",
    label: "#8db8f0",
    second_line: "#4f8f83",
    second_label: "#5eead4",
    missing: "#fb923c",
    spurious: "#38bdf8",
    relabelled: "#e879f9",
};

/// Fonts that systems have.
pub const FONTS: &str = "system-ui,-apple-system,'Segoe UI','Noto Sans','Helvetica Neue',Arial,'Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif";

/// The rules that don't depend on the theme.
pub fn shapes() -> String {
    format!(
        "text{{font-family:{FONTS};text-anchor:middle;white-space:pre}}\
         .f,.fm,.fs,.e,.em,.es,.c{{font-size:{FORM}px}}\
         .e,.em,.es,.w{{font-style:italic}}\
         .rtl .f,.rtl .fm,.rtl .fs,.rtl .e,.rtl .em,.rtl .es,.rtl .w{{direction:rtl}}\
         .c{{font-size:14px;font-weight:600}}\
         .t,.w,.l,.l2,.lm,.ls,.lr{{font-size:{SMALL}px}}\
         .n{{font-size:13px;text-anchor:start;font-weight:600}}\
         .a,.a2,.am,.as,.ar,.b,.o,.om,.os{{fill:none;stroke-width:1.3}}\
         .am,.as,.ar{{stroke-width:1.9}}\
         .am{{stroke-dasharray:7 4}}.as{{stroke-dasharray:2 3}}\
         .o,.om,.os{{stroke-dasharray:4 3}}"
    )
}

/// The rules of one theme, each selector with a prefix (`.dark `).
pub fn colours(prefix: &str, palette: &Palette) -> String {
    let Palette { background, ink, faint, line, label, second_line, second_label, .. } = palette;
    let Palette { missing, spurious, relabelled, .. } = palette;
    let mut css = String::new();
    let mut rule = |names: &[&str], property: &str, colour: &str| {
        let selectors: Vec<String> = names.iter().map(|name| format!("{prefix}.{name}")).collect();
        css.push_str(&format!("{}{{{property}:{colour}}}", selectors.join(",")));
    };
    rule(&["g"], "fill", background);
    rule(&["f", "c"], "fill", ink);
    rule(&["e", "t", "w", "n"], "fill", faint);
    rule(&["a", "b", "o"], "stroke", line);
    rule(&["h"], "fill", line);
    rule(&["l"], "fill", label);
    rule(&["a2"], "stroke", second_line);
    rule(&["h2"], "fill", second_line);
    rule(&["l2"], "fill", second_label);
    for (mark, colour) in [("m", missing), ("s", spurious), ("r", relabelled)] {
        let names =
            |kinds: &str| -> Vec<String> { kinds.chars().map(|kind| format!("{kind}{mark}")).collect() };
        let (lines, fills) = (names("ao"), names("hlfe"));
        rule(&lines.iter().map(String::as_str).collect::<Vec<_>>(), "stroke", colour);
        rule(&fills.iter().map(String::as_str).collect::<Vec<_>>(), "fill", colour);
    }
    css
}
