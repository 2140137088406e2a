//! Which sentences go into a batch together: those of about the same length, because then every step of the encoder
//! has as many rows as there are sentences.
//!
//! For parsing this only decides about speed. For training it decides about what is learnt together, so lengths are
//! blurred and batches come in random order. O(n log n).

use crate::random::Random;

/// By how many words lengths are blurred in training.
const BLUR: f32 = 3.0;

/// Groups of about `words` nodes for parsing, by increasing length.
pub fn by_length(lengths: &[usize], words: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| lengths[i]);
    cut(&order, lengths, words)
}

/// Groups of about `words` nodes for an epoch of training, in random order.
pub fn for_training(lengths: &[usize], words: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let keys: Vec<f32> = lengths.iter().map(|&length| length as f32 + BLUR * random.unit()).collect();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]));
    let mut groups = cut(&order, lengths, words);
    random.shuffle(&mut groups);
    groups
}

fn cut(order: &[usize], lengths: &[usize], words: usize) -> Vec<Vec<usize>> {
    let (mut groups, mut group, mut size) = (Vec::new(), Vec::new(), 0);
    for &i in order {
        group.push(i);
        size += lengths[i];
        if size >= words {
            groups.push(std::mem::take(&mut group));
            size = 0;
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_is_in_one_group() {
        let lengths: Vec<usize> = (0..50).map(|i| i * 7 % 23 + 1).collect();
        let mut random = Random::new(1);
        for groups in [by_length(&lengths, 40), for_training(&lengths, 40, &mut random)] {
            let mut all: Vec<usize> = groups.iter().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..50).collect::<Vec<_>>());
            for group in &groups {
                let total: usize = group.iter().map(|&i| lengths[i]).sum();
                assert!(total < 40 + 23);
                let (least, most) =
                    (group.iter().map(|&i| lengths[i]).min(), group.iter().map(|&i| lengths[i]).max());
                assert!(most.unwrap() - least.unwrap() <= 6);
            }
        }
        assert!(by_length(&[], 10).is_empty());
    }
}
