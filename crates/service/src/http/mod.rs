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
mod overview;
pub mod pages;
mod pulls;
mod runners;
pub mod shown;
pub mod site;
mod site_files;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;

use crate::service::Service;

/// Every address.
pub fn router(service: Arc<Service>) -> Router {
    let proxies = service.config.proxies.clone();
    let router = Router::new()
        .merge(hooks::routes())
        .merge(runners::routes())
        .merge(api::routes())
        .merge(health::routes())
        .merge(live::routes())
        .merge(pages::routes())
        .merge(pulls::routes())
        .merge(assets::routes())
        .merge(site::routes())
        .with_state(service);
    guard::behind_proxies(router, &proxies)
}
