-- Runners that rest, that have several jobs at once, whose keys change, and what their canaries showed.

ALTER TABLE runner ADD COLUMN origin            TEXT    NOT NULL DEFAULT 'configuration';
ALTER TABLE runner ADD COLUMN old_key_hash      TEXT;
ALTER TABLE runner ADD COLUMN old_key_until_unix_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runner ADD COLUMN duty              TEXT    NOT NULL DEFAULT 'works';
ALTER TABLE runner ADD COLUMN duty_cause        TEXT    NOT NULL DEFAULT '';
ALTER TABLE runner ADD COLUMN duty_unix_ms      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runner ADD COLUMN quiet             TEXT    NOT NULL DEFAULT '';
ALTER TABLE runner ADD COLUMN trusted_since_unix_ms INTEGER NOT NULL DEFAULT 0;

ALTER TABLE job ADD COLUMN is_timed             INTEGER NOT NULL DEFAULT 1;
ALTER TABLE job ADD COLUMN slot                 INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN only_runner          TEXT;

-- One lease per place of a runner; the first one is for jobs with times.
DROP INDEX job_leased;
CREATE UNIQUE INDEX job_leased ON job (runner, slot) WHERE lease_until_unix_ms > 0;
CREATE INDEX job_only_runner ON job (only_runner) WHERE only_runner IS NOT NULL AND ended_unix_ms = 0;

-- What a runner's canary showed in a job, and what was made of it.
CREATE TABLE canary (
    key           INTEGER PRIMARY KEY,
    runner        TEXT    NOT NULL,
    job           TEXT    NOT NULL,
    at_unix_ms    INTEGER NOT NULL,
    readings      TEXT    NOT NULL,
    verdict       TEXT    NOT NULL,
    cause         TEXT    NOT NULL,
    UNIQUE (runner, job)
) STRICT;

CREATE INDEX canary_of_runner ON canary (runner, key);
CREATE INDEX canary_of_job ON canary (job);

-- Runs that come in pieces, until all of them are there.
CREATE TABLE piece (
    job        INTEGER NOT NULL REFERENCES job (key) ON DELETE CASCADE,
    token      INTEGER NOT NULL,
    from_byte  INTEGER NOT NULL,
    length     INTEGER NOT NULL,
    body       BLOB    NOT NULL,
    PRIMARY KEY (job, token, from_byte)
) STRICT, WITHOUT ROWID;
