-- For pages that list runs.

CREATE INDEX run_by_start ON run (started_unix_ms, id);
CREATE INDEX run_leased ON run (started_unix_ms) WHERE owner IS NOT NULL;

-- The stacks of each run, by their names in its plan; of an imported run, in its figures.
CREATE TABLE run_stack (
    stack TEXT NOT NULL,
    run   BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    PRIMARY KEY (stack, run)
);

INSERT INTO run_stack (stack, run)
    SELECT named.value ->> 'name', run.key
    FROM run, json_array_elements(CASE run.kind WHEN 'measured' THEN run.plan::json -> 'stacks' END) AS named
    WHERE named.value ->> 'name' IS NOT NULL
    ON CONFLICT DO NOTHING;

INSERT INTO run_stack (stack, run)
    SELECT phrase.text, figure.run FROM run
    JOIN figure ON figure.run = run.key JOIN phrase ON phrase.key = figure.stack
    WHERE run.kind = 'imported'
    ON CONFLICT DO NOTHING;
