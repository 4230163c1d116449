-- Figures: the values of runs, for history. Runs that other programs made; runs whose samples were let go.

ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT 'measured' CHECK (kind IN ('measured', 'imported'));
-- When its samples were let go; NULL while they are kept.
ALTER TABLE run ADD COLUMN let_go_unix_ms INTEGER;

-- Raw values of an imported run, packed.
CREATE TABLE raw (
    run  INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE series (
    key      INTEGER PRIMARY KEY,
    scenario TEXT NOT NULL,
    stack    TEXT NOT NULL,
    side     TEXT NOT NULL,
    metric   TEXT NOT NULL,
    unit     TEXT NOT NULL,
    class    TEXT NOT NULL,
    UNIQUE (scenario, stack, side, metric, unit, class)
) STRICT;

-- Texts that many figures share: epochs, reasons.
CREATE TABLE phrase (
    key    INTEGER PRIMARY KEY,
    -- SHA-256 of the text, hex: an index on long texts has limits.
    digest TEXT NOT NULL UNIQUE,
    text   TEXT NOT NULL
) STRICT;

CREATE TABLE figure (
    series INTEGER NOT NULL REFERENCES series (key),
    run    INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    place  INTEGER NOT NULL,
    stack  INTEGER NOT NULL REFERENCES phrase (key),
    label  INTEGER NOT NULL REFERENCES phrase (key),
    epoch  INTEGER NOT NULL REFERENCES phrase (key),
    n      INTEGER,
    value  REAL,
    lower  REAL,
    upper  REAL,
    -- Where there is no value: unsupported or failed, and why.
    hole   TEXT CHECK (hole IN ('unsupported', 'failed')),
    reason INTEGER REFERENCES phrase (key),
    PRIMARY KEY (series, run, place),
    CHECK ((value IS NULL) = (hole IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX figure_of_run ON figure (run);
