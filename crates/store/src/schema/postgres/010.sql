-- Whose word a job needs, which commit its status is of, where each pull request is, and which comments were carried out.

ALTER TABLE job ADD COLUMN head     TEXT;
ALTER TABLE job ADD COLUMN approval TEXT NOT NULL DEFAULT 'not-needed';
UPDATE job SET head = subject::json ->> 'commit' WHERE subject::json ->> 'kind' = 'pull';
UPDATE job SET approval = 'author' WHERE subject::json ->> 'kind' = 'pull' AND subject::json ->> 'is_fork' = 'false' AND ended_unix_ms = 0;
UPDATE job SET approval = 'awaited' WHERE state = 'waiting-for-approval';
CREATE INDEX job_head ON job (project, head) WHERE head IS NOT NULL;

ALTER TABLE outbox ADD COLUMN given_up BIGINT  NOT NULL DEFAULT 0;

-- A pull request as the code host described it last. `since_unix_ms` is the earliest time, by the clock of the code host, at which its head
-- was this one.
CREATE TABLE pull (
    project       TEXT    NOT NULL,
    number        BIGINT  NOT NULL,
    head          TEXT    NOT NULL,
    since_unix_ms BIGINT  NOT NULL,
    is_open       BIGINT  NOT NULL,
    title         TEXT    NOT NULL,
    branch        TEXT    NOT NULL,
    baseline      TEXT    NOT NULL,
    PRIMARY KEY (project, number)
);

-- Comments whose command was carried out: no other delivery carries it out again.
CREATE TABLE command (
    forge      TEXT    NOT NULL,
    comment    BIGINT  NOT NULL,
    at_unix_ms BIGINT  NOT NULL,
    PRIMARY KEY (forge, comment)
);
