//! The compiler of the template language: lines to atoms, each distinct node and atom once.

use super::{Atom, Count, Groups, Neighbourhood, NodeExpr, Templates};
use pleach_graph::words::Attribute;
use pleach_graph::words::Path;
use pleach_transition::configuration::List;
use std::collections::BTreeMap;

/// A mistake in a template file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct TemplateError {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// More atoms than this in one template, or templates in one file, are a mistake.
const MOST_ATOMS: usize = 12;
const MOST_TEMPLATES: usize = 4096;

/// The names of atoms of two nodes.
const PAIRS: [&str; 7] = ["d", "dir", "arc", "btw", "path", "cpath", "lpath"];

#[derive(Clone, Debug, Default)]
struct Macro<'a> {
    parameters: Vec<&'a str>,
    lines: Vec<(usize, &'a str)>,
}

pub(super) struct Compiler<'a> {
    file: &'a str,
    line: usize,
    macros: BTreeMap<&'a str, Macro<'a>>,
    nodes: Vec<NodeExpr>,
    atoms: Vec<Atom>,
    parts: Vec<u16>,
    ends: Vec<u32>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Compiler {
            file,
            line: 0,
            macros: BTreeMap::new(),
            nodes: Vec::new(),
            atoms: Vec::new(),
            parts: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(super) fn compile(mut self, source: &'a str) -> Result<Templates, TemplateError> {
        let mut open: Option<(&'a str, Macro<'a>, usize)> = None;
        for (number, text) in source.lines().enumerate() {
            self.line = number + 1;
            let text = text.split('#').next().unwrap_or_default().trim_end();
            let body = text.trim_start();
            let column = text.chars().count() - body.chars().count() + 1;
            if body.is_empty() {
                continue;
            }
            if let Some((name, mut current, start)) = open.take() {
                if body == "end" {
                    self.macros.insert(name, current);
                } else if body.starts_with("macro ") {
                    return Err(self.error(column, "a macro inside a macro; expected 'end' first"));
                } else {
                    current.lines.push((self.line, body));
                    open = Some((name, current, start));
                }
            } else if let Some(header) = body.strip_prefix("macro ") {
                let (name, parameters) = self.call(header.trim(), column + 6)?;
                if self.macros.contains_key(name) || PAIRS.contains(&name) {
                    return Err(self.error(column + 6, format!("'{name}' is defined already")));
                }
                if let Some(bad) = parameters.iter().find(|p| !is_parameter(p)) {
                    let message = format!("a macro's parameter is a capital letter such as X, found '{bad}'");
                    return Err(self.error(column, message));
                }
                open = Some((name, Macro { parameters, lines: Vec::new() }, self.line));
            } else if body == "end" {
                return Err(self.error(column, "'end' without 'macro'"));
            } else {
                self.line_of_templates(body, column)?;
            }
        }
        if let Some((name, _, start)) = open {
            self.line = start;
            return Err(self.error(1, format!("macro '{name}' has no 'end'")));
        }
        if self.ends.is_empty() {
            return Err(self.error(1, "no template in this file"));
        }
        Ok(Templates {
            nodes: self.nodes,
            atoms: self.atoms,
            parts: self.parts,
            ends: self.ends,
            groups: Groups::default(),
            changing: Vec::new(),
            base: 0,
            marks: (0, 0),
            source: source.to_owned(),
        })
    }

    fn error(&self, column: usize, message: impl Into<String>) -> TemplateError {
        TemplateError { file: self.file.to_owned(), line: self.line.max(1), column, message: message.into() }
    }

    /// Takes `name(a, b)` apart.
    fn call<'t>(&self, text: &'t str, column: usize) -> Result<(&'t str, Vec<&'t str>), TemplateError> {
        let parts = text.strip_suffix(')').and_then(|text| text.split_once('('));
        let Some((name, arguments)) = parts else {
            return Err(self.error(column, format!("expected 'name(X, Y)', found '{text}'")));
        };
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            return Err(self.error(column, format!("'{name}' is not a name")));
        }
        Ok((name, arguments.split(',').map(str::trim).collect()))
    }

    /// A macro's use or one template.
    fn line_of_templates(&mut self, body: &str, column: usize) -> Result<(), TemplateError> {
        let called = body.split_once('(').map(|(name, _)| name.trim());
        let Some(definition) = called.and_then(|name| self.macros.get(name)).cloned() else {
            return self.template(body, column, &[]);
        };
        let (name, arguments) = self.call(body, column)?;
        if arguments.len() != definition.parameters.len() {
            let message = format!(
                "macro '{name}' takes {} nodes, found {}",
                definition.parameters.len(),
                arguments.len()
            );
            return Err(self.error(column, message));
        }
        let bindings: Vec<(&str, &str)> =
            definition.parameters.iter().copied().zip(arguments.iter().copied()).collect();
        let here = self.line;
        for (line, text) in definition.lines {
            self.line = line;
            self.template(text, 1, &bindings)?;
        }
        self.line = here;
        Ok(())
    }

    fn template(
        &mut self,
        body: &str,
        column: usize,
        bindings: &[(&str, &str)],
    ) -> Result<(), TemplateError> {
        let mut parts: Vec<u16> = Vec::new();
        let mut rest = body;
        while !rest.trim_start().is_empty() {
            let text = rest.trim_start();
            let at = column + body[..body.len() - text.len()].chars().count();
            // A pair's arguments may have spaces behind the comma.
            let space = text.find(char::is_whitespace).unwrap_or(text.len());
            let end = match text.find('(') {
                Some(paren) if paren < space => text.find(')').map_or(text.len(), |close| close + 1),
                _ => space,
            };
            let atom = self.atom(&text[..end], at, bindings)?;
            let id = intern(&mut self.atoms, atom);
            if parts.contains(&id) {
                return Err(self.error(at, format!("'{}' stands twice in one template", &text[..end])));
            }
            parts.push(id);
            rest = &text[end..];
        }
        if parts.len() > MOST_ATOMS || self.ends.len() >= MOST_TEMPLATES {
            let message = format!("at most {MOST_ATOMS} atoms a template and {MOST_TEMPLATES} templates");
            return Err(self.error(column, message));
        }
        self.parts.extend(parts);
        self.ends.push(self.parts.len() as u32);
        Ok(())
    }

    fn atom(&mut self, text: &str, column: usize, bindings: &[(&str, &str)]) -> Result<Atom, TemplateError> {
        if text.contains('(') {
            let (name, arguments) = self.call(text, column)?;
            let make: fn(u16, u16) -> Atom = match name {
                "d" => Atom::Distance,
                "arc" => Atom::Arc,
                "dir" => Atom::Direction,
                "btw" => Atom::Between,
                "path" => |a, b| Atom::Path(a, b, Path::Tags),
                "cpath" => |a, b| Atom::Path(a, b, Path::Letters),
                "lpath" => |a, b| Atom::Path(a, b, Path::Labels),
                _ => {
                    let macros: Vec<&str> = self.macros.keys().copied().collect();
                    let (pairs, macros) = (PAIRS.join(" "), macros.join(" "));
                    let message = format!("no pair or macro '{name}'; pairs: {pairs}; macros: {macros}");
                    return Err(self.error(column, message));
                }
            };
            let &[first, second] = arguments.as_slice() else {
                return Err(self.error(column, format!("'{name}' takes two nodes, such as {name}(s0, b0)")));
            };
            let first = self.node(&substitute(first, bindings), column)?;
            let second = self.node(&substitute(second, bindings), column)?;
            return Ok(make(first, second));
        }
        let text = substitute(text, bindings);
        let Some((address, attribute)) = text.rsplit_once('.') else {
            return Err(self.error(column, format!("expected node.attribute such as s0.w, found '{text}'")));
        };
        let node = self.node(address, column)?;
        if let Some(attribute) = Attribute::from_name(attribute) {
            return Ok(Atom::Word(node, attribute));
        }
        Ok(match attribute {
            "e" => Atom::Exists(node),
            "l" => match self.nodes[node as usize] {
                NodeExpr::Neighbour(..) => Atom::Label(node),
                _ => return Err(self.error(column, "'.l' goes with a neighbour, such as s0.lc.l")),
            },
            "nlp" => Atom::Count(node, Count::LeftParents),
            "nrp" => Atom::Count(node, Count::RightParents),
            "nlc" => Atom::Count(node, Count::LeftChildren),
            "nrc" => Atom::Count(node, Count::RightChildren),
            "np" => Atom::Count(node, Count::Parents),
            "nc" => Atom::Count(node, Count::Children),
            "lset" => Atom::LeftLabels(node),
            "rset" => Atom::RightLabels(node),
            "tl" => Atom::TreeLabel(node),
            "t" => Atom::Tag(node),
            _ => {
                let names = Attribute::NAMES.join(" ");
                let message = format!(
                    "no attribute '{attribute}'; expected one of {names} l e nlp nrp nlc nrc np nc lset rset tl t"
                );
                return Err(self.error(column, message));
            }
        })
    }

    /// The node of an address such as `s0`, `b0+1`, `s0.lc2`.
    fn node(&mut self, address: &str, column: usize) -> Result<u16, TemplateError> {
        let mut current: Option<u16> = None;
        for component in address.split('.') {
            let sign = component.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-'));
            let (name, offset) = match sign {
                Some((at, _)) => (&component[..at], Some(&component[at..])),
                None => (component, None),
            };
            let expression = match current {
                None => base(name),
                Some(node) if name == "tp" => Some(NodeExpr::TreeParent(node)),
                Some(node) => neighbourhood(name).map(|which| NodeExpr::Neighbour(node, which)),
            };
            let Some(expression) = expression else {
                let expected = if current.is_none() {
                    "a node: s0 s1 s2 s3, m0 m1, b0 b1 b2 b3, w0 w1, or h d x y"
                } else {
                    "a neighbour: lp rp lc rc lc2 rc2, or tp"
                };
                return Err(self.error(column, format!("expected {expected}; found '{name}'")));
            };
            let mut node = intern(&mut self.nodes, expression);
            if let Some(offset) = offset {
                match offset.parse::<i8>() {
                    Ok(places) if (-9..=9).contains(&places) && places != 0 => {
                        node = intern(&mut self.nodes, NodeExpr::Offset(node, places));
                    }
                    _ => return Err(self.error(column, format!("expected -9 … +9, found '{offset}'"))),
                }
            }
            current = Some(node);
        }
        current.ok_or_else(|| self.error(column, "expected a node"))
    }
}

fn is_parameter(text: &str) -> bool {
    text.len() == 1 && text.as_bytes()[0].is_ascii_uppercase()
}

/// Puts the argument for the parameter at the start of an address.
fn substitute(text: &str, bindings: &[(&str, &str)]) -> String {
    for (parameter, argument) in bindings {
        if let Some(rest) = text.strip_prefix(parameter)
            && (rest.is_empty() || rest.starts_with(['.', '+', '-']))
        {
            return format!("{argument}{rest}");
        }
    }
    text.to_owned()
}

fn base(name: &str) -> Option<NodeExpr> {
    if let Some(index) = ["h", "d", "x", "y"].iter().position(|&part| part == name) {
        return Some(NodeExpr::Start(List::Part, index as u8));
    }
    let list = match name.chars().next()? {
        's' => List::Stack,
        'm' => List::Second,
        'b' => List::Buffer,
        'w' => List::Window,
        _ => return None,
    };
    let depth = name[1..].parse::<u8>().ok().filter(|&depth| depth < 8)?;
    Some(NodeExpr::Start(list, depth))
}

fn neighbourhood(name: &str) -> Option<Neighbourhood> {
    Some(match name {
        "lp" => Neighbourhood::LeftParent,
        "rp" => Neighbourhood::RightParent,
        "lc" => Neighbourhood::LeftChild,
        "lc2" => Neighbourhood::LeftChild2,
        "rc" => Neighbourhood::RightChild,
        "rc2" => Neighbourhood::RightChild2,
        _ => return None,
    })
}

fn intern<T: PartialEq>(items: &mut Vec<T>, item: T) -> u16 {
    let place = items.iter().position(|old| *old == item).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    });
    place as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(source: &str) -> Result<Templates, String> {
        Templates::parse("t", source).map_err(|error| error.to_string())
    }

    #[test]
    fn nodes_and_atoms_are_shared() {
        let t = parse("s0.w b0.w\ns0.w b0.p d(s0, b0) # a comment\n\nm0.lc2.l s0+1.p\n").unwrap();
        assert_eq!(t.len(), 3);
        assert_eq!(t.nodes.len(), 5);
        assert_eq!(t.ends, [2, 5, 7]);
        let t = parse("h.w d.tp.p path(h, d)\nx.tl lpath(h, y)").unwrap();
        assert_eq!((t.len(), t.nodes.len(), t.atoms.len()), (2, 5, 5));
    }

    #[test]
    fn macros_expand_their_arguments() {
        let with = parse("macro tri(X, Y)\n  X.w Y.lc.l\n  X-1.p d(X,Y)\nend\ntri(s0.rc, b0)").unwrap();
        let without = parse("s0.rc.w b0.lc.l\ns0.rc-1.p d(s0.rc,b0)").unwrap();
        assert_eq!((with.nodes, with.atoms, with.parts), (without.nodes, without.atoms, without.parts));
    }

    #[test]
    fn bad_templates_are_named_with_their_place() {
        for (source, place) in [
            ("s0.w\n  b0.w q0.w", "t:2:8: expected a node"),
            ("s0.zz", "t:1:1: no attribute 'zz'"),
            ("s0", "t:1:1: expected node.attribute"),
            ("s0.l", "t:1:1: '.l' goes with a neighbour"),
            ("s0.xx.w", "t:1:1: expected a neighbour"),
            ("s0.w s0.w", "t:1:6: 's0.w' stands twice"),
            ("d(s0)", "t:1:1: 'd' takes two nodes"),
            ("pair(s0,b0)", "t:1:1: no pair or macro 'pair'"),
            ("macro a(X)\nX.w", "t:1:1: macro 'a' has no 'end'"),
            ("macro a(X)\nX.w\nend\na(s0,b0)", "t:4:1: macro 'a' takes 1 nodes"),
            ("macro a(X)\nX.q\nend\na(s0)", "t:2:1: no attribute 'q'"),
            ("end", "t:1:1: 'end' without"),
            ("# nothing", "t:1:1: no template"),
            ("s0+99.w", "t:1:1: expected -9"),
            ("macro d(X)\nend", "t:1:7: 'd' is defined"),
            ("macro path(X)\nend", "t:1:7: 'path' is defined"),
            ("h0.w", "t:1:1: expected a node"),
            ("é.w", "t:1:1: expected a node"),
        ] {
            let error = parse(source).unwrap_err();
            assert!(error.starts_with(place), "{source:?} gave {error}");
        }
    }
}
