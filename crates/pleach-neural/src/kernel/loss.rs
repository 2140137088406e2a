//! Losses of scores, and their gradients.
//!
//! ```text
//! sigmoid    L = −Σ y log σ(s) + (1−y) log(1−σ(s)) = Σ max(s,0) − s y + log(1+e^−|s|)      dL/ds = σ(s) − y
//! softmax    L = −log(e^s_gold / Σ e^s)                                                  dL/ds = p − [gold]
//! several    L = −log(Σ_{i∈gold} e^s_i / Σ e^s)                                          dL/ds = p − p|gold
//! margin     L = max(0, 1 + max_{i∉gold} s_i − max_{i∈gold} s_i)                         dL/ds = ±1 at the two
//! ```
//!
//! Each writes gradients times `weight` in place of the scores' and returns the loss, unweighted and in double
//! precision. Linear in the number of scores.

/// Sigmoid cross-entropy of independent decisions; `gold` says for each score whether it should be positive.
pub fn sigmoid(scores: &[f32], gold: &[bool], weight: f32, gradient: &mut [f32]) -> f64 {
    let mut loss = 0.0;
    for ((&score, &gold), gradient) in scores.iter().zip(gold).zip(gradient) {
        let small = (-score.abs()).exp();
        let target = f32::from(u8::from(gold));
        loss += f64::from(score.max(0.0) - score * target + small.ln_1p());
        let positive = 1.0 / (1.0 + small);
        let probability = if score >= 0.0 { positive } else { 1.0 - positive };
        *gradient = (probability - target) * weight;
    }
    loss
}

/// Writes the probabilities of one row of scores; returns the logarithm of the sum.
pub fn probabilities(scores: &[f32], out: &mut [f32]) -> f32 {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (out, score) in out.iter_mut().zip(scores) {
        *out = (score - most).exp();
        sum += *out;
    }
    out.iter_mut().for_each(|out| *out /= sum);
    most + sum.ln()
}

/// Softmax cross-entropy of one row against one class.
pub fn softmax(scores: &[f32], gold: usize, weight: f32, gradient: &mut [f32]) -> f64 {
    let total = probabilities(scores, gradient);
    gradient[gold] -= 1.0;
    gradient.iter_mut().for_each(|g| *g *= weight);
    f64::from(total - scores[gold])
}

/// Softmax cross-entropy of one row against a set of classes, any of which is right. 0 if the set is empty.
pub fn softmax_any(scores: &[f32], gold: &[bool], weight: f32, gradient: &mut [f32]) -> f64 {
    let total = probabilities(scores, gradient);
    let right: f32 = gradient.iter().zip(gold).filter(|(_, gold)| **gold).map(|(p, _)| p).sum();
    if right <= 0.0 {
        // Nothing right has any probability: push up the best of it, as the limit of the formula does.
        return match best(scores, |i| gold[i]) {
            Some(gold) => softmax(scores, gold, weight, gradient),
            None => {
                gradient.fill(0.0);
                0.0
            }
        };
    }
    for ((gradient, score), gold) in gradient.iter_mut().zip(scores).zip(gold) {
        let p = (score - total).exp();
        *gradient = if *gold { p - p / right } else { p } * weight;
    }
    -f64::from(right.ln())
}

/// Hinge loss of one row: the best right class should be ahead of the best wrong one by 1.
pub fn margin(scores: &[f32], gold: &[bool], weight: f32, gradient: &mut [f32]) -> f64 {
    gradient.fill(0.0);
    let (Some(right), Some(wrong)) = (best(scores, |i| gold[i]), best(scores, |i| !gold[i])) else {
        return 0.0;
    };
    let loss = 1.0 + scores[wrong] - scores[right];
    if loss <= 0.0 {
        return 0.0;
    }
    gradient[right] = -weight;
    gradient[wrong] = weight;
    f64::from(loss)
}

fn best(scores: &[f32], among: impl Fn(usize) -> bool) -> Option<usize> {
    (0..scores.len()).filter(|&i| among(i)).max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)))
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers};
    use super::*;

    const GOLD: [bool; 6] = [false, true, false, false, true, false];

    #[test]
    fn gradients() {
        let scores = numbers(6, 1);
        let mut gradient = vec![0.0; 6];
        sigmoid(&scores, &GOLD, 1.0, &mut gradient);
        check("sigmoid", &scores, &gradient, |s| sigmoid(s, &GOLD, 1.0, &mut [0.0; 6]));
        softmax(&scores, 2, 1.0, &mut gradient);
        check("softmax", &scores, &gradient, |s| softmax(s, 2, 1.0, &mut [0.0; 6]));
        softmax_any(&scores, &GOLD, 1.0, &mut gradient);
        check("several", &scores, &gradient, |s| softmax_any(s, &GOLD, 1.0, &mut [0.0; 6]));
        margin(&scores, &GOLD, 1.0, &mut gradient);
        check("margin", &scores, &gradient, |s| margin(s, &GOLD, 1.0, &mut [0.0; 6]));
        assert!(gradient.iter().any(|&g| g != 0.0));
    }

    #[test]
    fn large_scores_stay_finite() {
        let mut gradient = [0.0; 3];
        for scores in [[200.0, -200.0, 0.0], [-200.0, 0.0, 200.0]] {
            let gold = [false, true, false];
            assert!(sigmoid(&scores, &gold, 1.0, &mut gradient).is_finite());
            assert!(softmax(&scores, 0, 1.0, &mut gradient).is_finite());
            assert!(softmax_any(&scores, &gold, 1.0, &mut gradient).is_finite());
            assert!(gradient.iter().all(|g| g.is_finite()));
        }
    }

    #[test]
    fn nothing_right_is_no_loss() {
        let mut gradient = [1.0; 2];
        assert_eq!(softmax_any(&[1.0, 2.0], &[false; 2], 1.0, &mut gradient), 0.0);
        assert_eq!(gradient, [0.0; 2]);
    }
}
