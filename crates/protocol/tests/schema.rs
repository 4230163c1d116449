//! The schema in docs/protocol is the one that the types give.
#![cfg(feature = "schema")]

#[test]
fn the_committed_schema_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol/protocol.schema.json");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let generated = tlslab_protocol::schema::protocol_schema();
    assert!(
        committed == generated,
        "docs/protocol/protocol.schema.json is out of date; write it again with: \
         cargo run -p tlslab -- schema protocol > docs/protocol/protocol.schema.json"
    );
}
