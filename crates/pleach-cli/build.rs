//! Tells the program which commit it is built from (`PLEACH_COMMIT`, and `PLEACH_VERSION` for `--version`): reports of experiments
//! carry it. Only programs that are shipped and measured know; a test build would be made again after every commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    let optimised = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    match if optimised { commit() } else { None } {
        Some(commit) => {
            println!("cargo:rustc-env=PLEACH_COMMIT={commit}");
            println!("cargo:rustc-env=PLEACH_VERSION={version} ({commit})");
        }
        None => println!("cargo:rustc-env=PLEACH_VERSION={version}"),
    }
}

/// The commit that is checked out, with a `+` if what the program is made of has changed since; none where this is no checkout
/// of ours, as in a crate that was unpacked inside of somebody else's.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    // A new commit or branch is a line of this log.
    println!(
        "cargo:rerun-if-changed={}",
        git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"])?
    );
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let sources = ["crates", "python/src", "Cargo.toml", "Cargo.lock"];
    let mut status = vec!["-C", &top, "status", "--porcelain", "--untracked-files=no", "--"];
    status.extend(sources);
    for source in sources {
        println!("cargo:rerun-if-changed={}", Path::new(&top).join(source).display());
    }
    let changed = if git(&status)?.is_empty() { "" } else { "+" };
    Some(git(&["rev-parse", "--short", "HEAD"])? + changed)
}

/// What Git says, if there is one and it agrees.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| said.trim().to_owned())
}
