//! The files of the site that programs read, for the description of the API.

use serde_json::{Map, Value, json};

/// A file: its path, its name in generated programs, its description, and its media type.
type File = (&'static str, &'static str, &'static str, &'static str);

const JSON: &str = "application/json";

const FILES: [File; 9] = [
    (
        "/data/{table}.json",
        "getTable",
        "A list: overview, runs, stacks, scenarios, comparisons or choose.",
        JSON,
    ),
    ("/data/stacks/{stack}.json", "getStack", "A stack: versions, cells, capabilities, changes.", JSON),
    ("/data/scenarios/{scenario}.json", "getScenario", "A scenario: what each stack needs for it.", JSON),
    ("/data/history/{stack}.json", "getHistory", "All series of a stack.", JSON),
    ("/runs/{run}.json", "getRun", "A run: its figures with intervals.", JSON),
    ("/runs/{run}.csv", "getRunTable", "A run as a table.", "text/csv"),
    ("/comparisons/{runs}.json", "getComparison", "A comparison, by its runs.", JSON),
    ("/feed.atom", "getFeed", "What new versions changed, as an Atom feed.", "application/atom+xml"),
    ("/badges/{stack}.svg", "getBadge", "The state of a stack as a picture.", "image/svg+xml"),
];

/// The values of `{table}`.
const TABLES: [&str; 6] = ["overview", "runs", "stacks", "scenarios", "comparisons", "choose"];

/// Adds the files to the paths.
pub(super) fn describe(paths: &mut Map<String, Value>) {
    for (path, name, summary, kind) in FILES {
        let parameters: Vec<Value> = parameters(path).collect();
        let schema = if kind == JSON { json!({}) } else { json!({ "type": "string" }) };
        let page = |text: &str| json!({ "description": text, "content": { "text/html": {} } });
        let operation = json!({
            "operationId": name,
            "summary": summary,
            "parameters": parameters,
            "responses": {
                "200": { "description": "Done.", "content": { kind: { "schema": schema } } },
                "304": { "description": "Not modified since the tag in If-None-Match." },
                "401": page("The token is missing or unknown."),
                "404": page("Page not found."),
            },
            "security": [{}, { "token": ["read"] }],
        });
        paths.insert(path.to_owned(), json!({ "get": operation }));
    }
}

fn parameters(path: &str) -> impl Iterator<Item = Value> {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    names.map(|name| {
        let (text, schema) = match name {
            "table" => ("Which list.", json!({ "type": "string", "enum": TABLES })),
            _ => {
                let text = "A name as in links: a slash is `~`; any other character that an address cannot have is `=` and two hexadecimal digits.";
                (text, json!({ "type": "string" }))
            }
        };
        json!({ "name": name, "in": "path", "required": true, "description": text, "schema": schema })
    })
}
