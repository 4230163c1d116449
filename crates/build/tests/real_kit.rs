//! The real kit with a library without any capability, from recipe to conversation. This takes as long as the
//! kit takes.

mod lab;

use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use lab::Lab;

#[test]
fn the_driver_answers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lab = Lab::new();
    for name in ["Cargo.toml", "Cargo.lock", "crates/driver-kit", "crates/protocol"] {
        let place = lab.path(name);
        if place.is_dir() { std::fs::remove_dir_all(&place) } else { std::fs::remove_file(&place) }.unwrap();
        symlink(root.join(name), place).unwrap();
    }
    lab.write("drivers/demo/main.c", ENDPOINT);
    let built = lab.build_one(&lab.recipe("demo", "path = \"../library\"")).unwrap();
    let mut driver =
        Command::new(&built.driver).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    driver.stdin.take().unwrap().write_all(b"{\"hello\":{\"protocol\":[2]}}\n{\"bye\":{}}\n").unwrap();
    let output = driver.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("\"library\":{\"name\":\"answer\",\"version\":\"42\""), "{said}");
}

const ENDPOINT: &str = r#"
#include <answer.h>
#include <stdio.h>
#include <tlslab_endpoint.h>

static char version[16];

static void identity(tlslab_identity *identity) {
  snprintf(version, sizeof version, "%d", answer());
  identity->driver = "demo";
  identity->library = "answer";
  identity->library_version = version;
}

static int can(int axis, const tlslab_value *value, tlslab_error *why) { return 0; }

static int context(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                   tlslab_error *error) {
  return TLSLAB_UNSUPPORTED;
}

static void nothing(void *handle) {}

static int create(void *context, void **connection, tlslab_error *error) { return TLSLAB_FAILED; }

static int data(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  return TLSLAB_FAILED;
}

static void facts(void *connection, tlslab_facts *facts) {}

int main(void) {
  static const tlslab_endpoint endpoint = {
      .abi = TLSLAB_ABI,
      .identity = identity,
      .can = can,
      .context = context,
      .context_free = nothing,
      .create = create,
      .connection_free = nothing,
      .handshake = data,
      .send = data,
      .receive = data,
      .facts = facts,
  };
  return tlslab_driver_main(&endpoint);
}
"#;
