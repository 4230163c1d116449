-- What a comparison came to, who is signed in at the pages, which events somebody was notified of, and whose commands were carried out.

-- A job's comparison as it was announced: lists show it without reading the result.
CREATE TABLE verdict (
    job      BIGINT  NOT NULL PRIMARY KEY REFERENCES job (key) ON DELETE CASCADE,
    mark     TEXT    NOT NULL,
    title    TEXT    NOT NULL,
    sentence TEXT    NOT NULL
);

-- Browsers that are signed in with a token; of the identifier in their cookie only its hash.
CREATE TABLE session (
    id_hash       TEXT    NOT NULL PRIMARY KEY,
    token_hash    TEXT    NOT NULL,
    until_unix_ms BIGINT  NOT NULL
);

-- Events that a notice was made of. One that lasts, such as a full disk, is deleted when it is over.
CREATE TABLE notice (
    event      TEXT    NOT NULL PRIMARY KEY,
    at_unix_ms BIGINT  NOT NULL
);

ALTER TABLE command ADD COLUMN person TEXT NOT NULL DEFAULT '';
CREATE INDEX command_of_person ON command (forge, person, at_unix_ms);

-- Limits count the jobs of a day; old jobs are deleted by when they ended.
CREATE INDEX job_created ON job (project, created_unix_ms);
CREATE INDEX job_by_end ON job (ended_unix_ms) WHERE ended_unix_ms > 0;
