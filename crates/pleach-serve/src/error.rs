//! What goes wrong with a request: a status, a code for programs, a message for people, all as JSON.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pleach_formats::{ReadError, WriteError};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a request was not answered.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The status of the answer.
    pub status: StatusCode,
    /// What programs look at.
    pub code: &'static str,
    /// What people read.
    pub message: String,
    /// The line and column of the input, from 1, if there is one.
    pub place: Option<(u64, u64)>,
}

/// The body of an answer that is an error.
#[derive(Serialize, ToSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub struct ErrorDetail {
    /// A short name that doesn't change, such as `unknown_model`.
    #[schema(example = "unknown_model")]
    pub code: String,
    /// What is wrong, for people.
    pub message: String,
    /// The line of the input, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The column of the input in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// How many seconds a client that was turned away is asked to wait.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        ApiError { status, code, message: message.into(), place: None }
    }

    /// The request makes no sense.
    pub fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// The request is well-formed, but its content can't be used.
    pub fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// There is no such thing.
    pub fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// Too much.
    pub fn too_large(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, code, message)
    }

    /// The client takes too long to send its request.
    pub fn slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow_request", "the request's body did not arrive in time")
    }

    /// Not now.
    pub fn unavailable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }

    /// None of the formats that the client accepts can be given.
    pub fn not_acceptable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message)
    }

    /// The body is of a type that is not read.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
    }

    /// A token is missing or wrong.
    pub fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "a bearer token is needed: Authorization: Bearer …",
        )
    }

    /// A page of another origin, or an unknown host name.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// A defect of ours.
    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "an internal error; the log has more")
    }

    /// The JSON of this error.
    pub fn body(&self) -> ErrorBody {
        let (code, message) = (self.code.to_owned(), self.message.clone());
        let (line, column) = (self.place.map(|place| place.0), self.place.map(|place| place.1));
        ErrorBody { error: ErrorDetail { code, message, line, column } }
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Syntax { line, column, message, .. } => ApiError {
                place: Some((line, column)),
                ..Self::unprocessable("malformed_input", format!("line {line}, column {column}: {message}"))
            },
            ReadError::Unknown { message, .. } => Self::unprocessable("unknown_format", message),
            ReadError::Io { source, .. } => {
                Self::unprocessable("unreadable_input", format!("the input can't be read: {source}"))
            }
        }
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Unwritable { .. } => Self::unprocessable("not_expressible", error.to_string()),
            WriteError::Io { .. } | WriteError::Unknown { .. } => Self::internal(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, axum::Json(self.body())).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // The log tells the code, never the message: that may have words of the text.
        response.extensions_mut().insert(Code(self.code));
        response
    }
}

/// The code of an answer that is an error, for the log.
#[derive(Clone, Copy, Debug)]
pub struct Code(pub &'static str);
