//! `--gr` as a user sees it.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FIRST: &str = "<S ID=1>
( (IP (NP-SBJ (PN 他)) (VP (VV 想) (IP-OBJ (NP-SBJ (-NONE- *PRO*)) (VP (VV 买) (NP-OBJ (NN 书))))) (PU 。)) )
</S>
";
const SECOND: &str = "<S ID=2>
( (FRAG (PU 。)) )
</S>
";

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gr-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.fid"), FIRST).unwrap();
    std::fs::write(folder.join("b.fid"), SECOND).unwrap();
    folder
}

fn pleach(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pleach")).current_dir(folder).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn several_files_become_one_graph_bank() {
    let folder = folder("several");
    // Releases have files without any tree.
    std::fs::write(folder.join("empty.nw"), "").unwrap();
    let output = pleach(&folder, &["convert", "a.fid", "empty.nw", "b.fid", "out.conllu", "--gr"]);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(errors, "warning: b.fid: sentence `2` has no head word and gets no root\n");
    let expected = "\
# sent_id = 1
# text = 他想买书。
1\t他\t_\t_\tPN\t_\t_\t_\t2:SBJ|3:SBJ*ldd*\t_
2\t想\t_\t_\tVV\t_\t_\t_\t0:ROOT\t_
3\t买\t_\t_\tVV\t_\t_\t_\t2:COMP\t_
4\t书\t_\t_\tNN\t_\t_\t_\t3:OBJ\t_
5\t。\t_\t_\tPU\t_\t_\t_\t_\t_

# sent_id = 2
# text = 。
1\t。\t_\t_\tPU\t_\t_\t_\t_\t_

";
    assert_eq!(std::fs::read_to_string(folder.join("out.conllu")).unwrap(), expected);
    for other in ["out.sdp", "out.conll"] {
        assert!(pleach(&folder, &["convert", "a.fid", other, "--gr", "chinese"]).status.success(), "{other}");
    }
}

#[test]
fn the_surface_tree_fills_head_and_deprel() {
    let folder = folder("surface");
    let output = pleach(&folder, &["convert", "a.fid", "-", "--to", "conllu", "--gr", "--surface"]);
    let found = text(&output.stdout);
    assert!(found.contains("\n3\t买\t_\t_\tVV\t_\t2\tCOMP\t2:COMP\t_\n"), "{found}");
    assert!(found.contains("\n5\t。\t_\t_\tPU\t_\t2\tPU\t_\t_\n"), "{found}");
}

#[test]
fn stages_and_statistics_are_printed() {
    let folder = folder("print");
    let stage = text(&pleach(&folder, &["convert", "a.fid", "--gr", "--stage", "4"]).stdout);
    assert!(stage.contains("IP{想}\n  NP-1000{他}\n"), "{stage}");
    let all = text(&pleach(&folder, &["convert", "a.fid", "--gr", "--explain"]).stdout);
    assert_eq!(all.matches("# stage").count(), 5, "{all}");
    let stats = text(&pleach(&folder, &["convert", "a.fid", "b.fid", "--gr", "--stats"]).stdout);
    assert!(stats.starts_with("2 sentences, 6 words, 1 without a head\n"), "{stats}");
    assert!(stats.contains("Graph∩Tree"), "{stats}");
    let json = text(&pleach(&folder, &["convert", "a.fid", "--gr", "--stats", "--json"]).stdout);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (json["tree"].as_u64(), json["graph"].as_u64(), json["shared"].as_u64()),
        (Some(5), Some(5), Some(4))
    );
}

#[test]
fn mistakes_are_explained() {
    let folder = folder("mistakes");
    std::fs::write(folder.join("x.conllu"), "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n").unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["convert", "x.conllu", "y.conllu", "--gr"], "--gr needs bracketed trees, `x.conllu` is conllu"),
        (&["convert", "a.fid", "--gr"], "two files are needed"),
        (&["convert", "a.fid", "b.conllu", "--surface"], "--gr"),
        (&["convert", "--gr", "a.fid", "b.conllu"], "unknown language `a.fid`"),
    ];
    for (args, expected) in cases {
        let output = pleach(&folder, args);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
    assert!(!folder.join("y.conllu").exists());
    std::fs::write(folder.join("bad.fid"), "( (IP (NP (NN 书)\n").unwrap();
    let output = pleach(&folder, &["convert", "bad.fid", "y.conllu", "--gr"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(
        "bad.fid:2:1: expected `)`, found the end of the file; open: NP from 1:7, IP from 1:3, ( from 1:1"
    ));
}

#[test]
fn the_enriched_tree_is_drawn_beside_the_graph() {
    let folder = folder("view");
    let output = pleach(&folder, &["view", "a.fid", "--gr", "-o", "a.svg"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let svg = std::fs::read_to_string(folder.join("a.svg")).unwrap();
    assert!(svg.contains("↓=(↑ SBJ)") && svg.contains("SBJ*ldd*"), "{svg}");
}
