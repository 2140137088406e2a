//! The page: a few files that are part of the program.

use crate::app::App;
use crate::observe::PAGE_POLICY;
use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pleach_render::theme;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// A file of the page.
struct File {
    kind: &'static str,
    content: String,
    tag: String,
}

impl File {
    fn new(kind: &'static str, content: String) -> File {
        let digest: [u8; 32] = Sha256::digest(content.as_bytes()).into();
        let mut tag = String::from("\"");
        for byte in &digest[..12] {
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        File { kind, content, tag }
    }
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

static INDEX: LazyLock<File> =
    LazyLock::new(|| File::new(HTML, include_str!("../page/index.html").to_owned()));
static STYLES: LazyLock<File> = LazyLock::new(|| {
    // The colours and fonts of graphs are those of every other picture.
    let css = include_str!("../page/page.css").replace("FONTS", theme::FONTS);
    let graphs = theme::shapes();
    let light = theme::colours(":root[data-theme=light] ", &theme::LIGHT);
    let dark = theme::colours(":root[data-theme=dark] ", &theme::DARK);
    File::new(STYLE, format!("{graphs}\n{light}\n{dark}\n{css}"))
});

/// A script of the page.
macro_rules! script {
    ($name:ident, $path:literal) => {
        static $name: LazyLock<File> = LazyLock::new(|| File::new(SCRIPT, include_str!($path).to_owned()));
    };
}
script!(MAIN, "../page/main.js");
script!(SERVICE, "../page/service.js");
script!(DRAWING, "../page/drawing.js");
script!(RELATIONS, "../page/relations.js");
script!(STEPPING, "../page/stepping.js");
script!(FILES, "../page/files.js");

/// The paths of the page.
pub fn routes() -> Router<Arc<App>> {
    let file =
        |file: &'static LazyLock<File>| get(move |headers: HeaderMap| async move { answer(file, &headers) });
    Router::new()
        .route("/", file(&INDEX))
        .route("/page/page.css", file(&STYLES))
        .route("/page/main.js", file(&MAIN))
        .route("/page/service.js", file(&SERVICE))
        .route("/page/drawing.js", file(&DRAWING))
        .route("/page/relations.js", file(&RELATIONS))
        .route("/page/stepping.js", file(&STEPPING))
        .route("/page/files.js", file(&FILES))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
}

fn answer(file: &File, asked: &HeaderMap) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    if let Ok(tag) = HeaderValue::from_str(&file.tag) {
        headers.insert(header::ETAG, tag);
    }
    if asked.get(header::IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == file.tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, file.content.clone()).into_response()
}
