//! Small files of every format, written for the tests, in canonical form.

use pleach_formats::{Format, Reader, WriteError, Writer};
use pleach_graph::Sentence;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

pub const CONLLU: &str = "\
# newdoc id = d1
# sent_id = s1
# text = They don't buy New York and sell London .
1\tThey\tthey\tPRON\tPRP\tCase=Nom|Number=Plur\t4\tnsubj\t4:nsubj|7.1:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_
4\tbuy\tbuy\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\t_
5\tNew York\tNew York\tPROPN\tNNP\t_\t4\tobj\t4:obj\tNote=a b
6\tand\tand\tCCONJ\tCC\t_\t7\tcc\t7:cc|7.1:cc\t_
7\tsell\tsell\tVERB\tVB\t_\t4\tconj\t0:root|4:conj:and\t_
7.1\tbuy\tbuy\tVERB\tVB\t_\t_\t_\t4:conj:and|7:parataxis\tCopyOf=4
8\tLondon\tLondon\tPROPN\tNNP\t_\t7\tobj\t7:obj|7:obl:in|7.1:obj\t_
9\t.\t_\tPUNCT\t.\t_\t4\tpunct\t4:punct\t_

# sent_id = s2
0.1\tit\tit\tPRON\t_\t_\t_\t_\t1:nsubj\t_
1\t_\t_\tVERB\t_\t_\t_\t_\t0:root|1:self\t_
2\t我爱\t_\tX\t_\t_\t1\tdep\t_\t_

";

pub const SDP2014: &str = "\
#20001001
1\tPierre\tPierre\tNNP\t-\t+\t_\t_\t_
2\tsleeps\tsleep\tVBZ\t+\t+\tcompound\t_\t_
3\tand\t_\tCC\t-\t-\t_\t_\t_
4\tsnores\tsnore\tVBZ\t+\t+\t_\t_and_c\t_
5\t.\t_\t.\t-\t-\t_\t_\t_

#20001002
1\tYes\tyes\tUH\t+\t-

";

pub const SDP2015: &str = "\
#SDP 2015
#20001001
1\tPierre\tPierre\tNNP\t-\t+\tnamed:x-c\t_\tARG1
2\tsleeps\tsleep\tVBZ\t+\t+\tv:e-i\tcompound\t_
3\t.\t_\t.\t-\t-\t_\t_\t_

#20001002
1\tYes\tyes\tUH\t+\t-\t_

";

pub const SEMEVAL16: &str = "\
1\t我\t我\tPN\tPN\t_\t2\tAgt\t_\t_
1\t我\t我\tPN\tPN\t_\t3\tAgt\t_\t_
2\t爱\t爱\tVV\tVV\t_\t0\tRoot\t_\t_
3\t看\t看\tVV\tVV\t_\t2\tdCont\t_\t_
4\t书\t书\tNN\tNN\t_\t3\tCont\t_\t_
4\t书\t书\tVV\tVV\t_\t2\tPat\t_\t_
5\t。\t。\tPU\tPU\t_\t_\t_\t_\t_

1\t好\t好\tVA\tVA\t_\t0\tRoot\t_\t_

";

pub const MRP: &str = concat!(
    r#"{"id": "20001001", "flavor": 0, "framework": "dm", "version": 0.9, "time": "2019-04-09 (14:47)", "input": "Zoë sleeps, and snores.", "tops": [1], "nodes": [{"id": 0, "label": "Zoë", "properties": ["pos", "frame", "odd"], "values": ["NNP", "named:x-c", 3], "anchors": [{"from": 0, "to": 3}]}, {"id": 1, "label": "sleep", "properties": ["pos"], "values": ["VBZ"], "anchors": [{"from": 4, "to": 10}]}, {"id": 4, "label": "snore", "properties": ["pos"], "values": ["VBZ"], "anchors": [{"from": 16, "to": 22}]}], "edges": [{"source": 4, "target": 0, "label": "ARG1"}, {"source": 1, "target": 0, "label": "ARG1"}, {"source": 1, "target": 4, "label": "_and_c", "odd": true}]}"#,
    "\n",
    r#"{"id": "2", "flavor": 0, "input": "Yes", "nodes": [{"id": 0, "label": "yes", "anchors": [{"from": 0, "to": 3}]}], "edges": []}"#,
    "\n"
);

pub const JSONL: &str = concat!(
    r##"{"id": "s1", "text": "Zoë can't sleep", "comments": ["# newpar"], "words": [{"id": 1, "form": "Zoë", "lemma": "Zoë", "upos": "PROPN", "xpos": "NNP", "feats": "Number=Sing", "misc": "Gloss=\"Z\"", "head": 4, "deprel": "nsubj", "frame": "named:x-c", "predicate": true, "anchor": [0, 3], "extra": ["", "x"]}, {"id": 2, "form": "ca", "head": 4, "deprel": "aux"}, {"id": 3, "form": "n't"}, {"id": "3.1", "form": "_"}, {"id": 4, "form": "sleep\tin", "head": 0, "deprel": "root"}], "multiwords": [{"first": 2, "last": 3, "form": "can't", "misc": "SpaceAfter=No"}], "arcs": [["3.1", 1, "a|b"], [4, 1, ""], [4, 1, "nsubj"], [4, "3.1", "x"], [0, 4, "root"]], "extra": {"version": 0.9, "tags": ["a", {"b": null}]}}"##,
    "\n",
    r##"{"words": [{"id": 1, "form": "Yes"}], "arcs": []}"##,
    "\n",
    r##"{"id": "3", "comments": ["# first", "# sent_id = 3", "# sent_id = 4"], "words": [{"id": "0.1", "form": "e"}, {"id": 1, "form": "w"}], "arcs": [[1, "0.1", "dep"]]}"##,
    "\n"
);

pub const CONLLX: &str = "\
1\tDe\tde\tArt\tArt\tbep|zijd\t2\tdet\t_\t_
2\tman\tman\tN\tN\tsoort|ev\t3\tsu\t3\tsu
3\tloopt\tlopen\tV\tV\t_\t0\tROOT\t_\t_

1\tJa\tja\tInt\tInt\t_\t_\t_\t_\t_

";

pub const CONLL09: &str = "\
1\tThe\tthe\tthe\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\t_\t_\t_\t_
2\tplan\tplan\tplan\tNN\tNN\tn=s\tn=s\t3\t3\tSBJ\tSBJ\tY\tplan.01\t_\tA0
3\tfails\tfail\tfail\tVBZ\tVBZ\t_\t_\t0\t0\tROOT\tROOT\tY\tfail.01\t_\t_

1\tYes\tyes\tyes\tUH\tUH\t_\t_\t0\t0\tROOT\tROOT\t_\t_

";

pub const PARG: &str = "<s id=\"wsj_0001.1\"> 11
1 \t 0 \t N/N \t 1 \t Vinken Pierre
1 \t 8 \t (S[b]\\NP)/NP \t 1 \t Vinken join <XB>
10 \t 8 \t (S[b]\\NP)/NP \t 2 \t board join
9 \t 8 \t (S[b]\\NP)/NP \t 2 \t the join
<\\s>
<s id=\"wsj_0001.2\"> 0
<\\s>
";

pub const BRACKETS: &str = "\
( (S (NP-SBJ-1 (PRP They)) (VP (VBP want) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB sleep))))) (. .)) )
";

/// A canonical file of every format.
pub const FILES: [(Format, &str); 10] = [
    (Format::Conllu, CONLLU),
    (Format::Sdp2014, SDP2014),
    (Format::Sdp2015, SDP2015),
    (Format::Semeval16, SEMEVAL16),
    (Format::Jsonl, JSONL),
    (Format::Mrp, MRP),
    (Format::ConllX, CONLLX),
    (Format::Conll09, CONLL09),
    (Format::Parg, PARG),
    (Format::Brackets, BRACKETS),
];

/// A stream that can be looked at afterwards.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A reader over a text.
pub fn reader(text: impl Into<Vec<u8>>, format: impl Into<Option<Format>>) -> Reader {
    let input = io::Cursor::new(text.into());
    Reader::from_read("test", Box::new(input), format.into()).unwrap()
}

/// All sentences of a well-formed text.
pub fn read(text: &str, format: impl Into<Option<Format>>) -> Vec<Sentence> {
    reader(text, format).collect::<Result<_, _>>().unwrap()
}

/// The bytes of sentences, and what was lost.
pub fn write(sentences: &[Sentence], format: Format) -> Result<(String, String), WriteError> {
    let out = Shared::default();
    let mut writer = Writer::to_write(Box::new(out.clone()), format);
    for sentence in sentences {
        writer.write(sentence)?;
    }
    let losses = writer.finish()?;
    Ok((String::from_utf8(out.bytes()).unwrap(), losses.to_string()))
}
