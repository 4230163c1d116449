-- Packs: the samples of a visit that has ended, in one compressed piece. The tables of samples are its journal until then.

CREATE TABLE pack (
    visit INTEGER PRIMARY KEY REFERENCES visit (key) ON DELETE CASCADE,
    body  BLOB NOT NULL
) STRICT;

-- How many samples were packed; it stays when a pack is let go.
ALTER TABLE visit ADD COLUMN packed INTEGER NOT NULL DEFAULT 0;
