-- Outcomes of jobs, what is noted beside runs, and what stacks can do.

CREATE TABLE outcome (
    -- That of the job.
    id             TEXT PRIMARY KEY,
    kind           TEXT NOT NULL,
    -- The run that the job made, by its name; NULL if it made none.
    run            TEXT,
    title          TEXT NOT NULL,
    trust          TEXT NOT NULL,
    host           TEXT NOT NULL,
    began_unix_ms  BIGINT NOT NULL,
    ended_unix_ms  BIGINT NOT NULL,
    state          TEXT NOT NULL CHECK (state IN ('done', 'failed', 'interrupted')),
    -- What the command exits with.
    status         BIGINT NOT NULL,
    -- The version of the body's form.
    format         BIGINT NOT NULL,
    -- JSON.
    request        TEXT NOT NULL,
    -- JSON, compressed by zstd.
    body           BYTEA NOT NULL
);

CREATE INDEX outcome_of_run ON outcome (run, ended_unix_ms);
CREATE INDEX outcome_by_end ON outcome (ended_unix_ms, id);

-- Notes of one kind, such as measured fidelity, each under a key.
CREATE TABLE entry (
    -- The order in which they were noted.
    number        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind          TEXT NOT NULL,
    key           TEXT NOT NULL,
    body          TEXT NOT NULL,
    noted_unix_ms BIGINT NOT NULL,
    UNIQUE (kind, key)
);

-- What a stack can do, as its driver describes it, as JSON.
CREATE TABLE capability (
    stack         TEXT PRIMARY KEY,
    driver_digest TEXT NOT NULL,
    description   TEXT NOT NULL,
    noted_unix_ms BIGINT NOT NULL
);

-- It is compressed already.
ALTER TABLE outcome ALTER COLUMN body SET STORAGE EXTERNAL;
