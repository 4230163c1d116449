//! Signing in at the pages with a token: a cookie with a random identifier, stored as a hash, and forms that
//! only a page of the same session can send.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State as Shared;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};
use tlslab_pages::service::SignIn;
use tlslab_queue::{Access, Scope, hash_key};

use super::api::ApiError;
use super::guard::{limit, protect};
use super::shown::{LINKS, PageError, respond};
use crate::local::new_secret;
use crate::service::Service;

/// How long somebody stays signed in, seconds: a working day.
const LIFE_S: u64 = 12 * 3_600;
/// Bytes of an identifier.
const LENGTH: usize = 32;
/// Longer forms are refused, bytes.
const LONGEST_FORM: usize = 8 << 10;
/// Longer tokens are rejected.
const LONGEST_TOKEN: usize = 256;

/// The routes.
pub(super) fn routes() -> Router<Arc<Service>> {
    let router = Router::new()
        .route("/sign-in", get(form).post(sign_in))
        .route("/sign-out", axum::routing::post(sign_out));
    protect(limit(router))
}

/// A browser that is signed in.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// The access of its token.
    pub access: Access,
    id: String,
}

impl Session {
    /// The token in forms of this session.
    pub(crate) fn csrf(&self) -> String {
        hex::encode(Sha256::digest(format!("form of {}", self.id)))
    }

    /// Refuses a form that no page of this session has sent.
    ///
    /// # Errors
    /// Fails if the form is of another origin or another session.
    pub(crate) fn check(&self, service: &Service, headers: &HeaderMap, form: &Form) -> Result<(), ApiError> {
        check_origin(service, headers)?;
        // Hashes are compared: the time that it takes reveals nothing of the token.
        match hash_key(form.get("csrf").unwrap_or_default()) == hash_key(&self.csrf()) {
            true => Ok(()),
            false => Err(ApiError::forbidden("the form is of another session; load the page again")),
        }
    }
}

/// The session of a request, if its cookie has one that is good.
///
/// # Errors
/// Fails if the database does not answer.
pub(crate) async fn session_of(
    service: &Arc<Service>,
    headers: &HeaderMap,
) -> Result<Option<Session>, ApiError> {
    let Some(id) = cookie(service, headers) else { return Ok(None) };
    let hash = hash_key(&id);
    let access = service.ask(move |queue| queue.access_of_session(&hash)).await?;
    Ok(access.map(|access| Session { access, id }))
}

/// The session of a signed-in person with this scope.
///
/// # Errors
/// Fails if nobody is signed in, if the token lacks the scope, or if the database does not answer.
pub(crate) async fn signed_in(
    service: &Arc<Service>,
    headers: &HeaderMap,
    scope: Scope,
) -> Result<Session, ApiError> {
    let session = session_of(service, headers).await?;
    let session =
        session.ok_or_else(|| ApiError::forbidden("nobody is signed in: open /sign-in, then try again"))?;
    match session.access.may(scope) {
        true => Ok(session),
        false => Err(ApiError::forbidden(format!(
            "the token of {} has no scope \"{}\"; sign in with one that has it",
            session.access.name,
            scope.name()
        ))),
    }
}

/// With TLS the name ensures that no other host of the domain may have set the cookie.
fn cookie_name(service: &Service) -> &'static str {
    if is_secure(service) { "__Host-tlslab" } else { "tlslab" }
}

fn is_secure(service: &Service) -> bool {
    service.config.base().starts_with("https://")
}

fn cookie(service: &Service, headers: &HeaderMap) -> Option<String> {
    let name = cookie_name(service);
    let all = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut values = all.flat_map(|line| line.split(';')).filter_map(|pair| {
        let (given, value) = pair.trim().split_once('=')?;
        (given == name).then_some(value)
    });
    let is_id = |value: &&str| value.len() == 2 * LENGTH && value.bytes().all(|b| b.is_ascii_hexdigit());
    values.find(is_id).map(str::to_owned)
}

/// The header that sets the cookie; an empty identifier deletes it.
fn set_cookie(service: &Service, id: &str) -> HeaderValue {
    let life_s = if id.is_empty() { 0 } else { LIFE_S };
    let secure = if is_secure(service) { "; Secure" } else { "" };
    let text =
        format!("{}={id}; Path=/; HttpOnly; SameSite=Strict; Max-Age={life_s}{secure}", cookie_name(service));
    // Names, digits and hexadecimal digits are always a header.
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
}

/// Rejects forms of another origin. A browser sends the origin with each form.
///
/// # Errors
/// Fails if there is no origin, or another one than the service's address and the requested host.
pub(crate) fn check_origin(service: &Service, headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let origin = text(header::ORIGIN).unwrap_or_default();
    let base = service.config.base();
    let is_base = base.strip_prefix(origin).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let host = origin.split_once("://").map(|(_, host)| host);
    let is_host = host.is_some() && host == text(header::HOST);
    match !origin.is_empty() && (is_base || is_host) {
        true => Ok(()),
        false => Err(ApiError::forbidden(format!(
            "the form comes from another address; open {base} and try again"
        ))),
    }
}

/// The fields of a form.
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// Fails if the body is too long, or is not a form.
    pub(crate) async fn read(body: Body) -> Result<Self, ApiError> {
        let bytes = to_bytes(body, LONGEST_FORM).await.map_err(|_| ApiError::too_large(LONGEST_FORM))?;
        let text =
            std::str::from_utf8(&bytes).map_err(|cause| ApiError::invalid("form", cause.to_string()))?;
        let field = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        };
        Ok(Self(text.split('&').map(field).collect()))
    }

    /// The value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// A name or a value of a form as its sender wrote it.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((16 * high + low) as u8);
                at += 2;
            }
            (b'+', ..) => decoded.push(b' '),
            (byte, ..) => decoded.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// A path of this service alone, to go to after signing in.
fn own_path(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/?=&%+@#".contains(&byte);
    let is_own = text.starts_with('/')
        && !text.starts_with("//")
        && !text.starts_with("/sign-")
        && text.len() <= 500
        && text.bytes().all(is_plain);
    if is_own { text.to_owned() } else { "/".to_owned() }
}

/// The page from which a link to this one was followed.
fn came_from(headers: &HeaderMap) -> String {
    let referrer = headers.get(header::REFERER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let rest = referrer.split_once("://").map_or("", |(_, rest)| rest);
    let path = if host.is_empty() { None } else { rest.strip_prefix(host) };
    own_path(path.unwrap_or_default())
}

async fn form(Shared(service): Shared<Arc<Service>>, headers: HeaderMap) -> Result<Response, PageError> {
    let session = session_of(&service, &headers).await?;
    let model = SignIn {
        next: came_from(&headers),
        account: session.as_ref().map(|session| {
            let scopes: Vec<&str> = session.access.scopes.iter().map(|scope| scope.name()).collect();
            [session.access.name.clone(), scopes.join(", "), session.csrf()]
        }),
        ..SignIn::default()
    };
    Ok(respond(
        &service,
        session.as_ref().map(|session| &session.access),
        tlslab_pages::service::sign_in(&model, &LINKS),
    ))
}

async fn sign_in(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PageError> {
    check_origin(&service, &headers)?;
    let form = Form::read(body).await?;
    let next = own_path(form.get("next").unwrap_or_default());
    let token = form.get("token").map(str::trim).unwrap_or_default();
    let hash = hash_key(token);
    let id = new_secret();
    let id_hash = hash_key(&id);
    let is_token = !token.is_empty() && token.len() <= LONGEST_TOKEN;
    let begun = service
        .ask(move |queue| {
            let access = if is_token { queue.access_of_token(&hash)? } else { None };
            if access.is_some() {
                queue.begin_session(&id_hash, &hash, LIFE_S * 1_000)?;
            }
            Ok(access.is_some())
        })
        .await?;
    if !begun {
        let problem =
            "This token is unknown, or was revoked. Ask the operator of this service for one.".to_owned();
        let model = SignIn { problem, next, account: None };
        let mut response = respond(&service, None, tlslab_pages::service::sign_in(&model, &LINKS));
        *response.status_mut() = StatusCode::FORBIDDEN;
        return Ok(response);
    }
    let mut response = see_other(&next);
    response.headers_mut().insert(header::SET_COOKIE, set_cookie(&service, &id));
    Ok(response)
}

async fn sign_out(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PageError> {
    if let Some(session) = session_of(&service, &headers).await? {
        session.check(&service, &headers, &Form::read(body).await?)?;
        let hash = hash_key(&session.id);
        service.ask(move |queue| queue.end_session(&hash)).await?;
    }
    let mut response = see_other("/");
    response.headers_mut().insert(header::SET_COOKIE, set_cookie(&service, ""));
    Ok(response)
}

/// Another page is to be loaded.
pub(crate) fn see_other(path: &str) -> Response {
    let place = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_decoded() {
        for (text, expected) in
            [("a%2Fb+c", "a/b c"), ("%C3%A4", "ä"), ("%", "%"), ("%zz%4", "%zz%4"), ("", "")]
        {
            assert_eq!(decoded(text), expected);
        }
    }

    #[test]
    fn only_paths_of_this_service_are_gone_to() {
        assert_eq!(own_path("/pulls/tiny/7?x=1"), "/pulls/tiny/7?x=1");
        for wrong in ["", "//evil.example", "https://evil.example", "/\\evil", "/sign-out", "/a\nb", "jobs"] {
            assert_eq!(own_path(wrong), "/", "{wrong}");
        }
    }
}
