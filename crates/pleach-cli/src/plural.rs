//! Numbers of things as people write them: 1 sentence, 12,544 sentences.

/// So many of something; an `s` makes the plural of all that we count.
pub fn count(number: usize, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number with a comma before every three digits.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        assert_eq!(count(1, "sentence"), "1 sentence");
        assert_eq!(count(0, "word"), "0 words");
        assert_eq!(count(12544, "sentence"), "12,544 sentences");
        assert_eq!([grouped(999), grouped(1000), grouped(1234567)], ["999", "1,000", "1,234,567"]);
    }
}
