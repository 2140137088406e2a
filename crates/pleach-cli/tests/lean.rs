//! What `cargo pleach` builds: parts that are left out say how to get them. `./test` runs this without the default features.

#![allow(clippy::unwrap_used)]
#![cfg(not(any(feature = "serve", feature = "zstd", feature = "encoders")))]

mod common;

use common::{failure, fine, lab};

const HOW: &str = "cargo install --path crates/pleach-cli";

#[test]
fn the_service_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    for options in ["", " -m en --addr 127.0.0.1:0"] {
        let (code, said) = failure(folder.path(), &format!("serve{options}"), b"");
        assert!(code == 2 && said.contains(HOW), "{said}");
    }
    let (help, _) = fine(folder.path(), "serve --help");
    assert!(help.contains("not part of this build"), "{help}");
}

#[test]
fn zstandard_says_how_to_get_it_and_gzip_works() {
    let lab = lab();
    let (_, said) = failure(lab.path(), "parse dev.conllu -m graph.pleach -o out.conllu.zst", b"");
    assert!(said.contains(HOW) && said.contains("gzip"), "{said}");
    let packed = [0x28, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0];
    std::fs::write(lab.path().join("in.conllu.zst"), packed).unwrap();
    let (_, said) = failure(lab.path(), "parse in.conllu.zst -m graph.pleach", b"");
    assert!(said.contains(HOW), "{said}");
    fine(lab.path(), "parse dev.conllu -m graph.pleach -o out.conllu.gz");
}

#[test]
fn encoders_say_how_to_get_them() {
    let lab = lab();
    std::fs::create_dir(lab.path().join("encoder")).unwrap();
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::write(lab.path().join("encoder").join(file), "{}").unwrap();
    }
    let command = "train biaffine --train train.conllu --epochs 1 --encoder encoder -o m.pleach";
    let (_, said) = failure(lab.path(), command, b"");
    assert!(said.contains(HOW), "{said}");
}

#[test]
fn trains_parses_and_draws() {
    let lab = lab();
    let (out, _) = fine(lab.path(), "parse dev.conllu -m graph.pleach --draw");
    assert!(out.contains('▼') || out.contains('◀'), "{out}");
}
