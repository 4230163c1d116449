-- Every kind is kept as memory is. The program checks their names, so that a further one needs no migration.
ALTER TABLE weight DROP CONSTRAINT weight_kind_check;
