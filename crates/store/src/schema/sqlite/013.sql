-- What a service has to do: jobs, who carries them out, what came in and what goes out.

CREATE TABLE runner (
    name         TEXT    NOT NULL PRIMARY KEY,
    key_hash     TEXT    NOT NULL UNIQUE,
    labels       TEXT    NOT NULL,
    boot         TEXT    NOT NULL,
    seen_unix_ms INTEGER NOT NULL,
    facts        TEXT    NOT NULL
) STRICT;

CREATE TABLE job (
    key                 INTEGER PRIMARY KEY,
    id                  TEXT    NOT NULL UNIQUE,
    project             TEXT    NOT NULL,
    subject             TEXT    NOT NULL,
    body                TEXT    NOT NULL,
    labels              TEXT    NOT NULL,
    needs_sandbox       INTEGER NOT NULL,
    priority            INTEGER NOT NULL,
    dedup               TEXT    UNIQUE,
    supersedes          TEXT,
    state               TEXT    NOT NULL,
    reason              TEXT    NOT NULL,
    fault               TEXT,
    created_unix_ms     INTEGER NOT NULL,
    not_before_unix_ms  INTEGER NOT NULL,
    leased_unix_ms      INTEGER NOT NULL DEFAULT 0,
    ended_unix_ms       INTEGER NOT NULL DEFAULT 0,
    lease_until_unix_ms INTEGER NOT NULL DEFAULT 0,
    token               INTEGER NOT NULL DEFAULT 0,
    attempts            INTEGER NOT NULL DEFAULT 0,
    most_attempts       INTEGER NOT NULL,
    runner              TEXT,
    boot                TEXT,
    cancel              TEXT,
    superseded_by       TEXT
) STRICT;

-- One lease per runner.
CREATE UNIQUE INDEX job_leased ON job (runner) WHERE lease_until_unix_ms > 0;
CREATE INDEX job_queued ON job (priority, key) WHERE state = 'queued';
CREATE INDEX job_supersedes ON job (supersedes) WHERE ended_unix_ms = 0;
CREATE INDEX job_served ON job (project, leased_unix_ms);

CREATE TABLE transition (
    key          INTEGER PRIMARY KEY,
    job          INTEGER NOT NULL REFERENCES job (key) ON DELETE CASCADE,
    at_unix_ms   INTEGER NOT NULL,
    from_state   TEXT    NOT NULL,
    to_state     TEXT    NOT NULL,
    cause        TEXT    NOT NULL,
    token        INTEGER NOT NULL,
    announced    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX transition_of_job ON transition (job, key);
CREATE INDEX transition_unannounced ON transition (key) WHERE announced = 0;

CREATE TABLE event (
    job        INTEGER NOT NULL REFERENCES job (key) ON DELETE CASCADE,
    token      INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    body       TEXT    NOT NULL,
    PRIMARY KEY (job, token, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE result (
    job        INTEGER NOT NULL PRIMARY KEY REFERENCES job (key) ON DELETE CASCADE,
    token      INTEGER NOT NULL,
    runner     TEXT    NOT NULL,
    at_unix_ms INTEGER NOT NULL,
    body       BLOB    NOT NULL
) STRICT;

-- Results of leases that had passed to another runner. They do not count.
CREATE TABLE rejected (
    job        INTEGER NOT NULL REFERENCES job (key) ON DELETE CASCADE,
    token      INTEGER NOT NULL,
    runner     TEXT    NOT NULL,
    at_unix_ms INTEGER NOT NULL,
    body       BLOB    NOT NULL,
    PRIMARY KEY (job, token)
) STRICT;

CREATE TABLE delivery (
    forge            TEXT    NOT NULL,
    id               TEXT    NOT NULL,
    event            TEXT    NOT NULL,
    body             BLOB    NOT NULL,
    received_unix_ms INTEGER NOT NULL,
    next_try_unix_ms INTEGER NOT NULL,
    tries            INTEGER NOT NULL DEFAULT 0,
    handled          TEXT,
    PRIMARY KEY (forge, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_unhandled ON delivery (received_unix_ms) WHERE handled IS NULL;

CREATE TABLE outbox (
    key                TEXT    NOT NULL PRIMARY KEY,
    job                TEXT    NOT NULL,
    body               TEXT    NOT NULL,
    version            INTEGER NOT NULL,
    sent               INTEGER NOT NULL,
    remote             INTEGER,
    next_try_unix_ms   INTEGER NOT NULL,
    claimed_until_unix_ms INTEGER NOT NULL,
    tries              INTEGER NOT NULL,
    problem            TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_unsent ON outbox (next_try_unix_ms) WHERE sent < version;

CREATE TABLE schedule (
    name            TEXT    NOT NULL PRIMARY KEY,
    cron            TEXT    NOT NULL,
    next_at_unix_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who may ask by the interface for programs; of a token only its hash.
CREATE TABLE access (
    token_hash      TEXT    NOT NULL PRIMARY KEY,
    name            TEXT    NOT NULL UNIQUE,
    scopes          TEXT    NOT NULL,
    created_unix_ms INTEGER NOT NULL,
    ended_unix_ms   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
