//! Nodes as parsers number them: small, with values for what is not there.

/// A node inside a parser: 0 is the virtual root, `1..=n` are the words.
pub type Node = u16;

/// "No node": the value of an absent neighbour.
pub const NONE: Node = u16::MAX;

/// The place before the first word: it has no word, but scorers see that it is named.
pub const LEFT_EDGE: Node = NONE - 2;

/// The place behind the last word.
pub const RIGHT_EDGE: Node = NONE - 1;

/// How many words a sentence may have: node numbers and counts of nodes must fit into 16 bits.
pub const MAX_WORDS: usize = 65_000;
