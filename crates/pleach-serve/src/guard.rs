//! Who may ask: bearer tokens, host names, and pages of other origins.
//!
//! A service on loopback is reached by any page in the user's browser. Two checks keep them out: the host name must be
//! one of ours (a name of an attacker's that leads to 127.0.0.1 is not), and an `Origin` must be ours or allowed.

use crate::config::Config;
use crate::error::ApiError;
use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// Who may ask.
pub struct Guard {
    /// Digests of the tokens: all have the same length, so that comparing them tells nothing.
    tokens: Vec<[u8; 32]>,
    /// Host names that are ours; none when any will do.
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
}

impl Guard {
    /// The rules of a configuration.
    pub fn new(config: &Config) -> Guard {
        let tokens = config.tokens.iter().map(|token| Sha256::digest(token.as_bytes()).into()).collect();
        // Elsewhere than on loopback nobody knows by which names the service is called.
        let hosts = (config.addr.ip().is_loopback() || !config.hosts.is_empty()).then(|| {
            let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
            own.into_iter().chain(config.hosts.iter().map(|host| host.to_ascii_lowercase())).collect()
        });
        Guard { tokens, hosts, origins: config.cors.clone() }
    }

    /// Whether the host name is one of ours.
    pub fn check_host(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let Some(hosts) = &self.hosts else { return Ok(()) };
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if hosts.iter().any(|own| own == name_of(host).to_ascii_lowercase().as_str()) {
            return Ok(());
        }
        Err(ApiError::forbidden("unknown_host", "the service is not called by this host name; see --host"))
    }

    /// Whether a page of this origin may ask.
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default();
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        let own = !authority.is_empty() && authority.eq_ignore_ascii_case(host);
        if own || self.origins.iter().any(|allowed| allowed == "*" || allowed == origin) {
            return Ok(());
        }
        Err(ApiError::forbidden("foreign_origin", "pages of this origin may not ask; see --cors"))
    }

    /// Whether a request has a token, if one is needed. Takes the same time for every wrong token.
    pub fn check_token(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        if self.tokens.is_empty() {
            return Ok(());
        }
        let value =
            headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = match value.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
            _ => "",
        };
        let given: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let found = self.tokens.iter().fold(Choice::from(0), |found, own| found | own.ct_eq(&given));
        if bool::from(found) && !token.is_empty() { Ok(()) } else { Err(ApiError::unauthorized()) }
    }
}

/// A host name without its port.
fn name_of(host: &str) -> &str {
    match host.rfind(']') {
        Some(end) => &host[..=end],
        None => host.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|&(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn names_that_lead_here_are_not_ours() {
        let guard = Guard::new(&Config { hosts: vec!["Parser.example".into()], ..Config::default() });
        let check = |host| guard.check_host(&headers(&[("host", host)])).is_ok();
        assert!(
            check("127.0.0.1:7878") && check("localhost") && check("[::1]:80") && check("parser.example:1")
        );
        assert!(!check("evil.example") && !check("") && !check("localhost.evil.example") && !check("[::2]"));
        assert!(guard.check_host(&HeaderMap::new()).is_err());
    }

    #[test]
    fn foreign_pages_may_not_ask() {
        let guard = Guard::new(&Config { cors: vec!["https://a.example".into()], ..Config::default() });
        let check =
            |origin| guard.check_origin(&headers(&[("host", "localhost:7878"), ("origin", origin)])).is_ok();
        assert!(check("http://localhost:7878") && check("https://a.example"));
        assert!(!check("http://localhost:9") && !check("https://b.example") && !check("null"));
        assert!(guard.check_origin(&headers(&[("host", "localhost")])).is_ok());
    }

    #[test]
    fn one_of_the_tokens_is_needed() {
        let guard = Guard::new(&Config { tokens: vec!["one".into(), "two".into()], ..Config::default() });
        let check = |value| guard.check_token(&headers(&[("authorization", value)])).is_ok();
        assert!(check("Bearer one") && check("bearer two"));
        assert!(!check("Bearer three") && !check("Bearer ") && !check("Basic one") && !check("one"));
        assert!(guard.check_token(&HeaderMap::new()).is_err());
        assert!(Guard::new(&Config::default()).check_token(&HeaderMap::new()).is_ok());
    }
}
