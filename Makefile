# The menu: what people and CI run. `make` alone lists it.

.DEFAULT_GOAL := help
TLSLAB := target/debug/tlslab
FIRST := handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none
# Ignored tests that need what a target of their own brings.
ELSEWHERE := _as_github_describes every_example_of_a_webhook a_pull_request_from_a_fork_is_delivered tokens_can_do_what pull_requests_are_measured_and_nothing_else \
	a_slower_commit_of_the_branch_is_found_and_reported a_commit_of_a_fork_is_compared a_hostile_pull_request_reaches an_origin_that_is_not_allowed \
	faults_of_every_kind a_forge_that_hangs kill_9_of_two_labs_on_one_server kill_9_while_building a_process_that_measures_for_long every_claim_holds_on_arm that_pushes_have_kept unchanged_pushes_have_kept the_cost_of_the_check
# Unit tests that start a PostgreSQL server.
DATABASES := postgres a_server_is_reached_encrypted the_cost_of_the_check
MEASURING := compare count cross memory native own_folder sandbox sandboxed

.PHONY: help bench serve site documents documents-measured timings paint picture check units test tests test-all test-long drivers test-arm test-sandbox test-doctor test-forge test-install deb release lint licences pages fuzz kills faults reading pushes releases soak validation coverage targets clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

bench: ## Build what is needed, run the default suite, show the result
	@./setup bench
	@cargo build --locked -p tlslab
	@echo "A first answer: the OpenSSL of this system and rustls. The other stacks are built after it."
	@$(TLSLAB) run --stack openssl@system --stack rustls/ring --scenario '$(FIRST)' --budget 6s
	@$(TLSLAB) run

serve: ## Build the lab and its service, and start the service
	@./setup bench
	@cargo build --release --locked -p tlslab -p tlslab-service
	@target/release/tlslab serve

site: ## Make pages of what docs/ records, in target/site, and of each driver, in target/drivers
	@./setup bench
	@cargo build --locked -p tlslab
	@$(TLSLAB) site target/site --recorded docs/recorded/runs.sqlite.zst --recorded docs/recorded/times.sqlite.zst --recorded docs/recorded/wire.sqlite.zst --capabilities docs/recorded/capabilities.json
	@$(TLSLAB) stacks --drivers target/drivers >/dev/null

documents: ## Print the pages of docs/documents, TO=docs/documents, from the recorded results of documents; nothing is measured
	@cargo build --locked -p tlslab
	@mkdir -p $(or $(TO),docs/documents)
	@$(TLSLAB) reproduce --all --from --to $(or $(TO),docs/documents)

documents-measured: ## Measure all documents in full and record them, or one: ONLY=ci-bench; waits for a quiet machine, resumes, ends with the pages
	@[ -z '$(ONLY)' ] || [ -f 'documents/$(ONLY).toml' ] || { echo "documents/$(ONLY).toml: there is no such document; ONLY is one of: $(patsubst documents/%.toml,%,$(wildcard documents/*.toml))" >&2; exit 2; }
	@./setup all
	@cargo build --locked -p tlslab
	@$(TLSLAB) reproduce $(or $(ONLY),--all) $(or $(HOW),--record)
	@$(MAKE) --no-print-directory documents

releases: ## Make or resume the history of the releases in docs/releases/stacks, MINUTES=60: then it stops; pages in target/releases
	@./setup bench
	@cargo build --locked -p tlslab
	@docs/releases/measure

timings: ## Measure the way from a clone to the first result, with an empty Cargo home and cache; takes minutes. SHORT=1 compiles nothing again
	@./setup bench
	@$(if $(SHORT),cargo build --locked -p tlslab)
	@SHORT=$(SHORT) tests/timings/run

paint: site ## Measure how soon a browser shows the pages of that site, and how large they are
	@./setup test
	@tests/pages/paint target/site

picture: site ## Take the picture of README.md, TO=docs/picture.png, from that site
	@./setup test
	@tests/pages/picture target/site $(or $(TO),docs/picture.png)

check: ## Format, lints and unit tests, without drivers, databases and a browser
	@./setup check
	@$(MAKE) --no-print-directory --keep-going lint units

units:
	@tests/run --lib --test imports -- $(DATABASES:%=--skip %)

test: export TLSLAB_SANDBOX := off
test: ## Format, lints and every test but the long ones
	@./setup test
	@$(MAKE) --no-print-directory --keep-going lint tests

tests:
	@tests/run --with tests/pages/run

test-all: export TLSLAB_SANDBOX := off
test-all: ## Every test, also the long ones, and the short form of every other target; ends with a list of what failed
	@./setup all
	@tests/targets/run short

test-long: export TLSLAB_SANDBOX := off
test-long: ## Every test that needs no target of its own: builds all stacks and tries every claim
	@./setup all
	@tests/run -- --include-ignored $(ELSEWHERE:%=--skip %)

drivers: export TLSLAB_SANDBOX := off
drivers: ## Compile every driver of the tree, with its library; takes half an hour with an empty cache
	@./setup all
	@cargo test --locked -p tlslab --test every_driver -- --include-ignored

targets: ## Write docs/targets.md from what docs/targets.tsv has: when each target last passed
	@tests/targets/run page

test-sandbox: export TLSLAB_SANDBOX := require
test-sandbox: ## Tests of builds and figures again, with everything in the sandbox; as root also as an ordinary user
	@./setup test
	@cargo test --locked -p tlslab $(MEASURING:%=--test %)
	@tests/routes/as-ordinary-user

test-arm: export TLSLAB_SANDBOX := off
test-arm: export TLSLAB_ARM := $(STACKS)
test-arm: ## Conformance of eight stacks, or of STACKS="mbedtls", that are built for 64-bit ARM and run by an emulator; takes half an hour
	@./setup arm
	@rustup target add aarch64-unknown-linux-gnu
	@cargo test --locked -p tlslab --test arm -- --ignored --nocapture

test-doctor: ## As root: set this machine up for measuring and restore it; every setting must be as it was, also after KILLS=40 kills
	@cargo build --locked -p tlslab
	@tests/doctor/run

test-forge: ## Tests on a real forge, which is built from source, and against GitHub's description of its API; takes minutes
	@./setup forge
	@cargo build --locked -p tlslab -p tlslab-service
	@cargo test --locked -p tlslab-testing -p tlslab-service -p tlslab --test gitea --test server --test from_a_forge -- --ignored --test-threads=1
	@tests/forge/github/run

test-install: ## Install the program by cargo and as a package, or one of them: INSTALL=deb, and use it with this tree hidden; ROOTS="bookworm trixie" tries the files of a release in fresh systems
	@./setup package
	@$(if $(ROOTS),tests/install/roots $(ROOTS),tests/install/run)

deb: ## Make a Debian package, in target; FEATURES=postgres,parquet adds what only some need
	@./setup package
	@packaging/deb

release: ## Make the files of a release, in OUT=target/dist: programs, package, container images, SBOMs, provenance, checksums
	@./setup release
	@packaging/release $(PARTS)

lint: ## Format and lints, as errors
	@cargo fmt --all --check
	@cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
	@cargo check --quiet --locked --manifest-path fuzz/Cargo.toml
	@tests/lengths/run
	@tests/words/run
	@for driver in fuzz/Cargo.toml drivers/*/Cargo.toml examples/*/drivers/*/Cargo.toml; do cargo fmt --check --manifest-path $$driver || exit 1; done

licences: ## Check the licences of all dependencies, drivers' included
	@./setup licences
	@for manifest in Cargo.toml drivers/*/Cargo.toml examples/*/drivers/*/Cargo.toml; do cargo deny --manifest-path $$manifest --config deny.toml check licenses bans sources || exit 1; done

pages: ## Test the HTML report in a real browser
	@tests/pages/run

fuzz: ## Fuzz every parser of outside input; MINUTES=10 each
	@./setup fuzz
	@fuzz/run

kills: ## Kill the lab, the service and all that they start at random moments, RUNS=100 SERVICE_KILLS=200; the lab goes on where it stopped
	@./setup test
	@mkdir -p target/kills
	TLSLAB_KILLS=$(or $(RUNS),100) TLSLAB_KILL_SANDBOX=1 TLSLAB_KILL_LEDGER=$(CURDIR)/target/kills/$(or $(RUNS),100) \
	    cargo test --locked -p tlslab --test kill_and_resume --test two_labs -- --include-ignored --nocapture --test-threads=1 kill_9
	TLSLAB_SERVICE_KILLS=$(or $(SERVICE_KILLS),200) cargo test --locked -p tlslab-service --test kills -- --nocapture --test-threads=1
	cargo test --locked -p tlslab-service --test attacks -- --include-ignored --nocapture --test-threads=1

faults: export TLSLAB_FAULTS := $(or $(FAULTS),20)
faults: export TLSLAB_FAULT_SEED := $(SEED)
faults: ## Faults of every kind in a service with three runners, FAULTS=300 SEED=1: kills, networks, disks, clocks; needs root
	@./setup faults
	@cargo test --locked -p tlslab-service --test faults -- --ignored --nocapture --test-threads=1 faults_of_every_kind

reading: ## Times of a stack against itself while nobody and while somebody reads the pages of a service on the same machine, RUNS=3; needs a quiet machine
	@./setup test
	@cargo build --release --locked -p tlslab -p tlslab-service
	@tests/reading/run

pushes: export TLSLAB_PUSHES := $(or $(PUSHES),30)
pushes: ## Push PUSHES=30 commits to a repository that is measured, with planted slow-downs and without, or ONLY=unchanged: what its history says; an hour of a quiet machine
	@./setup test
	@cargo test --locked -p tlslab --test action -- --ignored --nocapture --test-threads=1 $(ONLY)_pushes_have_kept

soak: ## Run a suite again and again in one process, MINUTES=10: memory, descriptors, leftovers
	@./setup test
	TLSLAB_SOAK_MINUTES=$(or $(MINUTES),10) cargo test --locked -p tlslab-job --test soak -- --ignored --nocapture

validation: ## Error rates of comparisons on this host in OUT=target/validation, of STACKS="rustls/ring openssl" with JOBS=12 NULLS=2 PLANTS=10 REPLAYS=10000: hours of a quiet machine, the same command resumes
	@./setup bench
	@cargo build --locked -p tlslab
	@tests/validation/run

coverage: RUNS ?= 20
coverage: ## Whether intervals of single runs hold what others show: RUNS=20 of BUDGET=20s in OUT=tlslab-results, every second one with a busy loop; intervals of later runs there contain what they show
	@./setup bench
	@cargo build --locked -p tlslab
	@$(TLSLAB) run --repeat $(RUNS) --busy-loop --budget $(or $(BUDGET),20s) --metric time --out $(or $(OUT),tlslab-results) --stack openssl --stack rustls/ring --stack wolfssl \
		--scenario handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none --scenario resumption/1.3/ticket/ecdsa-p256/x25519/aes-128-gcm/none \
		--scenario transfer/1.3/aes-128-gcm/client-sends/16KiB/warm

clean: ## Remove what was built in this folder; the cache stays
	@cargo clean
