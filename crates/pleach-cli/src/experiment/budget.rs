//! A time to stay within, as it is said on the command line.

use std::time::Duration;

/// Reads `90s`, `60m` or `2h`; a number alone is minutes.
pub(super) fn budget(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(place) => text.split_at(place),
        None => (text, "m"),
    };
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("a time such as 90s, 60m or 2h".into()),
    };
    let number: f64 = number.trim().parse().map_err(|_| "a time such as 90s, 60m or 2h".to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let seconds = |text: &str| budget(text).map(|time| time.as_secs_f64());
        assert_eq!(
            [seconds("90s"), seconds("60m"), seconds("2h"), seconds("1.5")],
            [90.0, 3600.0, 7200.0, 90.0].map(Ok)
        );
        for wrong in ["", "x", "-1m", "1d", "m", "1e400h"] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }
}
