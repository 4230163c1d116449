-- What people have noted about a version of a stack. No scenario is all of them.
CREATE TABLE annotation (
    stack         TEXT NOT NULL,
    label         TEXT NOT NULL,
    scenario      TEXT NOT NULL,
    text          TEXT NOT NULL,
    noted_unix_ms INTEGER NOT NULL,
    PRIMARY KEY (stack, label, scenario)
) STRICT, WITHOUT ROWID;
