//! What the network sees.

mod answer;
mod hooks;
mod runners;

use std::sync::Arc;

use axum::Router;

use crate::service::Service;

/// Every address.
pub fn router(service: Arc<Service>) -> Router {
    Router::new().merge(hooks::routes()).merge(runners::routes()).with_state(service)
}
