//! Phrase structure with traces to grammatical-relation graphs.

pub mod tree;
