//! Common parts of every answer: headers that isolate a page, entity tags, rate limits, and access.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Extensions, HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tlslab_queue::{Access, Scope, hash_key};
use tower_governor::governor::GovernorConfigBuilder;
use tower_governor::key_extractor::KeyExtractor;
use tower_governor::{GovernorError, GovernorLayer};

use crate::http::api::ApiError;
use crate::http::session::session_of;
use crate::service::Service;

/// Answers that are longer get no tag.
const LONGEST_TAGGED: usize = 64 << 20;
/// A token is shorter.
const LONGEST_TOKEN: usize = 256;
/// Requests that a peer may make at once, and how many milliseconds later one more.
const BURST: u32 = 200;
const ANOTHER_MS: u64 = 50;
/// Peers that ask no more are forgotten after so many requests.
const FORGET_EVERY: u64 = 1_000;

/// The policy of a page: it may only be shown, with files of the same host.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // A form states its origin only if the page's address may be sent to its own host.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Adds headers and tags to all answers of a router.
pub(crate) fn protect(router: Router<Arc<Service>>) -> Router<Arc<Service>> {
    router.layer(from_fn(tag)).layer(from_fn(add_headers))
}

async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Gives an answer a tag of its content, and none twice to those that have it.
async fn tag(request: Request, next: Next) -> Response {
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let is_read = request.method() == Method::GET;
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    if !is_read || is_stream || response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST_TAGGED).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let tag = format!("W/\"{}\"", hex::encode(Sha256::digest(&bytes)));
    let is_known = known.as_ref().and_then(|known| known.to_str().ok()).is_some_and(|known| has(known, &tag));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, tag);
    }
    parts.headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    if is_known {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Whether a list of tags has one, weak or not.
fn has(list: &str, tag: &str) -> bool {
    let plain = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    list.split(',').any(|one| one.trim() == "*" || plain(one) == plain(tag))
}

/// Limits how often a peer may ask.
pub(crate) fn limit(router: Router<Arc<Service>>) -> Router<Arc<Service>> {
    let mut builder = GovernorConfigBuilder::default().key_extractor(Peer);
    let Some(config) = builder.per_millisecond(ANOTHER_MS).burst_size(BURST).finish() else { return router };
    let config = Arc::new(config);
    let limiter = config.limiter().clone();
    let asked = Arc::new(AtomicU64::new(0));
    let forget = move |request: Request, next: Next| {
        if asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            limiter.retain_recent();
        }
        next.run(request)
    };
    let refuse = |error| match error {
        GovernorError::TooManyRequests { wait_time, .. } => {
            ApiError::too_many(wait_time.max(1)).into_response()
        }
        other => ApiError::failed(other.to_string()).into_response(),
    };
    router.layer(GovernorLayer::new(config).error_handler(refuse)).layer(from_fn(forget))
}

/// The client for whom a reverse proxy asks.
#[derive(Clone, Copy)]
struct Client(IpAddr);

/// Takes the address of the client from the header of a configured reverse proxy; nobody else is trusted.
pub(crate) fn behind_proxies(router: Router, proxies: &[IpAddr]) -> Router {
    if proxies.is_empty() {
        return router;
    }
    let proxies: Arc<[IpAddr]> = proxies.iter().map(IpAddr::to_canonical).collect();
    router.layer(from_fn(move |mut request: Request, next: Next| {
        let peer =
            request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical());
        if peer.is_some_and(|peer| proxies.contains(&peer))
            && let Some(client) = forwarded_for(request.headers())
        {
            request.extensions_mut().insert(Client(client));
        }
        next.run(request)
    }))
}

/// The address that the nearest proxy has added. Anybody may have written those before it.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next()?.trim().parse().ok()
}

/// A client: its address, or its network if each machine has many.
#[derive(Clone, Copy)]
struct Peer;

impl KeyExtractor for Peer {
    type Key = IpAddr;

    fn extract<T>(&self, request: &axum::http::Request<T>) -> Result<IpAddr, GovernorError> {
        Ok(peer_of(request.extensions()))
    }
}

/// The client of a request: its address, or its network if each machine has many.
pub(crate) fn peer_of(extensions: &Extensions) -> IpAddr {
    let client = extensions.get::<Client>().map(|client| client.0);
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
    match client.or(peer).map(|peer| peer.to_canonical()) {
        Some(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        Some(address) => address,
        None => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
    }
}

/// The access of a request's token, if it has the scope. Reading needs no token if it is public.
///
/// # Errors
/// Fails if the token is missing or unknown, or lacks the scope, or if the database is unavailable.
pub(crate) async fn authorise(
    service: &Arc<Service>,
    headers: &HeaderMap,
    scope: Scope,
) -> Result<Option<Access>, ApiError> {
    let Some(given) = headers.get(header::AUTHORIZATION) else {
        // A browser sends a cookie on behalf of any page: it authorises reading only.
        if scope == Scope::Read
            && let Some(session) = session_of(service, headers).await?
        {
            return Ok(Some(session.access));
        }
        let is_open = scope == Scope::Read && service.config.public_reading;
        return if is_open { Ok(None) } else { Err(ApiError::unauthorised("there is no token")) };
    };
    let token = given.to_str().ok().and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        match scheme.to_ascii_lowercase().as_str() {
            "bearer" => Some(token.trim().to_owned()),
            // Browsers: the token is the password, under any name.
            "basic" => {
                let pair = String::from_utf8(STANDARD.decode(token.trim()).ok()?).ok()?;
                Some(pair.split_once(':')?.1.to_owned())
            }
            _ => None,
        }
    });
    let Some(token) = token.filter(|token| !token.is_empty() && token.len() <= LONGEST_TOKEN) else {
        return Err(ApiError::unauthorised("the header Authorization has no token"));
    };
    let hash = hash_key(&token);
    let Some(access) = service.ask(move |queue| queue.access_of_token(&hash)).await? else {
        return Err(ApiError::unauthorised("the token is unknown, or was revoked"));
    };
    match access.may(scope) {
        true => Ok(Some(access)),
        false => Err(ApiError::forbidden(format!(
            "the token of {} has no scope \"{}\"",
            access.name,
            scope.name()
        ))),
    }
}

/// The same where somebody must have a token.
///
/// # Errors
/// Fails likewise.
pub(crate) async fn authorise_named(
    service: &Arc<Service>,
    headers: &HeaderMap,
    scope: Scope,
) -> Result<Access, ApiError> {
    let access = authorise(service, headers, scope).await?;
    access.ok_or_else(|| ApiError::unauthorised("there is no token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_address_is_the_one_that_the_proxy_has_seen() {
        let of = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("x-forwarded-for", HeaderValue::from_str(line).unwrap());
            }
            forwarded_for(&headers).map(|address| address.to_string())
        };
        assert_eq!(of(&["192.0.2.7"]), Some("192.0.2.7".to_owned()));
        assert_eq!(of(&["10.0.0.1, 192.0.2.7"]), Some("192.0.2.7".to_owned()));
        assert_eq!(of(&["198.51.100.1", "2001:db8::1"]), Some("2001:db8::1".to_owned()));
        assert_eq!(of(&["192.0.2.7, unknown"]), None);
        assert_eq!(of(&[]), None);
    }
}
