-- What both sides of connections ask of the kernel is kept as memory is.
CREATE TABLE weight_of_any_kind (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('heap', 'resident', 'contention', 'wire', 'kernel')),
    process  INTEGER NOT NULL,
    weighed  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, kind, process)
) STRICT, WITHOUT ROWID;
INSERT INTO weight_of_any_kind SELECT run, scenario, stack, kind, process, weighed FROM weight;
DROP TABLE weight;
ALTER TABLE weight_of_any_kind RENAME TO weight;
