//! The network interface.

mod actions;
pub(crate) mod answer;
pub(crate) mod api;
mod assets;
pub(crate) mod connections;
mod credential;
pub(crate) mod guard;
pub(crate) mod health;
mod hooks;
pub(crate) mod links;
mod live;
pub(crate) mod openapi;
mod overview;
pub(crate) mod pages;
mod projects;
mod pulls;
mod runner_protocol;
pub(crate) mod session;
pub(crate) mod shown;
pub(crate) mod site;
mod site_files;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;

use crate::service::Service;

/// Every address.
pub(crate) fn router(service: Arc<Service>) -> Router {
    let proxies = service.config.proxies.clone();
    let router = Router::new()
        .merge(hooks::routes())
        .merge(runner_protocol::routes())
        .merge(api::routes())
        .merge(health::routes())
        .merge(live::routes())
        .merge(pages::routes())
        .merge(pulls::routes())
        .merge(projects::routes())
        .merge(session::routes())
        .merge(actions::routes())
        .merge(assets::routes())
        .merge(site::routes())
        .with_state(service);
    guard::behind_proxies(router, &proxies)
}
