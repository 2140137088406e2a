//! Malformed input is an error that says where and what, and reading goes on behind it.

use crate::fixtures::{
    CONLL09, CONLLU, CONLLX, JSONL, MRP, PARG, SDP2014, SDP2015, SEMEVAL16, read, reader, write,
};
use pleach_formats::{
    Format, MAX_ARCS, MAX_SENTENCE_BYTES, MAX_TOKENS, MAX_UNKNOWN_WORDS, ReadError, Reader,
};
use std::io::Read;

/// Replaces a part of a canonical file and expects an error where `to` has a `¦`, after which all the other
/// sentences are read.
#[track_caller]
fn expect(format: Format, text: &str, from: &str, to: &str, says: &str) {
    assert!(text.contains(from), "{from} is not in the file");
    let marked = text.replacen(from, to, 1);
    let before = marked.split('¦').next().unwrap();
    let place = (
        before.matches('\n').count() as u64 + 1,
        before.rsplit('\n').next().unwrap().chars().count() as u64 + 1,
    );
    let items: Vec<_> = reader(marked.replace('¦', ""), format).collect();
    let errors: Vec<_> = items.iter().filter_map(|item| item.as_ref().err()).collect();
    let [ReadError::Syntax { file, line, column, message }] = errors[..] else {
        panic!("expected one error, found {errors:?}");
    };
    assert_eq!((file.as_str(), *line, *column), ("test", place.0, place.1), "{message}");
    assert!(message.contains(says), "{message}");
    assert_eq!(items.len(), read(text, format).len());
}

#[test]
fn conllu() {
    let e = |from, to, says| expect(Format::Conllu, CONLLU, from, to, says);
    e("1\tThey", "¦2\tThey", "expected the id 1, found 2");
    e("2-3\t", "¦3-4\t", "starts with 2");
    e("2-3\tdon't\t_\t_\t_\t_\t_", "2-3\tdon't\t_\t_\t_\t_\t¦4", "expected `_` as HEAD");
    e("9\t.\t_\tPUNCT", "¦8-9\t.\t_\t_\t_\t_\t_\t_\t_\t_\n9\t.\t_\tPUNCT", "starts with 9");
    e("\t4\tnsubj\t4:nsubj", "\t¦14\tnsubj\t4:nsubj", "found 14");
    e("4:nsubj|7.1", "4:nsubj|¦8.1", "found 8.1");
    e("4:nsubj|7.1", "4:nsubj|¦x", "expected `head:label` in DEPS, found `x:nsubj`");
    e("4:nsubj|7.1:nsubj", "4:nsubj|¦7.1:", "found `7.1:`");
    e("2\tdo", "¦1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdo", "expected the id 2, found 1.1");
    e("7.1\tbuy", "¦7.2\tbuy", "expected the id 7.1, found 7.2");
    e("\tdo\tdo\tAUX", "\tdo\t¦\tAUX", "expected LEMMA or `_`, found nothing");
    e("2\tdo\tdo\tAUX", "¦2\tdo do\tAUX", "expected 10 columns separated by tabs, found 9");
    e("3\tn't", "¦# x\n3\tn't", "comment inside");
    e("2\t我爱\t_\tX", "¦2\t我爱\t_\tX\t_", "found 11");
    e("2\t我爱\t_\tX\t_\t_\t1", "2\t我爱\t_\tX\t_\t_\t¦7", "found 7");
    e("\t我爱", "\t¦", "expected FORM");
    e("2\t我爱\t_\tX\t_\t_\t1\tdep\t_\t_\n", "2-3\t我爱\t_\t_\t_\t_\t_\t_\t_\t_\n¦", "expected word 3");
}

#[test]
fn sdp() {
    let e = |from, to, says| expect(Format::Sdp2015, SDP2015, from, to, says);
    e("NNP\t-\t+", "NNP\t¦*\t+", "expected `+` or `-` as TOP, found `*`");
    e(
        "1\tPierre\tPierre\tNNP\t-\t+",
        "¦1\tPierre\tPierre\tNNP\t-\t-",
        "expected 1 argument columns, one for each `+` in PRED, found 2",
    );
    e(
        "2\tsleeps\tsleep\tVBZ\t+\t+\tv:e-i\tcompound\t_",
        "¦2\tsleeps\tsleep\tVBZ\t+\t+\tv:e-i\tcompound",
        "expected 9 columns separated by tabs, found 8",
    );
    e("compound", "¦", "expected a label");
    e("3\t.", "¦4\t.", "expected the id 3, found `4`");
    e("\tYes\t", "\t¦\t", "expected FORM");
    expect(Format::Sdp2014, SDP2014, "1\tYes\tyes\tUH\t+\t-", "¦1\tYes", "at least 6");
}

#[test]
fn semeval16_and_conllx() {
    let e = |from, to, says| expect(Format::Semeval16, SEMEVAL16, from, to, says);
    e("1\t我\t我\tPN\tPN\t_\t3", "1\t¦他\t我\tPN\tPN\t_\t3", "expected the form `我` again, found `他`");
    e("2\t爱", "¦3\t爱", "expected the id 2");
    e("3\tCont", "¦9\tCont", "within the 5 words, found 9");
    e("2\tPat", "¦_\t_", "expected the number of a word as HEAD");
    let e = |from, to, says| expect(Format::ConllX, CONLLX, from, to, says);
    e("\t2\tdet", "\t¦x\tdet", "expected the number of a word or `_` as HEAD, found `x`");
    e("2\tman", "¦1\tman", "expected the id 2");
}

#[test]
fn conll09() {
    let e = |from, to, says| expect(Format::Conll09, CONLL09, from, to, says);
    e("SBJ\tY", "SBJ\t¦N", "expected `Y` or `_` as FILLPRED, found `N`");
    e(
        "1\tThe\tthe\tthe\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\t_",
        "¦1\tThe\tthe\tthe\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\tY",
        "expected 3 argument columns",
    );
    e("\t2\t2\tNMOD", "\t¦8\t2\tNMOD", "found 8");
}

#[test]
fn mrp() {
    let e = |from, to, says| expect(Format::Mrp, MRP, from, to, says);
    e("\"flavor\": 0", "¦\"flavor\": 1", "expected flavor 0, where nodes are tokens, found 1");
    e("\"flavor\": 0", "\"flavor\" ¦0", "expected a JSON object: expected `:`");
    e("\"tops\": [1]", "¦\"tops\": [9]", "expected the id of one of 6 tokens, found 9");
    e("\"nodes\": [{\"id\": 0", "¦\"nodes\": [{\"id\": 1", "found 1 twice");
    e("\"nodes\": [{\"id\": 0", "¦\"nodes\": [{\"id\": 99999", "as the id of a node, found 99999");
    e("\"nodes\": [{\"id\": 0", "¦\"nodes\": [{\"id\": 5", "in the order of their anchors");
    e(
        "\"anchors\": [{\"from\": 0, \"to\": 3}]",
        "¦\"anchors\": [{\"from\": 0, \"to\": 99}]",
        "within the 23 characters",
    );
    e("\"edges\": [{\"source\": 4", "¦\"edges\": [{\"source\": \"4\"", "the source of an edge, found \"4\"");
    let deep = format!("{{\"x\": {}", "[".repeat(100_000));
    assert!(reader(deep, Format::Mrp).next().unwrap().unwrap_err().to_string().contains("recursion limit"));
}

#[test]
fn parg() {
    let e = |from, to, says| expect(Format::Parg, PARG, from, to, says);
    e("<s id=\"wsj_0001.1\"> 11", "¦<s 11", "expected `<s id=");
    e("> 11", ">¦ eleven", "expected a number");
    e("1 \t 0 \t N/N \t 1", "1 \t 0 \t N/N \t ¦x", "expected the number of a slot, found `x`");
    e("\t Vinken Pierre", "\t Vinken¦", "expected the functor, found the end of the line");
    e("Pierre\n", "Pierre ¦XB\n", "expected a mark such as <XB>");
    e("10 \t 8", "¦99999 \t 8", "the argument's number below 65535, found `99999`");
    // A missing end costs only the sentence it belongs to.
    e("the join\n<\\s>\n", "the join\n¦", "expected `<\\s>`");
}

#[test]
fn bytes_that_are_not_utf8_are_named() {
    let mut bytes = CONLLU.as_bytes().to_vec();
    let place = CONLLU.find("爱").unwrap();
    bytes[place + 1] = b'x';
    let items: Vec<_> = reader(bytes, Format::Conllu).collect();
    assert_eq!(items.len(), 2);
    let error = items[1].as_ref().unwrap_err().to_string();
    assert_eq!(error, "test:19:4: expected UTF-8, found the byte 0xE7");
}

/// What is longer than a sentence may be is not kept, whatever it looks like.
#[test]
fn hostile_lengths_are_errors() {
    for format in [Format::Conllu, Format::Sdp2015, Format::Mrp, Format::Parg, Format::Brackets] {
        for unit in [&b"a"[..], b"#\n", b"\t", b"(", b"1\ta\n", b"{\"a\":"] {
            let size = MAX_SENTENCE_BYTES as u64 + (1 << 20);
            let endless = unit.repeat(size as usize / unit.len());
            let endless = std::io::Cursor::new(endless).chain(&b"\n\n"[..]);
            let items = Reader::from_read("endless", Box::new(endless), Some(format)).unwrap();
            for sentence in items.take(1000).flatten() {
                assert!(sentence.len() <= MAX_TOKENS);
            }
        }
    }
}

#[test]
fn long_sentences_are_stepped_over() {
    let long = format!("# {}\n", "x".repeat(MAX_SENTENCE_BYTES));
    let text = format!("{CONLLU}{long}1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n{CONLLU}");
    let items: Vec<_> = reader(text, Format::Conllu).collect();
    assert_eq!(items.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true, true]);
    let error = items[2].as_ref().unwrap_err().to_string();
    assert!(error.starts_with("test:21:1: expected a sentence of at most 16 MB"), "{error}");
    // Line numbers behind it are right.
    let broken = format!("{long}1\ta\n\n1\tb\n");
    let items: Vec<_> = reader(broken, Format::Conllu).collect();
    assert!(items[1].as_ref().unwrap_err().to_string().starts_with("test:4:1: "));
}

/// These would take hours if anything were quadratic in them.
#[test]
fn hostile_sentences_end() {
    let deps: Vec<String> = (0..500_000).rev().map(|i| format!("1:l{i:06}")).collect();
    let text = format!("1\ta\t_\t_\t_\t_\t_\t_\t{}\t_\n\n", deps.join("|"));
    let sentences = read(&text, Format::Conllu);
    assert!(write(&sentences, Format::Conllu).unwrap().0 == text);
    assert!(write(&sentences, Format::Sdp2015).is_ok());

    let rows: String = (0..200_000).rev().map(|i| format!("1\ta\t_\t_\t_\t_\t1\tl{i:06}\t_\t_\n")).collect();
    let text = format!("{rows}\n");
    assert!(write(&read(&text, Format::Semeval16), Format::Semeval16).unwrap().0 == text);

    for input in [
        "x".repeat(1 << 20),
        ". ".repeat(1 << 19),
        "(".repeat(1 << 20),
        " ".repeat(1 << 20),
        "--".repeat(1 << 19),
    ] {
        for nodes in
            ["{\"id\": 65534}", "{\"id\": 60000, \"anchors\": [{\"from\": 9, \"to\": 9}]}", "{\"id\": 1}"]
        {
            let text = format!("{{\"input\": \"{input}\", \"nodes\": [{nodes}], \"edges\": []}}\n");
            for sentence in reader(text, Format::Mrp).flatten() {
                assert!(write(&[sentence], Format::Mrp).is_ok());
            }
        }
    }

    // Every word a predicate with an argument column: too wide to be written, and found out before.
    let rows: String = (1..=MAX_TOKENS).map(|i| format!("{i}\ta\t_\t_\t_\t_\t_\t_\t{i}:x\t_\n")).collect();
    let sentences = read(&rows, Format::Conllu);
    assert!(write(&sentences, Format::Sdp2014).unwrap_err().to_string().contains("too many"));
}

#[test]
fn too_many_tokens_are_an_error() {
    let rows: String = (1..=MAX_TOKENS + 1).map(|i| format!("{i}\ta\t_\t_\t_\t_\t_\t_\t_\t_\n")).collect();
    let items: Vec<_> = reader(rows, Format::Conllu).collect();
    let [Err(error)] = &items[..] else { panic!("expected one error") };
    assert_eq!(error.to_string(), "test:65536:1: expected at most 65535 tokens in a sentence");
}

#[test]
fn a_missing_file_is_named() {
    let Err(error) = Reader::open("no/such/file.conllu".as_ref(), None) else { panic!("it opened") };
    assert!(error.to_string().starts_with("no/such/file.conllu: "), "{error}");
    assert!(!error.is_recoverable());
}

/// 44 KB of `.parg` became 3.1 GB of CoNLL-U: a header alone stood for 65,535 words.
#[test]
fn words_that_are_only_counted_are_few() {
    let most = MAX_UNKNOWN_WORDS;
    let parg = |last: usize| format!("<s id=\"x\"> {last}\n<\\s>\n");
    let mrp = |last: usize| format!("{{\"id\": \"x\", \"nodes\": [{{\"id\": {last}}}]}}\n");
    assert_eq!(read(&parg(most - 1), Format::Parg)[0].len(), most);
    assert_eq!(read(&mrp(most), Format::Mrp)[0].len(), most + 1);
    for (format, text) in [(Format::Parg, parg(MAX_TOKENS - 1)), (Format::Mrp, mrp(MAX_TOKENS - 1))] {
        let error = reader(text, format).next().unwrap().unwrap_err().to_string();
        assert!(error.contains(&format!("expected at most {most} words")), "{error}");
    }
    let words = MAX_UNKNOWN_WORDS + 1;
    let rows: String = (1..=words).map(|i| format!("{i}\ta\t_\t_\t_\t_\t_\t_\t_\t_\n")).collect();
    let sentence = &read(&format!("# sent_id = x\n{rows}\n"), Format::Conllu)[0];
    let mut writer = pleach_formats::Writer::to_write(Box::new(std::io::sink()), Format::Parg);
    assert!(writer.write(sentence).is_err(), "what is written can be read");
}

#[test]
fn jsonl() {
    let e = |from, to, says| expect(Format::Jsonl, JSONL, from, to, says);
    e(r#""id": 2, "form": "ca""#, r#""id": ¦3, "form": "ca""#, "expected the id 2, or 1.1 for an empty node");
    e(r#""form": "ca", "head": 4"#, r#""form": "ca", "head": ¦14"#, "found 14");
    e(r#"[4, "3.1", "x"]"#, r#"[4, ¦"3.2", "x"]"#, "found 3.2");
    e(r#"[0, 4, "root"]"#, r#"[4, ¦0, "root"]"#, "which is the root");
    e(r#"{"first": 2, "last": 3"#, r#"¦{"first": 2, "last": 5"#, "found 2-5");
    e(r##"["# newpar"]"##, r#"[¦"newpar"]"#, "starts with `#`");
    e(r#""anchor": [0, 3]"#, r#""anchor": ¦[4, 3]"#, "not beyond its end");
    e(r#"{"id": 1, "form": "Yes"}"#, r#"{"id": 1, "form": ¦""}"#, "expected a form");
    e(r#"[{"id": 1, "form": "Yes"}]"#, "¦[]", "at least one word");
    // What JSON itself says has the column where its parser stood.
    for (from, to, says) in [
        (r#""form": "Yes""#, r#""from": "Yes""#, "unknown field `from`"),
        (r#""id": 1, "form": "Yes""#, r#""id": "1-2", "form": "Yes""#, "the number of a word"),
        (r#"{"id": 1, "form": "Yes"}"#, r#"{"id": 1}"#, "missing field `form`"),
        (r#""arcs": []}"#, r#""arcs": ["#, "EOF"),
    ] {
        assert!(JSONL.contains(from));
        let items: Vec<_> = reader(JSONL.replacen(from, to, 1), Format::Jsonl).collect();
        let [Ok(_), Err(ReadError::Syntax { line: 2, column, message, .. }), Ok(_)] = &items[..] else {
            panic!("{items:?}");
        };
        assert!(*column > 10 && message.contains(says), "{column}: {message}");
    }
}

/// `tops` escaped the limit of arcs.
#[test]
fn tops_count_as_arcs() {
    let tops = vec!["0"; MAX_ARCS + 1].join(",");
    let text = format!("{{\"nodes\": [{{\"id\": 0, \"label\": \"a\"}}], \"tops\": [{tops}]}}\n");
    let error = reader(text, Format::Mrp).next().unwrap().unwrap_err().to_string();
    assert!(error.contains("arcs in a sentence"), "{error}");
}

/// Escapes in a file or in its name passed into error messages.
#[test]
fn messages_cannot_steer_the_terminal() {
    let text = "1\t\u{1b}[2J\t_\t_\t_\t_\t\u{1b}]0;x\u{7}\t_\t_\t\u{9b}\n\n";
    let name = "\u{1b}[31m.conllu";
    for format in Format::ALL {
        let input = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        for item in Reader::from_read(name, input, Some(format)).unwrap() {
            let message = item.map(|_| String::new()).unwrap_or_else(|error| error.to_string());
            assert!(!message.chars().any(char::is_control), "{message:?}");
        }
    }
}

/// What formats without empty nodes wrote of such a sentence was a sentence without words, which no reader takes.
#[test]
fn a_sentence_of_empty_nodes_is_not_written_without_them() {
    let sentences = read("# sent_id = s\n0.1\tit\t_\t_\t_\t_\t_\t_\t0:root\t_\n\n", Format::Conllu);
    assert!(write(&sentences, Format::Conllu).is_ok() && write(&sentences, Format::Jsonl).is_ok());
    for format in Format::ALL.into_iter().filter(|format| !matches!(format, Format::Conllu | Format::Jsonl)) {
        assert!(write(&sentences, format).is_err(), "{format}");
    }
}

/// A word of white space alone has no place in the text of MRP.
#[test]
fn words_that_mrp_cannot_tell_are_counted_or_refused() {
    let row = |form: &str, deps: &str| format!("1\t{form}\t_\tX\t_\t_\t_\t_\t{deps}\t_\n\n");
    assert!(write(&read(&row("\u{3000}", "_"), Format::Conllu), Format::Mrp).is_err());
    let (text, lost) = write(&read(&row(" es", "0:root"), Format::Conllu), Format::Mrp).unwrap();
    assert_eq!(
        (read(&text, Format::Mrp)[0].tokens[0].form.as_str(), lost.as_str()),
        ("es", "1 word without arcs")
    );
}
