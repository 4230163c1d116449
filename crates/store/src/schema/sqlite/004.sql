-- A weighing: what was found of a cell's memory in one process, as JSON.
CREATE TABLE weight (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('heap', 'resident')),
    process  INTEGER NOT NULL,
    weighed  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, kind, process)
) STRICT, WITHOUT ROWID;
