-- A count: what a cell took in instructions, as JSON.
CREATE TABLE cell_count (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    seed     INTEGER NOT NULL,
    counted  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, seed)
) STRICT, WITHOUT ROWID;
