-- Whose word a job needs, which commit its status is of, where each pull request is, and which comments were carried out.

ALTER TABLE job ADD COLUMN head     TEXT;
ALTER TABLE job ADD COLUMN approval TEXT NOT NULL DEFAULT 'not-needed';
UPDATE job SET head = json_extract(subject, '$.commit') WHERE json_extract(subject, '$.kind') = 'pull';
UPDATE job SET approval = 'author' WHERE json_extract(subject, '$.kind') = 'pull' AND json_extract(subject, '$.is_fork') = 0 AND ended_unix_ms = 0;
UPDATE job SET approval = 'awaited' WHERE state = 'waiting-for-approval';
CREATE INDEX job_head ON job (project, head) WHERE head IS NOT NULL;

ALTER TABLE outbox ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;

-- A pull request as the code host described it last. `since_unix_ms` is the earliest time, by the clock of the code host, at which its head
-- was this one.
CREATE TABLE pull (
    project       TEXT    NOT NULL,
    number        INTEGER NOT NULL,
    head          TEXT    NOT NULL,
    since_unix_ms INTEGER NOT NULL,
    is_open       INTEGER NOT NULL,
    title         TEXT    NOT NULL,
    branch        TEXT    NOT NULL,
    baseline      TEXT    NOT NULL,
    PRIMARY KEY (project, number)
) STRICT, WITHOUT ROWID;

-- Comments whose command was carried out: no other delivery carries it out again.
CREATE TABLE command (
    forge      TEXT    NOT NULL,
    comment    INTEGER NOT NULL,
    at_unix_ms INTEGER NOT NULL,
    PRIMARY KEY (forge, comment)
) STRICT, WITHOUT ROWID;
