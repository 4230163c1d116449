-- Who measures a run. Only the owner of the lease may write to a run that is not complete, and only with its token.

-- The job that the run belongs to; empty if there is none.
ALTER TABLE run ADD COLUMN job TEXT NOT NULL DEFAULT '';
-- The process that measures it, as JSON; NULL if none does.
ALTER TABLE run ADD COLUMN owner TEXT;
-- Where it was measured last; empty if that is unknown.
ALTER TABLE run ADD COLUMN host TEXT NOT NULL DEFAULT '';
-- Until when nobody else may take it; 0 if nobody holds it.
ALTER TABLE run ADD COLUMN lease_until_unix_ms INTEGER NOT NULL DEFAULT 0;
-- Grows whenever the lease is taken or given up.
ALTER TABLE run ADD COLUMN token INTEGER NOT NULL DEFAULT 0;
