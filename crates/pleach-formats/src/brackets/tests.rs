use super::*;
use crate::{Format, Reader, Writer};
use proptest::prelude::*;
use std::io::Write;
use std::sync::{Arc, Mutex};

fn read_bytes(bytes: &[u8]) -> Vec<Result<Sentence, ReadError>> {
    let input = Box::new(std::io::Cursor::new(bytes.to_vec()));
    Reader::from_read("t.fid", input, Some(Format::Brackets)).unwrap().collect()
}

fn read(text: &str) -> Vec<Sentence> {
    read_bytes(text.as_bytes()).into_iter().map(Result::unwrap).collect()
}

fn errors(text: &str) -> Vec<String> {
    read_bytes(text.as_bytes()).into_iter().filter_map(Result::err).map(|error| error.to_string()).collect()
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn written(sentences: &[Sentence]) -> String {
    let out = Shared::default();
    let mut writer = Writer::to_write(Box::new(out.clone()), Format::Brackets);
    sentences.iter().for_each(|sentence| writer.write(sentence).unwrap());
    writer.finish().unwrap();
    let bytes = out.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

const CANONICAL: &str = "\
<S ID=1>
( (IP (NP-SBJ-1 (-NONE- *PRO*)) (VP (VV 来) (NP=1 (NN 家))) (PU 。)) )
</S>
<S ID=2>
( (FRAG (NR 北京)) )
( (FRAG (NN 电)) )
( (FRAG (PU ）)) )
</S>
<S>
(IP (VP (VV 走)))
( (NP (NN a)) )
</S>
<S ID=\"a b\">
( (S (NP (PRP it)) (VP (VBZ is) (-LRB- -LRB-))) )
</S>
";

#[test]
fn canonical_files_come_back() {
    let sentences = read(CANONICAL);
    assert_eq!(sentences.len(), 7);
    assert_eq!(written(&sentences), CANONICAL);
    let bare = "( (NP (NN a)) )\n(NP (NN b))\n";
    assert_eq!(written(&read(bare)), bare);
}

#[test]
fn words_ids_and_texts() {
    let sentences = read(CANONICAL);
    let ids: Vec<_> = sentences.iter().map(|s| s.sent_id()).collect();
    assert_eq!(ids, [Some("1"), Some("2"), Some("2.2"), Some("2.3"), None, None, Some("a b")]);
    assert_eq!(sentences[0].text(), Some("来家。"));
    assert_eq!(sentences[6].text(), Some("it is -LRB-"));
    let words: Vec<_> = sentences[0].tokens.iter().map(|t| (t.form.as_str(), t.xpos.as_str())).collect();
    assert_eq!(words, [("来", "VV"), ("家", "NN"), ("。", "PU")]);
    assert_eq!(sentences[0].graph.len(), 3);
}

const RELEASE: &str = "<?xml version=\"1.0\"?>
<DOC>
<DOCID> chtb_0001 </DOCID>
<HEADER>
<DATE> 1994 (sic) </DATE>
some words
</HEADER>
<BODY>
<HEADLINE>
<S ID=1>
( (NP-HLN (NR 浦东)
          (NN 法规)) )
</S>
</HEADLINE>
<TEXT>
<P>
<S ID=2>
( (IP (NP-SBJ
         (PN 他))
      (VP
       (VV 走)))
) ( (FRAG (PU 。)) )
</S>
</P>
</TEXT>
</BODY>
</DOC>
";

#[test]
fn whole_releases_in_any_encoding() {
    let sentences = read(RELEASE);
    assert_eq!(sentences.len(), 3);
    assert_eq!(sentences[0].comments, ["# newdoc id = chtb_0001", "# sent_id = 1", "# text = 浦东法规"]);
    assert_eq!(sentences[2].comments, ["# sent_id = 2.2", "# text = 。"]);
    let (gbk, _, _) = encoding_rs::GBK.encode(RELEASE);
    let from_gbk: Vec<Sentence> = read_bytes(&gbk).into_iter().map(Result::unwrap).collect();
    assert_eq!(from_gbk, sentences);
    // The first Chinese character may come late.
    let late = format!("{}{RELEASE}", "( (NP (NN a)) )\n".repeat(20_000));
    let (late, _, _) = encoding_rs::GBK.encode(&late);
    let late: Vec<Sentence> = read_bytes(&late).into_iter().map(Result::unwrap).collect();
    assert_eq!(late[20_000..], sentences);
    // The format is told from the content, whatever the encoding.
    for bytes in [RELEASE.as_bytes().to_vec(), gbk.to_vec()] {
        let reader = Reader::from_read("x", Box::new(std::io::Cursor::new(bytes)), None).unwrap();
        assert_eq!(reader.format(), Format::Brackets);
    }
}

#[test]
fn errors_name_the_place_and_what_was_open() {
    let unclosed =
        "<S ID=1>\n( (IP (NP-SBJ (NN 书))\n      (VP (VV 看)\n</S>\n<S ID=2>\n( (NP (NN 好)) )\n</S>\n";
    assert_eq!(
        errors(unclosed),
        ["t.fid:4:1: expected `)`, found a tag; open: VP from 3:7, IP from 2:3, ( from 2:1"]
    );
    let rest = read_bytes(unclosed.as_bytes()).into_iter().filter_map(Result::ok).collect::<Vec<_>>();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].sent_id(), Some("2"));
    for (text, expected) in [
        (
            "( (NP (NN 书 书)) )",
            "t:1:13: expected `)` after the word `书`, found `书`; open: NN from 1:7, NP from 1:3, ( from 1:1",
        ),
        (
            "( (NP (NN)) )",
            "t:1:10: expected a word or children of `NN` (opened at 1:7), found `)`; open: NP from 1:3, ( from 1:1",
        ),
        (
            "( )",
            "t:1:3: expected a word or children of the brackets without a label (opened at 1:1), found `)`",
        ),
        (
            "( (NP (NN a) b) )",
            "t:1:14: expected `(` or `)` among the children of `NP`, found `b`; open: NP from 1:3, ( from 1:1",
        ),
        (
            "( (NP (NN a (NN b))) )",
            "t:1:13: expected `)` after the word `a`, found `(`; open: NN from 1:7, NP from 1:3, ( from 1:1",
        ),
        ("words", "t:1:1: expected `(` or a tag, found `words`"),
        ("<S ID=1", "t:1:1: expected `>` at the end of the tag"),
        ("( (NP (NN a))", "t:2:1: expected `)`, found the end of the file; open: ( from 1:1"),
        ("( (NP (NN a)) ) )", "t:1:17: expected `(` or a tag, found `)`"),
    ] {
        assert_eq!(errors(text), [expected.replace("t:", "t.fid:")], "{text}");
    }
}

#[test]
fn reading_goes_on_with_the_next_tree() {
    let text = "( (NP (NN a)\n( (NP (NN b)) )\n( (NP (NN c) d))\n  (NN e)) )\n( (NP (NN f)) )\n";
    let items = read_bytes(text.as_bytes());
    let words: Vec<Option<&str>> =
        items.iter().map(|item| item.as_ref().ok().map(|s| s.tokens[0].form.as_str())).collect();
    assert_eq!(words, [None, Some("b"), None, Some("f")]);
    // An unindented tree under another label is a continuation, not a new tree.
    assert_eq!(read("(IP (NP (NN a))\n(VP (VV b)))\n").len(), 1);
    assert_eq!(errors("(IP (NP (NN a))\n(IP (VP (VV b)))\n").len(), 1);
}

#[test]
fn depth_is_bounded() {
    for closing in [0, 100_000] {
        let text = format!("{}{}\n( (NP (NN ok)) )\n", "(X ".repeat(100_000), ")".repeat(closing));
        let items = read_bytes(text.as_bytes());
        assert!(items[0].as_ref().unwrap_err().to_string().contains("at most 1000 brackets"));
        assert_eq!(items.last().unwrap().as_ref().unwrap().tokens[0].form, "ok");
        assert_eq!(items.len(), 2);
    }
    let deep = format!("{}(N x){}", "(X ".repeat(999), ")".repeat(999));
    assert_eq!(written(&read(&deep)), format!("{deep}\n"));
}

#[test]
fn what_cannot_be_written_is_said() {
    let mut sentence = read("( (NP (NN a)) )").remove(0);
    let mut writer = Writer::to_write(Box::new(std::io::sink()), Format::Brackets);
    let mut fails = |sentence: &Sentence| writer.write(sentence).unwrap_err().to_string();
    sentence.phrase = Some(Box::new(Phrase::Leaf { tag: "NN".into(), word: "a b".into() }));
    assert!(fails(&sentence).ends_with("\"a b\" cannot stand between brackets"));
    sentence.phrase = Some(Box::new(Phrase::Node { label: "NP".into(), children: Vec::new() }));
    assert!(fails(&sentence).ends_with("has no children"));
    sentence.phrase = None;
    assert!(fails(&sentence).ends_with("it has no bracketed tree"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever is done to a file, reading it ends, and what comes out can be written and read again.
    #[test]
    fn mutated_files_do_no_harm(
        base in prop::sample::select(vec![CANONICAL, RELEASE]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..12),
    ) {
        let mut bytes = base.as_bytes().to_vec();
        for (place, kind, byte) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            let symbols = b"()<> \n/S*-=";
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, symbols[byte as usize % symbols.len()]),
                _ => bytes.truncate(at),
            }
        }
        let good: Vec<Sentence> = read_bytes(&bytes).into_iter().filter_map(Result::ok).collect();
        for sentence in &good {
            let phrases: Vec<_> = read(&written(std::slice::from_ref(sentence))).into_iter().map(|s| s.phrase).collect();
            prop_assert_eq!(phrases, vec![sentence.phrase.clone()]);
        }
    }
}

/// 24 KB of gzip became 3.8 GB: all trees of a line were held at once.
#[test]
fn many_trees_on_one_line_are_read_one_by_one() {
    let count = 200_000;
    let text = format!("<S ID=7>{}</S>\n(B (C d))\n", "(A b)".repeat(count));
    let mut source = Source::new("t", Box::new(std::io::Cursor::new(text.into_bytes()))).unwrap();
    let mut reader = BracketsReader::default();
    let mut found = 0;
    while let Some(sentence) = reader.read(&mut source) {
        let sentence = sentence.unwrap();
        found += 1;
        assert!(reader.ready.len() <= AHEAD + 1, "{} trees are held", reader.ready.len());
        match found {
            1 => assert_eq!(sentence.sent_id(), Some("7")),
            _ if found <= count => assert_eq!(sentence.sent_id(), Some(format!("7.{found}").as_str())),
            _ => assert_eq!((sentence.sent_id(), sentence.tokens[0].form.as_str()), (None, "d")),
        }
    }
    assert_eq!(found, count + 1);
}

#[test]
fn errors_behind_many_trees_keep_their_places() {
    let text = format!("{}(C)\n(D e)\n", "(A b) ".repeat(100));
    assert_eq!(
        errors(&text),
        ["t.fid:1:603: expected a word or children of `C` (opened at 1:601), found `)`"]
    );
    assert_eq!(read_bytes(text.as_bytes()).iter().filter(|item| item.is_ok()).count(), 101);
}

/// The fuzz target asked for the same bytes of each tree alone, but these two share an `<S>`.
#[test]
fn trees_that_share_a_sentence_come_back_together() {
    let sentences = read("<S>(A b)(A b)");
    let text = written(&sentences);
    assert_eq!(text, "<S>\n(A b)\n(A b)\n</S>\n");
    assert_eq!(written(&read(&text)), text);
}
