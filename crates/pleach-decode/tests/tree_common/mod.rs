//! All trees over a few nodes.

#![allow(dead_code)]

/// Calls `visit` with the heads of every tree over `n` nodes, the root being node 0.
pub fn all_trees(n: usize, mut visit: impl FnMut(&[u32])) {
    let mut heads = vec![0u32; n];
    for code in 0..n.pow(n as u32 - 1) {
        let mut rest = code;
        for head in heads.iter_mut().skip(1) {
            *head = (rest % n) as u32;
            rest /= n;
        }
        if is_tree(&heads) {
            visit(&heads);
        }
    }
}

/// Whether every word leads up to the root.
pub fn is_tree(heads: &[u32]) -> bool {
    (1..heads.len()).all(|word| {
        let mut node = word;
        for _ in 0..heads.len() {
            node = heads[node] as usize;
        }
        node == 0
    })
}

/// Whether every word between a head and its dependent hangs below that head.
pub fn is_projective(heads: &[u32]) -> bool {
    (1..heads.len()).all(|dependent| {
        let head = heads[dependent] as usize;
        (head.min(dependent) + 1..head.max(dependent)).all(|between| {
            let mut node = between;
            while node != 0 && node != head {
                node = heads[node] as usize;
            }
            node == head
        })
    })
}

/// How many dependents the root has.
pub fn roots(heads: &[u32]) -> usize {
    heads[1..].iter().filter(|&&head| head == 0).count()
}
