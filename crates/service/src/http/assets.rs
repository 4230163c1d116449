//! Style sheets and scripts of pages, under names with their digest: a file under such a name never changes.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tlslab_pages::Asset;

use super::api::ApiError;
use super::guard::protect;
use super::shown::PageError;
use crate::service::Service;

static ASSETS: LazyLock<BTreeMap<String, Asset>> =
    LazyLock::new(|| tlslab_pages::assets().map(|asset| (asset.file_name(), asset)).collect());

/// The routes.
pub(super) fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/assets/{name}", get(asset)))
}

async fn asset(Path(name): Path<String>) -> Result<Response, PageError> {
    let Some(asset) = ASSETS.get(&name) else {
        return Err(PageError(ApiError::not_found("there is no such file".to_owned())));
    };
    let kind = if asset.is_script() { "text/javascript; charset=utf-8" } else { "text/css; charset=utf-8" };
    let headers =
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, asset.text).into_response())
}
