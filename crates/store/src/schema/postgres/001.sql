-- Times are nanoseconds unless a name says otherwise. Scenarios and stacks are indices into the run's plan. Columns have the
-- order that they have in SQLite, and `rowid` is the order in which rows came.

CREATE TABLE run (
    key             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    started_unix_ms BIGINT NOT NULL,
    suite           TEXT NOT NULL,
    plan            TEXT NOT NULL,
    complete        BIGINT NOT NULL DEFAULT 0,
    measuring_s     DOUBLE PRECISION NOT NULL DEFAULT 0
);

CREATE TABLE warning (
    run   BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    text  TEXT NOT NULL,
    rowid BIGINT GENERATED ALWAYS AS IDENTITY,
    UNIQUE (run, text)
);

CREATE TABLE cell (
    run      BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario BIGINT NOT NULL,
    stack    BIGINT NOT NULL,
    proof    TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack)
);

CREATE TABLE overhead (
    run           BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    stack         BIGINT NOT NULL,
    round         BIGINT NOT NULL,
    calibration   TEXT NOT NULL,
    round_trip_ns DOUBLE PRECISION NOT NULL,
    rowid         BIGINT GENERATED ALWAYS AS IDENTITY
);

CREATE INDEX overhead_of_run ON overhead (run);

CREATE TABLE visit (
    key      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run      BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    round    BIGINT NOT NULL,
    scenario BIGINT NOT NULL,
    attempt  BIGINT NOT NULL,
    complete BIGINT NOT NULL DEFAULT 0,
    packed   BIGINT NOT NULL DEFAULT 0,
    UNIQUE (run, round, scenario, attempt)
);

CREATE TABLE sample (
    visit                     BIGINT NOT NULL REFERENCES visit (key) ON DELETE CASCADE,
    block                     BIGINT NOT NULL,
    place                     BIGINT NOT NULL,
    stack                     BIGINT NOT NULL,
    iterations                BIGINT NOT NULL,
    elapsed_ns                BIGINT NOT NULL,
    client_create_ns          BIGINT NOT NULL,
    client_handshake_ns       BIGINT NOT NULL,
    client_post_handshake_ns  BIGINT NOT NULL,
    client_free_ns            BIGINT NOT NULL,
    client_send_ns            BIGINT NOT NULL,
    client_receive_ns         BIGINT NOT NULL,
    client_clock_reads        BIGINT NOT NULL,
    client_wire_bytes         BIGINT NOT NULL,
    client_plaintext_sent     BIGINT NOT NULL,
    client_plaintext_received BIGINT NOT NULL,
    server_create_ns          BIGINT NOT NULL,
    server_handshake_ns       BIGINT NOT NULL,
    server_post_handshake_ns  BIGINT NOT NULL,
    server_free_ns            BIGINT NOT NULL,
    server_send_ns            BIGINT NOT NULL,
    server_receive_ns         BIGINT NOT NULL,
    server_clock_reads        BIGINT NOT NULL,
    server_wire_bytes         BIGINT NOT NULL,
    server_plaintext_sent     BIGINT NOT NULL,
    server_plaintext_received BIGINT NOT NULL,
    detail                    TEXT NOT NULL,
    PRIMARY KEY (visit, block, stack)
);

CREATE TABLE pair (
    run      BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario BIGINT NOT NULL,
    client   BIGINT NOT NULL,
    server   BIGINT NOT NULL,
    proof    TEXT NOT NULL,
    PRIMARY KEY (run, scenario, client, server)
);

CREATE TABLE pair_sample (
    visit                    BIGINT NOT NULL REFERENCES visit (key) ON DELETE CASCADE,
    block                    BIGINT NOT NULL,
    place                    BIGINT NOT NULL,
    client                   BIGINT NOT NULL,
    server                   BIGINT NOT NULL,
    iterations               BIGINT NOT NULL,
    client_create_ns         BIGINT NOT NULL,
    client_handshake_ns      BIGINT NOT NULL,
    client_post_handshake_ns BIGINT NOT NULL,
    client_free_ns           BIGINT NOT NULL,
    client_clock_reads       BIGINT NOT NULL,
    client_wire_bytes        BIGINT NOT NULL,
    server_create_ns         BIGINT NOT NULL,
    server_handshake_ns      BIGINT NOT NULL,
    server_post_handshake_ns BIGINT NOT NULL,
    server_free_ns           BIGINT NOT NULL,
    server_clock_reads       BIGINT NOT NULL,
    server_wire_bytes        BIGINT NOT NULL,
    PRIMARY KEY (visit, block, client, server)
);

-- A visit that has ended has its samples in one compressed piece.
CREATE TABLE pack (
    visit BIGINT PRIMARY KEY REFERENCES visit (key) ON DELETE CASCADE,
    body  BYTEA NOT NULL
);

-- It is compressed already.
ALTER TABLE pack ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE weight (
    run      BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario BIGINT NOT NULL,
    stack    BIGINT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('heap', 'resident')),
    process  BIGINT NOT NULL,
    weighed  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, kind, process)
);

CREATE TABLE cell_count (
    run      BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario BIGINT NOT NULL,
    stack    BIGINT NOT NULL,
    seed     BIGINT NOT NULL,
    counted  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, seed)
);
