//! Reading and then writing gives the same bytes.

use crate::fixtures::{CONLLU, FILES, MRP, SEMEVAL16, Shared, read, reader, write};
use pleach_formats::{Format, Reader, Writer};
use pleach_graph::{NodeId, TokenId};
use std::io::Write;

#[test]
fn canonical_files_come_back() {
    for (format, text) in FILES {
        let sentences = read(text, None);
        let (again, losses) = write(&sentences, format).unwrap();
        assert_eq!(again, text, "{format}");
        assert_eq!(losses, "", "{format}");
    }
}

/// JSON lines keep whatever the other formats say, but for brackets.
#[test]
fn json_lines_keep_everything() {
    for (format, text) in FILES.into_iter().filter(|(format, _)| *format != Format::Brackets) {
        let mut sentences = read(text, format);
        let (lines, losses) = write(&sentences, Format::Jsonl).unwrap();
        assert_eq!(losses, "", "{format}");
        // Notes are about the layout of the other format's files.
        sentences.iter_mut().for_each(|s| s.extra.retain(|key, _| !key.starts_with("pleach:")));
        assert_eq!(read(&lines, None), sentences, "{format}");
    }
}

#[test]
fn bytes_and_vectors() {
    for (format, text) in FILES {
        let mut writer = Writer::to_vec(format);
        for sentence in Reader::from_bytes("text", text.as_bytes(), None).unwrap() {
            writer.write(&sentence.unwrap()).unwrap();
        }
        let (bytes, losses) = writer.into_vec().unwrap();
        assert!(bytes == text.as_bytes() && losses.is_empty(), "{format}");
    }
}

#[test]
fn formats_are_recognised() {
    for (format, text) in FILES {
        assert_eq!(reader(text, None).format(), format);
        // Blank lines, a byte order mark and other line ends do not matter.
        let text = format!("\u{FEFF}\n\n{}", text.replace('\n', "\r\n"));
        assert_eq!(reader(text, None).format(), format);
    }
    // The header of SDP 2015 may be missing.
    let headless = crate::fixtures::SDP2015.trim_start_matches("#SDP 2015\n");
    assert_eq!(reader(headless, None).format(), Format::Sdp2015);
    // Without DEPS, comments and repeated rows the tags decide between CoNLL-U and CoNLL-X.
    assert_eq!(reader("1\ta\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", None).format(), Format::Conllu);
    assert_eq!(reader("1\ta\t_\tNN\tNN\t_\t0\troot\t_\t_\n\n", None).format(), Format::ConllX);
    assert!(Reader::from_read("empty", Box::new(std::io::empty()), None).is_err());
    assert!(Reader::from_read("text", Box::new(&b"Some words."[..]), None).is_err());
}

#[test]
fn line_ends_byte_order_marks_and_missing_ends_are_tolerated() {
    for (format, text) in FILES {
        if format == Format::Brackets {
            continue;
        }
        let sentences = read(text, format);
        let crlf = format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
        let (again, _) = write(&read(&crlf, format), format).unwrap();
        if format == Format::Parg {
            assert_eq!(again.replace('\r', ""), text);
        } else {
            assert_eq!(again, text, "{format} with CRLF");
        }
        assert_eq!(read(text.trim_end(), format).len(), sentences.len(), "{format} without end");
    }
}

#[test]
fn empty_files_have_no_sentences() {
    for format in Format::ALL {
        assert_eq!(reader("", format).count(), 0, "{format}");
        assert_eq!(reader("\n \n\r\n\n", format).count(), 0, "{format}");
    }
    assert_eq!(write(&[], Format::Sdp2015).unwrap().0, "#SDP 2015\n");
}

#[test]
fn compressed_files_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let sentences = read(CONLLU, None);
    for name in ["a.conllu", "a.conllu.gz", "a.conllu.zst"] {
        let path = folder.path().join(name);
        let mut writer = Writer::create(&path, None).unwrap();
        sentences.iter().for_each(|sentence| writer.write(sentence).unwrap());
        assert!(!path.exists(), "a file appears only when it is complete");
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes == CONLLU.as_bytes(), name == "a.conllu");
        assert_eq!(pleach_formats::read_file(&path).unwrap(), sentences);
        // Several members or frames one after the other are one file.
        let twice: Vec<u8> = [bytes.clone(), bytes].concat();
        let reader = Reader::from_read("twice", Box::new(std::io::Cursor::new(twice)), None).unwrap();
        assert_eq!(reader.count(), 2 * sentences.len());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file stays");
}

#[test]
fn a_dropped_writer_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(&folder.path().join("a.conllu"), None).unwrap();
    writer.write(&read(CONLLU, None)[0]).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn cut_off_gzip_is_an_error() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(CONLLU.repeat(50).as_bytes()).unwrap();
    let mut bytes = packed.finish().unwrap();
    bytes.truncate(bytes.len() / 2);
    let mut reader =
        Reader::from_read("cut", Box::new(std::io::Cursor::new(bytes)), Some(Format::Conllu)).unwrap();
    let error = reader.by_ref().find_map(Result::err).unwrap();
    assert!(!error.is_recoverable() && error.to_string().starts_with("cut: "), "{error}");
    assert!(reader.next().is_none());
}

#[test]
fn unusual_orders_are_kept_until_the_graph_changes() {
    let text = "1\ta\t_\t_\t_\t_\t_\t_\t2:x|0:root|2:b\t_\n2\tb\t_\t_\t_\t_\t_\t_\t1:z|1:a\t_\n\n";
    let mut sentences = read(text, Format::Conllu);
    assert_eq!(write(&sentences, Format::Conllu).unwrap().0, text);
    sentences[0].graph.insert(NodeId(1), NodeId(2), "c".into());
    let (changed, _) = write(&sentences, Format::Conllu).unwrap();
    assert_eq!(changed, text.replace("1:z|1:a", "1:a|1:c|1:z"));

    let mut sentences = read(SEMEVAL16, None);
    sentences[0].graph.insert(NodeId(1), NodeId(4), "New".into());
    let (changed, _) = write(&sentences, Format::Semeval16).unwrap();
    let rows: Vec<&str> = changed.lines().filter(|line| line.starts_with('4')).collect();
    assert_eq!(
        rows,
        [
            "4\t书\t书\tNN\tNN\t_\t1\tNew\t_\t_",
            "4\t书\t书\tNN\tNN\t_\t2\tPat\t_\t_",
            "4\t书\t书\tNN\tNN\t_\t3\tCont\t_\t_"
        ]
    );

    let mut sentences = read(MRP, None);
    sentences[0].graph.insert(NodeId(1), NodeId(2), "New".into());
    sentences[0].tokens[1].lemma = "doze".into();
    let (changed, _) = write(&sentences, Format::Mrp).unwrap();
    let expected = MRP.replace("\"label\": \"sleep\"", "\"label\": \"doze\"");
    let expected = expected
        .replace("\"odd\": true}]", "\"odd\": true}, {\"source\": 0, \"target\": 1, \"label\": \"New\"}]");
    assert_eq!(changed, expected);
}

#[test]
fn what_conllu_says_is_understood() {
    let sentences = read(CONLLU, None);
    let s = &sentences[0];
    assert_eq!((s.sent_id(), s.len(), s.multiwords.len()), (Some("s1"), 10, 1));
    let london = s.node(TokenId::word(8)).unwrap();
    assert_eq!(london, NodeId(9));
    let empty = s.node(TokenId { word: 7, empty: 1 }).unwrap();
    let heads: Vec<_> = s.graph.heads_of(london).map(|arc| (arc.head, arc.label.as_str())).collect();
    assert_eq!(heads, [(NodeId(7), "obj"), (NodeId(7), "obl:in"), (empty, "obj")]);
    assert_eq!(s.tokens[4].form, "New York");
    assert_eq!(s.tokens[6].head, Some(NodeId(4)));
    assert_eq!(s.graph.tops().collect::<Vec<_>>(), [NodeId(4), NodeId(7)]);
    let s = &sentences[1];
    assert_eq!((s.tokens[0].id, s.tokens[1].form.as_str()), (TokenId { word: 0, empty: 1 }, "_"));
    assert!(s.graph.has_edge(NodeId(2), NodeId(1)) && s.graph.has_edge(NodeId(2), NodeId(2)));
    assert_eq!(s.tokens[1].head, None);
}

#[test]
fn words_that_are_no_nodes_are_cut_from_the_text() {
    let s = &read(MRP, None)[0];
    let forms: Vec<&str> = s.tokens.iter().map(|token| token.form.as_str()).collect();
    assert_eq!(forms, ["Zoë", "sleeps", ",", "and", "snores", "."]);
    assert_eq!(s.tokens[3].anchor, Some((12, 15)));
    assert_eq!(s.text(), Some("Zoë sleeps, and snores."));
}

#[test]
fn escapes_beyond_ascii_come_back() {
    let text = MRP.replace('ë', "\\u00eb");
    assert_eq!(write(&read(&text, None), Format::Mrp).unwrap().0, text);
}

#[test]
fn parg_takes_words_from_a_companion() {
    let folder = tempfile::tempdir().unwrap();
    let parg = folder.path().join("a.parg");
    std::fs::write(&parg, crate::fixtures::PARG).unwrap();
    let sentence = "Pierre Vinken , 61 years old , will join the board .";
    let derivation = sentence.split(' ').map(|word| format!("(<L N NN NN {word} N>)")).collect::<Vec<_>>();
    let companions = [
        ("a.txt", format!("{sentence}\nYes\n")),
        (
            "a.auto",
            format!(
                "ID=wsj_0001.1 PARSER=GOLD\n{}\nID=wsj_0001.2 PARSER=GOLD\n(<L N UH UH Yes N>)\n",
                derivation.join(" ")
            ),
        ),
    ];
    for (name, text) in companions {
        let words = folder.path().join(name);
        std::fs::write(&words, text).unwrap();
        let options = pleach_formats::ReadOptions { words: Some(words), ..Default::default() };
        let sentences: Vec<_> = Reader::open_with(&parg, &options).unwrap().map(Result::unwrap).collect();
        let forms: Vec<&str> = sentences[0].tokens.iter().map(|token| token.form.as_str()).collect();
        assert_eq!(forms.join(" "), sentence);
        assert_eq!(sentences[1].tokens[0].form, "Yes");
        assert_eq!(sentences[0].graph.heads_of(NodeId(2)).count(), 2);
        assert_eq!(write(&sentences, Format::Parg).unwrap().0, crate::fixtures::PARG);
    }
    // Without one, words that no line mentions are unknown.
    assert_eq!(pleach_formats::read_file(&parg).unwrap()[0].tokens[2].form, "_");
}

#[test]
fn streams_are_written_whole() {
    let out = Shared::default();
    let mut writer = Writer::to_write(Box::new(out.clone()), Format::Conllu);
    read(CONLLU, None).iter().for_each(|sentence| writer.write(sentence).unwrap());
    assert!(writer.losses().is_empty());
    writer.finish().unwrap();
    assert_eq!(out.bytes(), CONLLU.as_bytes());
}
