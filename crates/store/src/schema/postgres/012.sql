-- Whose turn it is, so that the next job is the first of an index: a project's jobs have consecutive turns, and new ones join the present turn.
ALTER TABLE job ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;

DROP INDEX job_queued;
DROP INDEX job_served;
DROP INDEX job_supersedes;
CREATE INDEX job_next        ON job (labels, priority DESC, turn, key) WHERE state = 'queued';
CREATE INDEX job_next_beside ON job (labels, priority DESC, turn, key) WHERE state = 'queued' AND is_timed = 0;
CREATE INDEX job_turn        ON job (project, labels, priority, turn) WHERE turn > 0;
CREATE INDEX job_now         ON job (labels, priority, turn) WHERE leased_unix_ms > 0;

-- What has not ended, and what has, counted without reading the rows.
CREATE INDEX job_open        ON job (state, created_unix_ms) WHERE ended_unix_ms = 0;
CREATE INDEX job_open_by_key ON job (key) WHERE ended_unix_ms = 0;
CREATE INDEX job_ended       ON job (state) WHERE ended_unix_ms > 0;
CREATE INDEX job_of_project  ON job (project, key);
CREATE INDEX job_of_group    ON job (supersedes, key) WHERE supersedes IS NOT NULL;
CREATE INDEX job_of_runner   ON job (runner, key) WHERE runner IS NOT NULL;
