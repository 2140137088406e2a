//! `pleach completions` and `pleach man`: what a shell and `man` want to know of the command.

use crate::failure::Failure;
use crate::help;
use crate::output::{self, Output};
use crate::plural::count;
use crate::say::say;
use clap_complete::Shell;
use std::path::PathBuf;

const COMPLETIONS: &str = "\
Examples:
  pleach completions bash > ~/.local/share/bash-completion/completions/pleach
  pleach completions zsh > ~/.zfunc/_pleach       with ~/.zfunc in fpath, before compinit
  pleach completions fish > ~/.config/fish/completions/pleach.fish";

const MAN: &str = "\
Examples:
  pleach man ~/.local/share/man/man1     then: man pleach, man pleach-parse";

/// Print the completions for a shell
#[derive(clap::Args)]
#[command(after_help = COMPLETIONS)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Write the manual pages
#[derive(clap::Args)]
#[command(after_help = MAN)]
pub struct Man {
    /// Folder for the pages, one for each verb; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs `pleach completions`.
pub fn completions(args: Completions) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "pleach", &mut bytes);
    output::print(String::from_utf8_lossy(&bytes))
}

/// Runs `pleach man`.
pub fn man(args: Man) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.folder).map_err(Output::unwritten(Some(&args.folder)))?;
    let pages = pages()?;
    for (name, page) in &pages {
        output::save(&args.folder.join(format!("{name}.1")), page.as_bytes())?;
    }
    say!("wrote {} to {}", count(pages.len(), "page"), args.folder.display());
    Ok(())
}

/// The names and texts of all pages.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let mut command = help::command_for(MAN_WIDTH).disable_help_subcommand(true);
    command.build();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    let all: Vec<clap::Command> = std::iter::once(command.clone()).chain(verbs).collect();
    let mut pages = Vec::new();
    for command in all {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let mut bytes = Vec::new();
        clap_mangen::Man::new(command).title(&name).render(&mut bytes)?;
        pages.push((name, as_written(&String::from_utf8_lossy(&bytes))));
    }
    Ok(pages)
}

/// The width of the columns in manual pages.
const MAN_WIDTH: usize = 72;

/// What follows the options has columns of its own, which `man` must not fill.
fn as_written(page: &str) -> String {
    let mut out = String::new();
    let mut written = false;
    for line in page.lines() {
        if line.starts_with(".SH") && std::mem::take(&mut written) {
            out.push_str(".fi\n");
        }
        out.push_str(line);
        out.push('\n');
        if line == ".SH EXTRA" {
            written = true;
            out.push_str(".nf\n");
        }
    }
    if written {
        out.push_str(".fi\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_page_and_is_completed() {
        let pages = match pages() {
            Ok(pages) => pages,
            Err(_) => unreachable!("pages are made of memory"),
        };
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"pleach") && names.contains(&"pleach-parse"), "{names:?}");
        let mut script = Vec::new();
        clap_complete::generate(Shell::Bash, &mut help::command(), "pleach", &mut script);
        let script = String::from_utf8(script).unwrap();
        for verb in help::command().get_subcommands() {
            let page =
                &pages.iter().find(|(name, _)| *name == format!("pleach-{}", verb.get_name())).unwrap().1;
            assert!(page.contains(".SH OPTIONS"), "{page}");
            assert!(!page.contains(".SH EXTRA\n") || page.contains(".SH EXTRA\n.nf\n"), "{page}");
            assert!(script.contains(&format!("pleach,{})", verb.get_name())), "{}", verb.get_name());
        }
    }
}
