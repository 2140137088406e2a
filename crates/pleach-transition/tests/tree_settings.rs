//! Settings as TOML, and the reasons why some make no sense.

#![allow(clippy::unwrap_used)]

use pleach_transition::tree::check::check;
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::settings::{Bound, Settings};

fn read(text: &str) -> Settings {
    toml::from_str(text).unwrap()
}

fn reason(text: &str) -> String {
    check(&read(text)).unwrap_err().to_string()
}

#[test]
fn a_system_is_a_few_lines_of_toml() {
    let arc_eager = "
        capacity = 2
        root = 'right'
        transitions = [
          { base = 'left-arc' },
          { base = 'right-arc', bottom_up = false, arc_shift = true },
          { base = 'reduce', periphery = 'left' },
          { base = 'shift' },
        ]";
    assert_eq!(read(arc_eager), Preset::ArcEager.settings());
    let easy_first = "capacity = 'inf'\ntransitions = [{ base = 'left-arc' }, { base = 'right-arc' }]";
    assert_eq!(read(easy_first), Preset::EasyFirst.settings());
    assert_eq!(read(&easy_first.replace("'inf'", "inf")).capacity, Bound::Infinite);
}

#[test]
fn presets_make_sense_and_are_read_back() {
    for preset in Preset::ALL {
        let settings = preset.settings();
        check(&settings).unwrap();
        assert_eq!(read(&toml::to_string(&settings).unwrap()), settings);
        assert_eq!(preset.name().parse::<Preset>().unwrap(), preset);
    }
    let error = "arc-hybrid".parse::<Preset>().unwrap_err().to_string();
    assert!(error.contains("arc-hybrid") && error.contains("hybrid, dag"), "{error}");
}

#[test]
fn mistakes_in_the_text_are_named() {
    let error = |text: &str| toml::from_str::<Settings>(text).unwrap_err().to_string();
    assert!(error("capacity = 0\ntransitions = []").contains("a number from 1 to 65535 or \"inf\""));
    assert!(error("capacity = -2\ntransitions = []").contains("integer `-2`"));
    assert!(error("capacity = 2\ntransitions = [{ base = 'swap' }]").contains("left-arc"));
    assert!(
        error("capacity = 2\ntransitions = [{ base = 'shift', speed = 1 }]")
            .contains("unknown field `speed`")
    );
}

#[test]
fn nonsense_is_rejected_with_the_reason() {
    let arcs = "{ base = 'left-arc' }, { base = 'right-arc' }";
    let system = |globals: &str, transitions: &str| format!("{globals}\ntransitions = [{transitions}]");
    let cases = [
        ("capacity = 1", format!("{arcs}, {{ base = 'shift' }}"), "an arc needs two active tokens"),
        ("capacity = 3\ndistance = 3", format!("{arcs}, {{ base = 'shift' }}"), "at most 2 apart"),
        ("capacity = 3\nfill = 4", format!("{arcs}, {{ base = 'shift' }}"), "at most the capacity 3"),
        ("capacity = 'inf'\nfill = 4", arcs.to_owned(), "operative from the start"),
        ("capacity = 'inf'", format!("{arcs}, {{ base = 'shift' }}"), "SHIFT is never possible in this system: all tokens are operative"),
        ("capacity = 2", format!("{arcs}, {{ base = 'shift' }}, {{ base = 'reduce' }}"), "REDUCE is never possible in this system: every arc reduces its modifier already"),
        ("capacity = 2", format!("{arcs}, {{ base = 'shift' }}, {{ base = 'left-arc' }}"), "LEFT-ARC is there twice"),
        ("capacity = 2", format!("{arcs}, {{ base = 'shift', periphery = 'left' }}"), "SHIFT works on U"),
        ("capacity = 2", format!("{arcs}, {{ base = 'shift', bottom_up = false }}"), "parameters of arcs"),
        ("capacity = 2", "{ base = 'shift' }".to_owned(), "without arcs there is no tree"),
        ("capacity = 2", "{ base = 'left-arc' }, { base = 'shift' }".to_owned(), "dead end: nothing is possible with O = [root 1] after the start"),
        ("capacity = 2\nroot = 'left'", "{ base = 'left-arc' }, { base = 'right-arc', bottom_up = false, arc_shift = true }, { base = 'reduce', periphery = 'left' }, { base = 'shift' }".to_owned(), "need the root on the right"),
        ("capacity = 2\nroot = 'right'", "{ base = 'left-arc' }, { base = 'right-arc', bottom_up = false }, { base = 'shift' }".to_owned(), "need REDUCE"),
    ];
    for (globals, transitions, expected) in cases {
        let text = system(globals, &transitions);
        let found = reason(&text);
        assert!(found.contains(expected), "{text}\n{found}");
    }
}
