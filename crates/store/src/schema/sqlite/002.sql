-- What a sample has beyond its columns, as JSON: the handshake's calls, the contexts' time, single iterations, threads.

ALTER TABLE sample ADD COLUMN detail TEXT NOT NULL DEFAULT '{}';
