//! The description of the API, made from its table of routes.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use tlslab_queue::Scope;

use super::api::{ApiError, PREFIX, Parameter, Route, TABLE};

/// The description as text.
pub(crate) static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", describe()));

pub(crate) async fn answer() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}

/// The description as OpenAPI 3.1.
pub(crate) fn describe() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut schemas = settings.into_generator();
    let error = schemas.subschema_for::<ApiError>().to_value();
    let mut paths = Map::new();
    for route in TABLE {
        let path = paths.entry(format!("{PREFIX}{}", route.path)).or_insert_with(|| json!({}));
        path[route.method] = operation(route, &mut schemas, &error);
    }
    super::site_files::describe(&mut paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "tlslab service",
            "version": "1",
            "description": "Jobs of a service that benchmarks TLS stacks, and the tables of what it measured. Times are milliseconds since 1970, UTC. \
                            Clients must ignore unknown fields.",
            "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
        },
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token that the service has granted. Scopes are read, submit and administer; each contains those before it.",
                },
            },
        },
    })
}

fn operation(route: &Route, schemas: &mut SchemaGenerator, error: &Value) -> Value {
    let mut parameters: Vec<Value> = route.query.iter().map(query).collect();
    if route.path.contains("{id}") {
        parameters.push(json!({
            "name": "id", "in": "path", "required": true, "description": "The identifier of the job.",
            "schema": { "type": "string", "pattern": "^[a-z0-9-]+$" },
        }));
    }
    if route.path.contains("{run}") {
        parameters.push(json!({
            "name": "run", "in": "path", "required": true, "description": "The identifier of the run.",
            "schema": { "type": "string", "pattern": "^[a-z0-9-]+$" },
        }));
    }
    let answer = (route.answer)(schemas).to_value();
    let mut responses = Map::new();
    let done = json!({ "description": "Done.", "content": { "application/json": { "schema": answer } } });
    if route.name == "submitJob" {
        responses.insert("201".to_owned(), done.clone());
    }
    responses.insert("200".to_owned(), done);
    if route.method == "get" {
        let text = "Not modified since the tag in If-None-Match.";
        responses.insert("304".to_owned(), json!({ "description": text }));
    }
    for status in errors(route) {
        let content = json!({ "application/json": { "schema": error } });
        responses.insert(status.to_string(), json!({ "description": meaning(status), "content": content }));
    }
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.summary,
        "parameters": parameters,
        "responses": responses,
        "security": security(route.scope),
    });
    if let Some(body) = route.body {
        let is_needed = route.name == "submitJob";
        operation["requestBody"] = json!({ "required": is_needed, "content": { "application/json": { "schema": body(schemas).to_value() } } });
    }
    operation
}

fn query(parameter: &Parameter) -> Value {
    let schema: Value = serde_json::from_str(parameter.schema).unwrap_or_default();
    let mut described =
        json!({ "name": parameter.name, "in": "query", "description": parameter.summary, "schema": schema });
    if parameter.is_required {
        described["required"] = true.into();
    }
    described
}

/// Reading may be open to everybody.
fn security(scope: Option<Scope>) -> Value {
    match scope {
        None => json!([]),
        Some(Scope::Read) => json!([{}, { "token": ["read"] }]),
        Some(scope) => json!([{ "token": [scope.name()] }]),
    }
}

fn errors(route: &Route) -> Vec<u16> {
    let mut all = route.errors.to_vec();
    all.push(429);
    if let Some(scope) = route.scope {
        all.extend([401, 503]);
        if scope != Scope::Read {
            all.push(403);
        }
    }
    all.sort_unstable();
    all
}

fn meaning(status: u16) -> &'static str {
    match status {
        400 => "The request is invalid; `field` names the wrong field.",
        401 => "The token is missing or unknown.",
        403 => "The token may not do this.",
        404 => "Not found.",
        409 => "The request conflicts with the current state.",
        413 => "The request is too large.",
        429 => "Too many requests; the header Retry-After has the time to wait.",
        503 => "The database cannot be reached; the header Retry-After has the time to wait.",
        _ => "The service failed.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_SCHEMA=1 cargo test -p tlslab-service openapi` updates it.
    #[test]
    fn the_description_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol/service.openapi.json");
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(path, TEXT.as_str()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        let next = "run `UPDATE_SCHEMA=1 cargo test -p tlslab-service openapi` and look at the change";
        assert!(written == *TEXT, "{path}: {next}");
    }

    #[test]
    fn every_reference_has_its_schema() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(fields) => {
                    if let Some(Value::String(to)) = fields.get("$ref") {
                        found.push(to.clone());
                    }
                    fields.values().for_each(|value| references(value, found));
                }
                Value::Array(values) => values.iter().for_each(|value| references(value, found)),
                _ => {}
            }
        }
        let description = describe();
        let mut found = Vec::new();
        references(&description, &mut found);
        assert!(!found.is_empty());
        for to in found {
            assert!(description.pointer(to.trim_start_matches('#')).is_some(), "{to}");
        }
        for parameter in TABLE.iter().flat_map(|route| route.query) {
            assert!(
                serde_json::from_str::<Value>(parameter.schema).unwrap().is_object(),
                "{}",
                parameter.name
            );
        }
    }
}
