-- Which form the epochs of a run's figures have: 0 has neither the work's digest nor the harness's.
ALTER TABLE run ADD COLUMN epochs BIGINT NOT NULL DEFAULT 0;
