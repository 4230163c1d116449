-- What both sides of connections ask of the kernel is kept as memory is.
ALTER TABLE weight DROP CONSTRAINT weight_kind_check;
ALTER TABLE weight ADD CONSTRAINT weight_kind_check CHECK (kind IN ('heap', 'resident', 'contention', 'wire', 'kernel'));
