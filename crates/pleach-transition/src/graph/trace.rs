//! Derivations for people: the names of transitions and the configurations they lead to.

use super::action::{Addition, Edge, Move, Step};
use super::labels::Labels;
use super::state::State;
use super::system::System;
use crate::Node;

/// One line of a derivation: a transition and the configuration after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The step; none for the initial configuration.
    pub step: Option<Step>,
    /// The primary stack or list, the top last.
    pub stack: Vec<Node>,
    /// The second stack or list in the order in which it is read from left to right: λ' of S_L continues λ,
    /// σ' of S_2S has its top last.
    pub second: Vec<Node>,
    /// The buffer, the front first.
    pub buffer: Vec<Node>,
    /// The arcs (head, dependent, label set) that the step has added.
    pub added: Vec<(Node, Node, u16)>,
}

/// Runs steps of an oracle and writes down every configuration.
pub fn trace(system: &System, len: usize, steps: &[Step]) -> Vec<Line> {
    let mut state = State::default();
    system.start(len, &mut state);
    let mut lines = vec![line(system, &state, None, Vec::new())];
    for &step in steps {
        let added = added_by(step, &state);
        system.perform(step, &mut state);
        lines.push(line(system, &state, Some(step), added));
    }
    lines
}

fn line(system: &System, state: &State, step: Option<Step>, added: Vec<(Node, Node, u16)>) -> Line {
    let mut second = state.second.clone();
    if system.settings().kind.about().continues {
        second.reverse();
    }
    let buffer = state.buffer.iter().rev().copied().collect();
    Line { step, stack: state.stack.clone(), second, buffer, added }
}

fn added_by(step: Step, state: &State) -> Vec<(Node, Node, u16)> {
    let (top, front) = (state.stack_at(0), state.buffer_at(0));
    if let Addition::Loop(label) = step.add {
        return vec![(top, top, label)];
    }
    let Edge { left, right } = step.add.edge(top).unwrap_or_default();
    let both = [(front, top, left), (top, front, right)];
    both.into_iter().filter(|&(_, _, label)| label != 0).collect()
}

/// The name of a move in the papers; [`Move::Stay`] has none.
pub fn move_name(mv: Move) -> &'static str {
    match mv {
        Move::Stay => "",
        Move::Shift => "SHIFT",
        Move::Pop => "POP",
        Move::Swap => "SWAP",
        Move::Mem => "MEM",
        Move::Recall => "RECALL",
        Move::NoArc => "NO-ARC",
    }
}

/// The name of a step in the style of the papers: `LEFT-ARC(nsubj)-SHIFT`.
pub fn step_name(step: Step, labels: &Labels) -> String {
    let mut parts = Vec::new();
    let mut arc = |name: &str, set: u16| {
        if set != 0 {
            parts.push(format!("{name}({})", labels.set(set).join("|")));
        }
    };
    match step.add {
        Addition::None => {}
        Addition::Edge(edge) => {
            arc("LEFT-ARC", edge.left);
            arc("RIGHT-ARC", edge.right);
        }
        Addition::Loop(label) => arc("SELF-ARC", label),
        Addition::Root(label) => arc("ROOT-ARC", label),
    }
    if step.mv != Move::Stay {
        let tag = labels.tag_name(step.tag);
        let name = move_name(step.mv);
        parts.push(if tag.is_empty() { name.to_owned() } else { format!("{name}({tag})") });
    }
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::super::oracle::oracle;
    use super::super::settings::{Kind, Root, Settings};
    use super::super::system::System;
    use super::*;
    use pleach_graph::{Graph, NodeId, Text};

    fn derivation(kind: Kind, combined: bool, root: Root) -> (Vec<Line>, Vec<String>) {
        let settings = Settings { root, supertags: true, ..Settings::new(kind, combined) };
        let mut graph = Graph::new(3);
        for (head, dependent, label) in [(0, 2, "root"), (3, 1, "a"), (2, 3, "b"), (3, 2, "c")] {
            graph.insert(NodeId(head), NodeId(dependent), Text::from(label));
        }
        let mut labels = Labels::new(&settings, false);
        let gold = labels.encode(&graph, &["".into(), "see.1".into(), "".into()]).unwrap();
        let system = System::new(&settings);
        let lines = trace(&system, 3, &oracle(&system, &gold).steps);
        let names = lines.iter().filter_map(|line| Some(step_name(line.step?, &labels))).collect();
        (lines, names)
    }

    #[test]
    fn lists_as_in_figure_15() {
        let (lines, names) = derivation(Kind::List, false, Root::First);
        let expected = [
            "SHIFT",
            "NO-ARC",
            "RIGHT-ARC(root)",
            "SHIFT(see.1)",
            "LEFT-ARC(c)-RIGHT-ARC(b)",
            "NO-ARC",
            "LEFT-ARC(a)",
            "SHIFT",
        ];
        assert_eq!(names, expected);
        assert_eq!(lines[0].stack, [0]);
        assert_eq!(lines[0].buffer, [1, 2, 3]);
        assert_eq!((&lines[2].stack[..], &lines[2].second[..]), (&[0][..], &[1][..]));
        assert_eq!(lines[5].added, [(3, 2, 3), (2, 3, 4)]);
        assert_eq!(lines.last().unwrap().stack, [0, 1, 2, 3]);
    }

    #[test]
    fn a_top_is_part_of_the_tag_when_there_is_no_root() {
        let (_, names) = derivation(Kind::TwoStack, true, Root::None);
        let expected =
            ["SHIFT", "SHIFT(see.1, top root)", "LEFT-ARC(c)-RIGHT-ARC(b)-POP", "LEFT-ARC(a)-SHIFT"];
        assert_eq!(names, expected);
    }
}
