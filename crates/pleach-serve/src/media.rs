//! What bodies are: the formats that requests come in and answers go out in, by `Content-Type`, `Accept` and parameters.

use crate::error::ApiError;
use axum::http::{HeaderMap, header};
use pleach_formats::Format;

/// What an answer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// One JSON object.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// A format of graphs.
    Format(Format),
    /// A picture.
    Svg,
}

impl Output {
    /// By the name of a parameter.
    pub fn named(name: &str) -> Result<Output, ApiError> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "json" => Output::Json,
            "ndjson" | "jsonl" => Output::Ndjson,
            "svg" => Output::Svg,
            other => Output::Format(other.parse().map_err(|_| {
                let known = Format::names();
                ApiError::bad_request(
                    "unknown_format",
                    format!("no such format; known are json, ndjson, svg, {known}"),
                )
            })?),
        })
    }

    /// The media type of an answer.
    pub fn media_type(self) -> &'static str {
        match self {
            Output::Json => "application/json",
            Output::Ndjson => "application/x-ndjson",
            Output::Svg => "image/svg+xml",
            Output::Format(format) => format.description().media_type,
        }
    }

    /// By a media type; the default for `*/*`.
    fn accepted(media: &str, default: Output) -> Option<Output> {
        match media {
            "*/*" => Some(default),
            "application/json" | "application/*" => Some(Output::Json),
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Some(Output::Ndjson),
            "image/svg+xml" | "image/*" => Some(Output::Svg),
            "text/plain" | "text/*" => match default {
                Output::Format(_) => Some(default),
                _ => Some(Output::Format(Format::Conllu)),
            },
            media => format_of(media).map(Output::Format),
        }
    }

    /// What the client likes best; the default when it doesn't say.
    pub fn negotiate(headers: &HeaderMap, default: Output) -> Result<Output, ApiError> {
        let mut best: Option<(f32, Output)> = None;
        let mut any = false;
        for value in headers.get_all(header::ACCEPT) {
            for part in value.to_str().unwrap_or_default().split(',') {
                let mut parameters = part.split(';').map(str::trim);
                let media = parameters.next().unwrap_or_default().to_ascii_lowercase();
                if media.is_empty() {
                    continue;
                }
                any = true;
                let quality =
                    parameters.find_map(|p| p.strip_prefix("q=")).and_then(|q| q.parse::<f32>().ok());
                let quality = quality.unwrap_or(1.0);
                let Some(output) = Output::accepted(&media, default) else { continue };
                // Among equals the first one counts.
                if quality > 0.0 && best.is_none_or(|(most, _)| quality > most) {
                    best = Some((quality, output));
                }
            }
        }
        match best {
            Some((_, output)) => Ok(output),
            None if !any => Ok(default),
            None => Err(ApiError::not_acceptable(
                "nothing acceptable: there are application/json, application/x-ndjson, text/x-conllu, application/x-mrp, \
                 text/x-sdp, image/svg+xml",
            )),
        }
    }
}

/// The format of graphs that a media type stands for.
fn format_of(media: &str) -> Option<Format> {
    let name = media.strip_prefix("text/").or(media.strip_prefix("application/"))?;
    let name = name.strip_prefix("x-").unwrap_or(name);
    if matches!(name, "plain" | "json") { None } else { name.parse().ok() }
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A request in JSON.
    Json,
    /// Raw text.
    Text,
    /// Sentences in a format; told from the content when there is none.
    Sentences(Option<Format>),
}

impl Input {
    /// By the content type; a parameter `from` goes before everything but JSON.
    pub fn of(headers: &HeaderMap, from: Option<&str>) -> Result<Input, ApiError> {
        let media =
            headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if let Some(from) = from.filter(|from| !from.is_empty()) {
            return match from {
                "text" => Ok(Input::Text),
                "auto" => Ok(Input::Sentences(None)),
                name => match name.parse() {
                    Ok(format) => Ok(Input::Sentences(Some(format))),
                    Err(_) => {
                        let known = Format::names();
                        Err(ApiError::bad_request(
                            "unknown_format",
                            format!("from: known are text, auto, {known}"),
                        ))
                    }
                },
            };
        }
        match media.as_str() {
            "application/json" => Ok(Input::Json),
            "text/plain" => Ok(Input::Text),
            "" | "application/octet-stream" => Ok(Input::Sentences(None)),
            media => match format_of(media) {
                Some(format) => Ok(Input::Sentences(Some(format))),
                None => Err(ApiError::unsupported(
                    "the body must be application/json, text/plain, text/x-conllu, application/x-mrp or text/x-sdp; \
                     or name its format with ?from=",
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn accept(value: &'static str) -> Result<Output, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(value));
        Output::negotiate(&headers, Output::Json).map_err(|error| error.status.as_u16())
    }

    #[test]
    fn the_best_acceptable_type_is_given() {
        assert_eq!(accept("text/html, image/svg+xml;q=0.9, */*;q=0.1"), Ok(Output::Svg));
        assert_eq!(accept("text/x-conllu"), Ok(Output::Format(Format::Conllu)));
        assert_eq!(accept("application/x-mrp;q=0.2, text/x-sdp;q=0.3"), Ok(Output::Format(Format::Sdp2015)));
        assert_eq!(accept("application/x-ndjson"), Ok(Output::Ndjson));
        assert_eq!(accept("*/*"), Ok(Output::Json));
        assert_eq!(accept("text/html"), Err(406));
        assert_eq!(accept("application/json;q=0"), Err(406));
        assert_eq!(Output::negotiate(&HeaderMap::new(), Output::Svg).ok(), Some(Output::Svg));
    }

    #[test]
    fn media_types_come_back() {
        for format in Format::ALL {
            let media = Output::Format(format).media_type().split(';').next().unwrap();
            assert_eq!(Output::accepted(media, Output::Json), Some(Output::Format(format)), "{media}");
        }
    }

    #[test]
    fn bodies_are_told_by_their_type() {
        let input = |media: &'static str, from: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
            Input::of(&headers, from).map_err(|error| error.status.as_u16())
        };
        assert_eq!(input("application/json; charset=utf-8", None), Ok(Input::Json));
        assert_eq!(input("text/plain", None), Ok(Input::Text));
        assert_eq!(input("text/x-conllu", None), Ok(Input::Sentences(Some(Format::Conllu))));
        assert_eq!(input("text/plain", Some("mrp")), Ok(Input::Sentences(Some(Format::Mrp))));
        assert_eq!(input("image/png", None), Err(415));
        assert_eq!(input("text/plain", Some("nonsense")), Err(400));
    }
}
