//! The description of the service for programs, made from the handlers themselves.

use crate::routes::{convert, draw, eval, health, models, oracle, parse, trees, udpipe};
use axum::Json;
use utoipa::OpenApi;

/// The whole description.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Pleach",
        description = "Deep dependency graphs as a service. Errors are JSON: `{\"error\": {\"code\", \"message\"}}`.",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        parse::parse,
        convert::convert,
        eval::eval,
        oracle::oracle,
        draw::draw,
        trees::trees,
        models::list,
        udpipe::process_get,
        udpipe::process_post,
        udpipe::models,
        health::healthz,
        health::readyz,
        health::metrics,
    ),
    tags(
        (name = "pleach", description = "Parsing, converting, scoring, drawing"),
        (name = "udpipe", description = "The interface of UDPipe's service"),
        (name = "operation", description = "For those who run it")
    )
)]
pub struct Description;

/// `GET /openapi.json`.
pub async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str));
                object.values().for_each(|value| references(value, found));
            }
            Value::Array(array) => array.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = serde_json::to_value(Description::openapi()).unwrap();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 20);
        for reference in found {
            let path = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(path).is_some(), "{reference} leads nowhere");
        }
    }
}
