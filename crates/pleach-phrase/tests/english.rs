//! The rules for Penn Treebank brackets.
#![allow(missing_docs)]

mod common;

use common::{ENGLISH, check, read};
use pleach_phrase::Language;

#[test]
fn clauses_and_auxiliaries() {
    check(
        "( (S (NP-SBJ (DT The) (JJ old) (NN man)) (VP (MD will) (RB not) (VP (VB give) (NP (PRP me)) (NP (DT a) (NN book)) (PP-TMP (IN on) (NP (NNP Monday))))) (. .)) )",
        ENGLISH,
        "man DMOD The, man AMOD old, give SBJ man, give AUX will, give ADV not, 0 ROOT give, give IO me, book DMOD a, give OBJ book, give TMP on, on OBJ Monday",
    );
    check(
        "( (S (NP-SBJ (PRP It)) (VP (VBZ is) (ADJP-PRD (RB very) (JJ good)))) )",
        ENGLISH,
        "is SBJ It, good ADV very, is PRD good, 0 ROOT is",
    );
    check(
        "( (S (NP-SBJ (PRP He)) (VP (VBD said) (SBAR (IN that) (S (NP-SBJ (PRP she)) (VP (VBD left)))))) )",
        ENGLISH,
        "said SBJ He, said COMP that, that COMP left, left SBJ she, 0 ROOT said",
    );
}

#[test]
fn traces() {
    // Passive.
    check(
        "( (S (NP-SBJ-1 (NNP Rome)) (VP (VBD was) (VP (VBN built) (NP (-NONE- *-1)) (PP (IN by) (NP-LGS (NNS men)))))) )",
        ENGLISH,
        "built SBJ Rome, built OBJ*ldd* Rome, built AUX was, built ADV by, by OBJ men, 0 ROOT built",
    );
    // Control.
    check(
        "( (S (NP-SBJ-1 (PRP He)) (VP (VBZ wants) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB go)))))) )",
        ENGLISH,
        "wants SBJ He, go SBJ*ldd* He, go AUX to, wants COMP go, 0 ROOT wants",
    );
    // A passive inside of a relative clause: a trace of a trace.
    check(
        "( (NP (NP (NNS houses)) (SBAR (WHNP-1 (WDT that)) (S (NP-SBJ-2 (-NONE- *T*-1)) (VP (VBD were) (VP (VBN built) (NP (-NONE- *-2))))))) )",
        ENGLISH,
        "houses RELATIVE built, built AUX were, built SBJ*ldd* houses, built SBJ*ldd* that, built OBJ*ldd* houses, built OBJ*ldd* that, 0 ROOT houses",
    );
    check(
        "( (NP (NP (DT the) (NN man)) (SBAR (WHNP-1 (-NONE- 0)) (S (NP-SBJ (PRP I)) (VP (VBD saw) (NP (-NONE- *T*-1)))))) )",
        ENGLISH,
        "man DMOD the, man RELATIVE saw, saw SBJ I, saw OBJ*ldd* man, 0 ROOT man",
    );
    check(
        "( (SBARQ (WHNP-1 (WP What)) (SQ (VBD did) (NP-SBJ (PRP you)) (VP (VB see) (NP (-NONE- *T*-1)))) (. ?)) )",
        ENGLISH,
        "see OBJ*ldd* What, see AUX did, see SBJ you, 0 ROOT see",
    );
    // Right node raising and extraposition.
    check(
        "( (VP (VP (VB buy) (NP (-NONE- *RNR*-1))) (CC and) (VP (VB sell) (NP (-NONE- *RNR*-1))) (NP-1 (NNS shares))) )",
        ENGLISH,
        "0 ROOT buy, 0 ROOT sell, buy OBJ shares, sell OBJ shares",
    );
}

#[test]
fn coordination() {
    check(
        "( (NP (JJ old) (NNS men) (CC and) (JJ young) (NNS women)) )",
        ENGLISH,
        "men AMOD old, women AMOD young, 0 ROOT men, 0 ROOT women",
    );
    check(
        "( (S (NP-SBJ (PRP He)) (VP (VBD bought) (CC and) (VBD sold) (NP (NNS shares)))) )",
        ENGLISH,
        "bought SBJ He, sold SBJ He, bought OBJ shares, sold OBJ shares, 0 ROOT bought, 0 ROOT sold",
    );
    check(
        "( (S (CC But) (NP-SBJ (PRP he)) (VP (VP (VBD came)) (CC and) (ADVP (RB then)) (VP (VBD left)))) )",
        ENGLISH,
        "came SBJ he, left SBJ he, left ADV then, 0 ROOT came, 0 ROOT left",
    );
    check(
        "( (NP (NP (NNP Kim)) (, ,) (NP (DT a) (NN doctor)) (, ,)) )",
        ENGLISH,
        "Kim APP doctor, doctor DMOD a, 0 ROOT Kim",
    );
}

#[test]
fn languages_are_guessed() {
    let guess = |tree: &str| Language::guess(read(tree)[0].phrase.as_deref().unwrap());
    assert_eq!(guess("( (S (NP (NN x)) (VP (VBD y))) )"), Some(Language::English));
    assert_eq!(guess("( (IP (NP (NN x)) (VP (VV y))) )"), Some(Language::Chinese));
    assert_eq!(guess("( (NP (NN 书)) )"), Some(Language::Chinese));
    assert_eq!(guess("( (NP (NN x)) )"), None);
}
