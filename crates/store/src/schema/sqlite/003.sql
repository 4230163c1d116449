-- Pairs: the client of one stack against the server of another.

CREATE TABLE pair (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    client   INTEGER NOT NULL,
    server   INTEGER NOT NULL,
    proof    TEXT NOT NULL,
    PRIMARY KEY (run, scenario, client, server)
) STRICT, WITHOUT ROWID;

CREATE TABLE pair_sample (
    visit                    INTEGER NOT NULL REFERENCES visit (key) ON DELETE CASCADE,
    block                    INTEGER NOT NULL,
    place                    INTEGER NOT NULL,
    client                   INTEGER NOT NULL,
    server                   INTEGER NOT NULL,
    iterations               INTEGER NOT NULL,
    client_create_ns         INTEGER NOT NULL,
    client_handshake_ns      INTEGER NOT NULL,
    client_post_handshake_ns INTEGER NOT NULL,
    client_free_ns           INTEGER NOT NULL,
    client_clock_reads       INTEGER NOT NULL,
    client_wire_bytes        INTEGER NOT NULL,
    server_create_ns         INTEGER NOT NULL,
    server_handshake_ns      INTEGER NOT NULL,
    server_post_handshake_ns INTEGER NOT NULL,
    server_free_ns           INTEGER NOT NULL,
    server_clock_reads       INTEGER NOT NULL,
    server_wire_bytes        INTEGER NOT NULL,
    PRIMARY KEY (visit, block, client, server)
) STRICT, WITHOUT ROWID;
