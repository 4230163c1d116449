-- Figures: the values of runs, for history. Runs that other programs made; runs whose samples were let go.

ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT 'measured' CHECK (kind IN ('measured', 'imported'));
-- When its samples were let go; NULL while they are kept.
ALTER TABLE run ADD COLUMN let_go_unix_ms BIGINT;

-- Raw values of an imported run, packed.
CREATE TABLE raw (
    run  BIGINT PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
    body BYTEA NOT NULL
);

CREATE TABLE series (
    key      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scenario TEXT NOT NULL,
    stack    TEXT NOT NULL,
    side     TEXT NOT NULL,
    metric   TEXT NOT NULL,
    unit     TEXT NOT NULL,
    class    TEXT NOT NULL,
    UNIQUE (scenario, stack, side, metric, unit, class)
);

-- Texts that many figures share: epochs, reasons.
CREATE TABLE phrase (
    key    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- SHA-256 of the text, hex: an index on long texts has limits.
    digest TEXT NOT NULL UNIQUE,
    text   TEXT NOT NULL
);

CREATE TABLE figure (
    series BIGINT NOT NULL REFERENCES series (key),
    run    BIGINT NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    place  BIGINT NOT NULL,
    stack  BIGINT NOT NULL REFERENCES phrase (key),
    label  BIGINT NOT NULL REFERENCES phrase (key),
    epoch  BIGINT NOT NULL REFERENCES phrase (key),
    n      BIGINT,
    value  DOUBLE PRECISION,
    lower  DOUBLE PRECISION,
    upper  DOUBLE PRECISION,
    -- Where there is no value: unsupported or failed, and why.
    hole   TEXT CHECK (hole IN ('unsupported', 'failed')),
    reason BIGINT REFERENCES phrase (key),
    PRIMARY KEY (series, run, place),
    CHECK ((value IS NULL) = (hole IS NOT NULL))
);

CREATE INDEX figure_of_run ON figure (run);
