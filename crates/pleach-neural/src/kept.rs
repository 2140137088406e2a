//! Vectors of sentences that are computed once and kept.
//!
//! An encoder or a language model that does not learn gives a sentence the same vectors in every epoch, and costs more than
//! all the rest. So vectors are kept as f16: in memory up to a budget, beyond it in a file without a name. They are rounded
//! to f16 whether they are kept or not, so that nothing depends on which of them were.

use half::f16;
use half::slice::HalfFloatSliceExt;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

/// Vectors by the words of their sentence.
#[derive(Debug, Default)]
pub struct Kept {
    /// The bytes that may be kept in memory; `None` keeps nothing at all.
    budget: Option<usize>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    places: HashMap<u128, Place>,
    used: usize,
    file: Option<File>,
    end: u64,
}

#[derive(Debug)]
enum Place {
    Memory(Box<[f16]>),
    File { at: u64, length: usize },
}

impl Kept {
    /// Keeps vectors, so many megabytes of them in memory.
    pub fn new(megabytes: usize) -> Self {
        Kept { budget: Some(megabytes.saturating_mul(1 << 20)), state: Mutex::default() }
    }

    /// The vectors of sentences: those that are kept, and what `compute` gives for the others.
    pub fn vectors<E>(
        &self,
        sentences: &[&[&str]],
        compute: impl FnOnce(&[&[&str]]) -> Result<Vec<Vec<f32>>, E>,
    ) -> Result<Vec<Vec<f32>>, E> {
        let keys: Vec<u128> = sentences.iter().map(|words| key(words)).collect();
        let mut found: Vec<Option<Vec<f32>>> = keys.iter().map(|&key| self.get(key)).collect();
        let missing: Vec<usize> = (0..found.len()).filter(|&i| found[i].is_none()).collect();
        if !missing.is_empty() {
            let computed = compute(&missing.iter().map(|&i| sentences[i]).collect::<Vec<_>>())?;
            for (i, vectors) in missing.into_iter().zip(computed) {
                found[i] = Some(self.round(keys[i], vectors));
            }
        }
        Ok(found.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn get(&self, key: u128) -> Option<Vec<f32>> {
        self.budget?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { places, file, .. } = &mut *state;
        let mut out = Vec::new();
        match places.get(&key)? {
            Place::Memory(numbers) => {
                out.resize(numbers.len(), 0.0);
                numbers.convert_to_f32_slice(&mut out);
            }
            // What can't be read any more is computed again.
            Place::File { at, length } => {
                let numbers = read(file.as_mut()?, *at, *length).ok()?;
                out.resize(numbers.len(), 0.0);
                numbers.convert_to_f32_slice(&mut out);
            }
        }
        Some(out)
    }

    /// Rounds vectors and keeps them.
    fn round(&self, key: u128, mut vectors: Vec<f32>) -> Vec<f32> {
        let mut numbers = vec![f16::ZERO; vectors.len()];
        numbers.convert_from_f32_slice(&vectors);
        numbers.convert_to_f32_slice(&mut vectors);
        let Some(budget) = self.budget else { return vectors };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = 2 * numbers.len();
        if state.used + bytes <= budget {
            state.used += bytes;
            state.places.insert(key, Place::Memory(numbers.into()));
        } else if let Ok(place) = state.write(&numbers) {
            // Where a full disk keeps nothing, the next epoch computes it again.
            state.places.insert(key, place);
        }
        vectors
    }

    /// The bytes in memory, and those in a file.
    pub fn size(&self) -> (usize, u64) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.used, state.end)
    }
}

impl State {
    fn write(&mut self, numbers: &[f16]) -> io::Result<Place> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let at = self.end;
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&bytes)?;
        self.end += bytes.len() as u64;
        Ok(Place::File { at, length: numbers.len() })
    }
}

fn read(file: &mut File, at: u64, length: usize) -> io::Result<Vec<f16>> {
    let mut bytes = vec![0; 2 * length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes.as_chunks::<2>().0.iter().map(|&bytes| f16::from_le_bytes(bytes)).collect())
}

/// A hash of a sentence's words that no two sentences of any treebank share.
fn key(words: &[&str]) -> u128 {
    let mut hash = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D_u128;
    let mut add = |byte: u8| hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013B);
    for word in words {
        word.bytes().for_each(&mut add);
        // No word of a text has this byte.
        add(0xFF);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn compute(sentences: &[&[&str]]) -> Result<Vec<Vec<f32>>, Infallible> {
        let numbers = |words: &&[&str]| words.iter().map(|word| word.len() as f32 / 3.0).collect();
        Ok(sentences.iter().map(numbers).collect())
    }

    #[test]
    fn what_is_kept_is_what_is_computed() {
        let sentences: Vec<Vec<&str>> =
            vec![vec!["a", "bb"], vec!["ab", "b"], vec!["a", "bbbb", "c"], vec![]];
        let all: Vec<&[&str]> = sentences.iter().map(|words| &words[..]).collect();
        let plain = Kept::default().vectors(&all, compute).unwrap();
        assert_ne!(plain[0][0], 1.0 / 3.0);
        // In memory; half in a file; all in a file.
        for kept in [Kept::new(1), Kept { budget: Some(8), ..Kept::default() }, Kept::new(0)] {
            assert_eq!(kept.vectors(&all, compute).unwrap(), plain);
            let never = |_: &[&[&str]]| -> Result<Vec<Vec<f32>>, Infallible> { unreachable!("kept") };
            let mut turned = kept.vectors(&[all[2], all[0], all[3], all[1]], never).unwrap();
            turned.swap(2, 3);
            turned.swap(0, 2);
            turned.swap(0, 1);
            assert_eq!(turned, plain);
            let (memory, file) = kept.size();
            assert_eq!(memory as u64 + file, 14);
        }
    }

    #[test]
    fn words_are_told_apart_by_where_they_end() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["", "a"]), key(&["a", ""]));
        assert_ne!(key(&[]), key(&[""]));
    }
}
