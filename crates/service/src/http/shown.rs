//! Delivery of pages: in their frame, with their policy as a header, and errors as pages.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use tlslab_pages::{Asset, Links, Page, Served, Target};
use tlslab_queue::{Access, QueueError};

use super::api::ApiError;
use super::links::has;
pub(crate) use super::links::{LINKS, PRIVATE, policy};
use crate::service::Service;

/// [`LINKS`] with a menu without empty pages.
pub(crate) struct Menu<'s>(pub &'s Service);

impl Links for Menu<'_> {
    fn to(&self, target: &Target) -> Option<String> {
        LINKS.to(target).filter(|_| self.0.site.is_filled(target))
    }

    fn asset(&self, asset: &Asset) -> Option<String> {
        LINKS.asset(asset)
    }
}

/// A page as an answer.
pub(crate) fn respond(service: &Service, reader: Option<&Access>, page: Page) -> Response {
    let page = Page { signed_in: reader.map(|access| access.name.clone()), ..page };
    let mut response = Html(page.html(&Menu(service))).into_response();
    add_policy(&page, response.headers_mut());
    if reader.is_some() {
        response.headers_mut().insert(header::CACHE_CONTROL, PRIVATE);
    }
    response
}

fn add_policy(page: &Page, headers: &mut HeaderMap) {
    if let Some(policy) = policy(page, &LINKS) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// An error as a page.
pub(crate) struct PageError(pub ApiError);

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl From<QueueError> for PageError {
    fn from(error: QueueError) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let status = self.0.status();
        let title = status.canonical_reason().unwrap_or("Error");
        let page = tlslab_pages::service::error(title, self.0.message(), &LINKS);
        let (mut parts, _) = self.0.into_response().into_parts();
        if status == StatusCode::UNAUTHORIZED {
            // A browser asks for it, and sends the token as the password.
            let how = HeaderValue::from_static("Basic realm=\"tlslab: the password is a token\"");
            parts.headers.insert(header::WWW_AUTHENTICATE, how);
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        add_policy(&page, &mut parts.headers);
        let lists = Served {
            has: |target| {
                !matches!(target, Target::Choose | Target::Claims | Target::Defaults) && has(target)
            },
        };
        Response::from_parts(parts, page.html(&lists).into())
    }
}
