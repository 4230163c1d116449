-- For pages that list runs.

CREATE INDEX run_by_start ON run (started_unix_ms, id);
CREATE INDEX run_leased ON run (started_unix_ms) WHERE owner IS NOT NULL;

-- The stacks of each run, by their names in its plan; of an imported run, in its figures.
CREATE TABLE run_stack (
    stack TEXT NOT NULL,
    run   INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    PRIMARY KEY (stack, run)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO run_stack (stack, run)
    SELECT json_extract(named.value, '$.name'), run.key
    FROM run, json_each(CASE WHEN json_valid(run.plan) THEN run.plan ELSE '{}' END, '$.stacks') AS named
    WHERE run.kind = 'measured' AND named.type = 'object' AND json_type(named.value, '$.name') = 'text';

INSERT OR IGNORE INTO run_stack (stack, run)
    SELECT phrase.text, figure.run FROM run
    JOIN figure ON figure.run = run.key JOIN phrase ON phrase.key = figure.stack
    WHERE run.kind = 'imported';
