//! `--set KEY=VALUE`: a key of a recipe and its value.

use std::str::FromStr;
use toml::Value;

/// A key of a recipe and its value, which is text when it is nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub key: String,
    pub value: Value,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
        let (key, value) = (key.trim(), value.trim());
        let value = format!("value = {value}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| Value::String(value.to_owned()));
        Ok(Setting { key: key.to_owned(), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_switches_or_text() {
        let value = |text: &str| text.parse::<Setting>().unwrap().value;
        assert_eq!(value("beam=4"), Value::Integer(4));
        assert_eq!(value("step = 0.5"), Value::Float(0.5));
        assert_eq!(value("unlabelled=true"), Value::Boolean(true));
        assert_eq!(value("models=pc+ac"), Value::String("pc+ac".into()));
        assert_eq!(value("models='pc'"), Value::String("pc".into()));
        assert_eq!("a=b".parse::<Setting>().unwrap().key, "a");
        assert!("beam".parse::<Setting>().is_err());
    }
}
