-- Times are nanoseconds unless a name says otherwise. Scenarios and stacks are indices into the run's plan.

CREATE TABLE run (
    key             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    started_unix_ms INTEGER NOT NULL,
    suite           TEXT NOT NULL,
    plan            TEXT NOT NULL,
    complete        INTEGER NOT NULL DEFAULT 0,
    measuring_s     REAL NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE warning (
    run  INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    text TEXT NOT NULL,
    UNIQUE (run, text)
) STRICT;

CREATE TABLE cell (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    proof    TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack)
) STRICT, WITHOUT ROWID;

CREATE TABLE overhead (
    run           INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    stack         INTEGER NOT NULL,
    round         INTEGER NOT NULL,
    calibration   TEXT NOT NULL,
    round_trip_ns REAL NOT NULL
) STRICT;

CREATE TABLE visit (
    key      INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    round    INTEGER NOT NULL,
    scenario INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run, round, scenario, attempt)
) STRICT;

CREATE TABLE sample (
    visit                     INTEGER NOT NULL REFERENCES visit (key) ON DELETE CASCADE,
    block                     INTEGER NOT NULL,
    place                     INTEGER NOT NULL,
    stack                     INTEGER NOT NULL,
    iterations                INTEGER NOT NULL,
    elapsed_ns                INTEGER NOT NULL,
    client_create_ns          INTEGER NOT NULL,
    client_handshake_ns       INTEGER NOT NULL,
    client_post_handshake_ns  INTEGER NOT NULL,
    client_free_ns            INTEGER NOT NULL,
    client_send_ns            INTEGER NOT NULL,
    client_receive_ns         INTEGER NOT NULL,
    client_clock_reads        INTEGER NOT NULL,
    client_wire_bytes         INTEGER NOT NULL,
    client_plaintext_sent     INTEGER NOT NULL,
    client_plaintext_received INTEGER NOT NULL,
    server_create_ns          INTEGER NOT NULL,
    server_handshake_ns       INTEGER NOT NULL,
    server_post_handshake_ns  INTEGER NOT NULL,
    server_free_ns            INTEGER NOT NULL,
    server_send_ns            INTEGER NOT NULL,
    server_receive_ns         INTEGER NOT NULL,
    server_clock_reads        INTEGER NOT NULL,
    server_wire_bytes         INTEGER NOT NULL,
    server_plaintext_sent     INTEGER NOT NULL,
    server_plaintext_received INTEGER NOT NULL,
    PRIMARY KEY (visit, block, stack)
) STRICT, WITHOUT ROWID;
