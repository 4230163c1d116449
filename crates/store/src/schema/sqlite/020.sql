-- Every kind is kept as memory is. The program checks their names, so that a further one needs no migration.
CREATE TABLE weight_of_any_kind (
    run      INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    scenario INTEGER NOT NULL,
    stack    INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    process  INTEGER NOT NULL,
    weighed  TEXT NOT NULL,
    PRIMARY KEY (run, scenario, stack, kind, process)
) STRICT, WITHOUT ROWID;
INSERT INTO weight_of_any_kind SELECT run, scenario, stack, kind, process, weighed FROM weight;
DROP TABLE weight;
ALTER TABLE weight_of_any_kind RENAME TO weight;
