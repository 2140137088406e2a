//! The likelihood of a choice, as local losses have it.

/// Turns scores into the gradient of log p(right), p being their softmax; gives whether another choice scores better. What
/// scores minus infinity is no choice. O(choices).
pub(super) fn gradient(scores: &mut [f32], right: usize) -> bool {
    let best = scores.iter().fold(f32::NEG_INFINITY, |best, &score| best.max(score));
    let wrong = scores[right] < best;
    scores.iter_mut().for_each(|score| *score = (*score - best).exp());
    let total: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score = -*score / total);
    scores[right] += 1.0;
    wrong
}
