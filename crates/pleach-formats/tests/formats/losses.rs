//! What a target format has no place for is counted, not dropped in silence.

use crate::fixtures::{CONLL09, CONLLU, CONLLX, FILES, MRP, PARG, SDP2015, SEMEVAL16, read, write};
use pleach_formats::Format;
use pleach_graph::Sentence;

#[track_caller]
fn lost(text: &str, to: Format) -> String {
    write(&read(text, None), to).unwrap().1
}

#[test]
fn from_conllu() {
    assert_eq!(
        lost(CONLLU, Format::Sdp2015),
        "2 empty nodes, 6 arcs of the graph, 1 further label on a pair, 2 basic trees, 1 multiword token, \
         10 coarse tags, 2 feature columns, 2 MISC columns, 2 comments"
    );
    assert_eq!(
        lost(CONLLU, Format::ConllX),
        "2 empty nodes, 19 arcs of the graph, 1 multiword token, 2 MISC columns, 2 comments, 2 sentence ids"
    );
    assert_eq!(
        lost(CONLLU, Format::Mrp),
        "2 empty nodes, 6 arcs of the graph, 2 basic trees, 1 multiword token, 1 coarse tag, \
         1 comment"
    );
}

#[test]
fn between_the_others() {
    assert_eq!(lost(SDP2015, Format::Sdp2014), "2 frames");
    assert_eq!(lost(SDP2015, Format::Conllu), "2 frames");
    assert_eq!(lost(SEMEVAL16, Format::Conllu), "");
    assert_eq!(lost(SEMEVAL16, Format::Sdp2015), "2 labels of root arcs, 6 coarse tags");
    assert_eq!(lost(MRP, Format::Sdp2015), "7 character anchors, 2 comments, 5 JSON attributes");
    assert_eq!(lost(MRP, Format::Conllu), "1 frame, 7 character anchors, 5 JSON attributes");
    assert_eq!(lost(CONLLX, Format::Conllu), "2 extra columns");
    assert_eq!(lost(CONLLX, Format::Conll09), "4 coarse tags");
    assert_eq!(
        lost(CONLL09, Format::ConllX),
        "1 arc of the graph, 2 frames, 1 mark of a predicate without arguments, 9 extra columns"
    );
    assert_eq!(lost(PARG, Format::Sdp2015), "");
}

#[test]
fn root_labels_and_several_labels_are_counted() {
    let text = "1\ta\t_\t_\t_\t_\t_\t_\t0:top|0:x|2:y\t_\n2\tb\t_\t_\t_\t_\t_\t_\t0:root|1:p|1:q|1:r\t_\n\n";
    assert_eq!(lost(text, Format::Sdp2015), "3 further labels on a pair, 1 label of a root arc");
    assert_eq!(lost(text, Format::Mrp), "1 further label on a pair, 2 labels of root arcs");
    assert_eq!(lost(text, Format::Conll09), "3 arcs of the graph, 2 further labels on a pair");
}

/// What is not lost must come back: from every format to every other and back again, the graph, the words and
/// whatever was not counted as lost stay.
#[test]
fn what_is_not_counted_comes_back() {
    for (from, text) in FILES {
        for to in Format::ALL {
            let sentences = read(text, from);
            let Ok((there, losses)) = write(&sentences, to) else { continue };
            if !losses.is_empty() {
                continue;
            }
            let (back, _) = write(&read(&there, to), from).unwrap();
            let expected = if from == Format::Semeval16 && to != from {
                text.replace("书\tVV\tVV\t_\t2", "书\tNN\tNN\t_\t2")
            } else {
                text.to_owned()
            };
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(sorted(&back), sorted(&expected), "{from} to {to}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let tab = Sentence::from_forms(["a\tb"]);
    let bar = {
        let mut sentence = Sentence::from_forms(["a"]);
        sentence.graph.insert(pleach_graph::NodeId::ROOT, pleach_graph::NodeId(1), "x|y".into());
        sentence
    };
    for format in
        [Format::Conllu, Format::Sdp2014, Format::Semeval16, Format::ConllX, Format::Conll09, Format::Parg]
    {
        let error = write(std::slice::from_ref(&tab), format).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot write sentence 1 as {format}: ")), "{error}");
    }
    assert!(write(&[bar], Format::Conllu).is_err());
    assert!(write(&read(SDP2015, None), Format::Parg).is_err());
    assert!(write(&[Sentence::default()], Format::Conllu).is_err());
}
