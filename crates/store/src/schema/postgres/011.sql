-- What the threads of a process contend for is noted as its memory is.
ALTER TABLE weight DROP CONSTRAINT weight_kind_check;
ALTER TABLE weight ADD CONSTRAINT weight_kind_check CHECK (kind IN ('heap', 'resident', 'contention'));
