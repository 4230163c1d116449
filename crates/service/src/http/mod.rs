//! What the network sees.

pub mod answer;
pub mod api;
mod assets;
pub mod connections;
pub mod guard;
pub mod health;
mod hooks;
pub mod live;
pub mod openapi;
pub mod pages;
mod runners;
mod shown;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;

use crate::service::Service;

/// Every address.
pub fn router(service: Arc<Service>) -> Router {
    Router::new()
        .merge(hooks::routes())
        .merge(runners::routes())
        .merge(api::routes())
        .merge(health::routes())
        .merge(live::routes())
        .merge(pages::routes())
        .merge(assets::routes())
        .with_state(service)
}
