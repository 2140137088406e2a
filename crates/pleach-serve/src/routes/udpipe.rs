//! UDPipe's REST interface: `/process` and `/models` with its parameters and its JSON, so that its clients work here.
//!
//! Models that give deep graphs only get a basic tree taken out of the graph, since UDPipe's clients look at HEAD and
//! DEPREL; the graph stays in DEPS. Errors are plain text, as UDPipe's are.

use crate::answer;
use crate::app::App;
use crate::engine::{self, Ask};
use crate::error::{ApiError, Code};
use crate::job::{Finish, ParseJob, Parsed, Plan, Source};
use crate::request::text_source;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use pleach::Tags;
use pleach_formats::Format;
use pleach_graph::{Sentence, Text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use utoipa::{IntoParams, ToSchema};

/// UDPipe's parameters. `tokenizer`, `tagger` and `parser` ask for a stage by being there, even empty.
#[derive(Clone, Debug, Default, Deserialize, IntoParams, ToSchema)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ProcessParameters {
    /// The input.
    pub data: Option<String>,
    /// The model's name; the first one when not given.
    pub model: Option<String>,
    /// Cut raw text into sentences and words: any of `ranges`, `presegmented`, with semicolons.
    pub tokenizer: Option<String>,
    /// Tag the words.
    pub tagger: Option<String>,
    /// Parse the sentences.
    pub parser: Option<String>,
    /// The format of input that is not to be tokenised: conllu, horizontal or vertical.
    pub input: Option<String>,
    /// The format of the result: conllu, horizontal, vertical or plaintext.
    pub output: Option<String>,
}

/// UDPipe's answer.
#[derive(Serialize, ToSchema)]
pub struct ProcessAnswer {
    /// The model's name.
    pub model: String,
    /// Whom to thank.
    pub acknowledgements: Vec<String>,
    /// The result.
    pub result: String,
}

/// UDPipe's `process`, with parameters in the address
#[utoipa::path(get, path = "/process", tag = "udpipe", params(ProcessParameters), responses(
    (status = 200, description = "The result", body = ProcessAnswer),
    (status = 400, description = "What is wrong, as text", body = String),
))]
pub async fn process_get(State(app): State<Arc<App>>, request: Request) -> Response {
    let query = request.uri().query().unwrap_or_default().to_owned();
    respond(process(&app, form(query.as_bytes())).await)
}

/// UDPipe's `process`, with parameters in a form
#[utoipa::path(post, path = "/process", tag = "udpipe", request_body(content(
    (ProcessParameters = "application/x-www-form-urlencoded"), (ProcessParameters = "multipart/form-data")
)), responses(
    (status = 200, description = "The result", body = ProcessAnswer),
    (status = 400, description = "What is wrong, as text", body = String),
))]
pub async fn process_post(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let answer = async {
        let body = app.body(body).await?;
        let mut parameters = form(parts.uri.query().unwrap_or_default().as_bytes());
        merge(&mut parameters, read_form(&parts.headers, body).await?);
        process(&app, parameters).await
    };
    respond(answer.await)
}

fn respond(answer: Result<ProcessAnswer, ApiError>) -> Response {
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => {
            let code = Code(error.code);
            let mut response = error.clone().into_response();
            *response.body_mut() = format!("{}\n", error.message).into();
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
            response.headers_mut().remove(header::CONTENT_LENGTH);
            response.extensions_mut().insert(code);
            response
        }
    }
}

/// UDPipe's list of models
#[utoipa::path(get, path = "/models", tag = "udpipe", responses((status = 200, description = "The models", body = Value)))]
pub async fn models(State(app): State<Arc<App>>) -> Json<Value> {
    let mut models = Map::new();
    for model in app.models.iter() {
        let mut stages = Vec::new();
        if model.reads_text() {
            stages.push("tokenizer");
        }
        if model.gives_words() {
            stages.push("tagger");
        }
        stages.push("parser");
        models.insert(model.name.clone(), json!(stages));
    }
    let default = app.models.iter().next().map(|model| model.name.as_str());
    Json(json!({"models": models, "default_model": default}))
}

/// The parameters of an encoded form.
fn form(bytes: &[u8]) -> ProcessParameters {
    let mut parameters = ProcessParameters::default();
    for (name, value) in form_urlencoded::parse(bytes) {
        set(&mut parameters, &name, value.into_owned());
    }
    parameters
}

fn set(parameters: &mut ProcessParameters, name: &str, value: String) {
    let place = match name {
        "data" => &mut parameters.data,
        "model" => &mut parameters.model,
        "tokenizer" => &mut parameters.tokenizer,
        "tagger" => &mut parameters.tagger,
        "parser" => &mut parameters.parser,
        "input" => &mut parameters.input,
        "output" => &mut parameters.output,
        // UDPipe looks past what it doesn't know, too.
        _ => return,
    };
    *place = Some(value);
}

fn merge(parameters: &mut ProcessParameters, other: ProcessParameters) {
    let ProcessParameters { data, model, tokenizer, tagger, parser, input, output } = other;
    let named = [
        ("data", data),
        ("model", model),
        ("tokenizer", tokenizer),
        ("tagger", tagger),
        ("parser", parser),
        ("input", input),
        ("output", output),
    ];
    for (name, value) in named.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        set(parameters, name, value);
    }
}

/// A body that is there already, for the reader of multipart forms.
struct Whole(Option<Bytes>);

impl futures_core::Stream for Whole {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.take().map(Ok))
    }
}

async fn read_form(headers: &HeaderMap, body: Bytes) -> Result<ProcessParameters, ApiError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let Ok(boundary) = multer::parse_boundary(kind) else { return Ok(form(&body)) };
    let wrong = |_: multer::Error| ApiError::bad_request("malformed_form", "the multipart form is not right");
    let mut multipart = multer::Multipart::new(Whole(Some(body)), boundary);
    let mut parameters = ProcessParameters::default();
    while let Some(field) = multipart.next_field().await.map_err(wrong)? {
        let name = field.name().unwrap_or_default().to_owned();
        let value = String::from_utf8_lossy(&field.bytes().await.map_err(wrong)?).into_owned();
        set(&mut parameters, &name, value);
    }
    Ok(parameters)
}

/// What the result is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Conllu,
    Horizontal,
    Vertical,
    Plain,
}

async fn process(app: &Arc<App>, asked: ProcessParameters) -> Result<ProcessAnswer, ApiError> {
    let data =
        asked.data.ok_or_else(|| ApiError::bad_request("no_data", "Required argument 'data' is missing."))?;
    if app.config.log_text {
        tracing::info!(text = %data, "body");
    }
    let model = Arc::clone(app.models.find(asked.model.as_deref())?);
    // Options may follow the name of a format, as in plaintext=normalized_spaces.
    let output = asked.output.as_deref().unwrap_or("conllu").split(['=', ';']).next().unwrap_or_default();
    let written = match output {
        "conllu" => Written::Conllu,
        "horizontal" => Written::Horizontal,
        "vertical" => Written::Vertical,
        "plaintext" => Written::Plain,
        other => {
            let other: String = other.chars().take(40).collect();
            return Err(ApiError::bad_request(
                "unknown_output",
                format!("The output format '{other}' is not supported."),
            ));
        }
    };
    let options: Vec<String> = asked
        .tokenizer
        .iter()
        .flat_map(|options| options.split(';'))
        .map(|option| option.trim().to_owned())
        .collect();
    let has = |option: &str| options.iter().any(|given| given == option || given == &format!("{option}=1"));
    let source = match &asked.tokenizer {
        Some(_) if !model.reads_text() => {
            return Err(ApiError::bad_request("no_tokenizer", "The model has no tokenizer."));
        }
        Some(_) if has("presegmented") => {
            let lines: Vec<String> =
                data.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
            Source::Lines(lines.into_iter())
        }
        Some(_) => text_source(Bytes::from(data)),
        None => given(app, data, asked.input.as_deref())?,
    };
    let (tag, parse) = (asked.tagger.is_some(), asked.parser.is_some());
    let tags = if tag { Tags::Predicted } else { Tags::Given };
    let plan = Plan {
        model: Arc::clone(&model),
        // As with UDPipe, tagging alone changes no tree.
        ask: Ask { tags, words_only: tag && !parse, ..Ask::default() },
        ranges: has("ranges"),
        parse: tag || parse,
        explain: false,
        words: app.config.limits.words,
    };
    let name = model.name.clone();
    let cut = asked.tokenizer.is_some();
    let finish: Finish<Vec<u8>> = Box::new(move |Parsed { index, mut sentence, .. }| {
        sentence.tokens.iter_mut().for_each(|token| token.anchor = None);
        if parse {
            engine::take_tree(&mut sentence);
        }
        if index == 0 {
            let version = env!("CARGO_PKG_VERSION");
            let mut first =
                vec![format!("# generator = Pleach {version}"), format!("# udpipe_model = {name}")];
            if cut {
                first.extend(["# newdoc".to_owned(), "# newpar".to_owned()]);
            }
            sentence.comments.splice(0..0, first);
        }
        match written {
            Written::Conllu => answer::one(Format::Conllu, 0, &sentence),
            Written::Horizontal => Ok(format!("{}\n", surface(&sentence).join(" ")).into_bytes()),
            Written::Vertical => Ok(format!("{}\n\n", surface(&sentence).join("\n")).into_bytes()),
            Written::Plain => {
                let text = sentence.text().map_or_else(|| surface(&sentence).join(" "), str::to_owned);
                Ok(format!("{text}\n").into_bytes())
            }
        }
    });
    let parts = answer::collect(app, ParseJob::start(&app.pool, plan, source, finish)).await?;
    let result = String::from_utf8(parts.concat()).map_err(|_| ApiError::internal())?;
    let acknowledgements = vec!["https://universaldependencies.org".to_owned()];
    Ok(ProcessAnswer { model: model.name.clone(), acknowledgements, result })
}

/// The words as written, without the spaces that would end them.
fn surface(sentence: &Sentence) -> Vec<String> {
    let words = sentence.tokens.iter().filter(|token| !token.id.is_empty_node());
    words.map(|token| token.form.replace(char::is_whitespace, "\u{a0}")).collect()
}

/// Sentences that are tokenised already.
fn given(app: &App, data: String, input: Option<&str>) -> Result<Source, ApiError> {
    let words = |words: Vec<&str>| Sentence::from_forms(words.into_iter().map(Text::from));
    match input.unwrap_or("conllu").split([';', '=']).next().unwrap_or_default() {
        "conllu" => Ok(Source::Reader(Box::new(app.reader(Bytes::from(data), Some(Format::Conllu))?))),
        "horizontal" => {
            let sentences: Vec<Sentence> = data
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>())
                .filter(|line| !line.is_empty())
                .map(words)
                .collect();
            Ok(Source::Sentences(numbered(sentences)))
        }
        "vertical" => {
            let mut sentences = Vec::new();
            let mut current = Vec::new();
            // An empty line at the end closes the last sentence.
            for line in data.lines().map(str::trim).chain([""]) {
                if line.is_empty() && !current.is_empty() {
                    sentences.push(words(std::mem::take(&mut current)));
                } else if !line.is_empty() {
                    current.push(line);
                }
            }
            Ok(Source::Sentences(numbered(sentences)))
        }
        other => {
            let other: String = other.chars().take(40).collect();
            Err(ApiError::bad_request(
                "unknown_input",
                format!("The input format '{other}' is not supported."),
            ))
        }
    }
}

fn numbered(mut sentences: Vec<Sentence>) -> std::vec::IntoIter<Sentence> {
    for (place, sentence) in sentences.iter_mut().enumerate() {
        sentence.set_comment("sent_id", &(place + 1).to_string());
    }
    sentences.into_iter()
}
