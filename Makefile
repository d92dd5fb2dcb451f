# Two commands matter: `make demo` shows what Mneme does, `make test` shows that it works.

CARGO ?= cargo
MNEME_CASES ?= tests/conformance/cases

.PHONY: demo test build lint docs cases crash cases-servers chaos bench eval servers-up servers-down

demo:  ## feed the example company and ask ten questions, offline
	$(CARGO) run --quiet --release -p mneme -- demo examples/company

build:
	$(CARGO) build --workspace --bins

# One build serves all: the tests of the program have it built, and the black-box tests find it.
test:  ## all tests, on the embedded log and stores
	$(CARGO) test --workspace

lint:  ## format, clippy, licences and sources
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) deny check bans licenses sources

docs:  ## docs/events.md from the schemas, docs/metrics.md from the code
	MNEME_WRITE_DOCS=1 $(CARGO) test --quiet -p mneme-events --test events reference
	MNEME_WRITE_DOCS=1 $(CARGO) test --quiet -p mneme-telemetry --test reference

cases: build  ## conformance cases; MNEME_CASES names another folder
	$(CARGO) run --quiet -p mneme-conformance --bin mneme-cases -- $(MNEME_CASES)

crash: build  ## the long crash test: 200 kills
	MNEME_KILLS=200 $(CARGO) test -p mneme-end-to-end --test crash -- --nocapture

cases-servers: build local-servers  ## the same with all roles as processes over Kafka
	$(CARGO) run --quiet -p mneme-conformance --bin mneme-cases -- --kafka $(MNEME_CASES)

chaos: build local-servers  ## processes and the broker are killed at random during an import, some minutes
	MNEME_SERVERS=1 MNEME_CHAOS_EPISODES=5000 MNEME_CHAOS_SECONDS=300 MNEME_OUTAGE_SECONDS=120 \
	  $(CARGO) test -p mneme-chaos -- --nocapture

# Unless other servers are named.
.PHONY: local-servers
local-servers:
	$(if $(MNEME_KAFKA__BOOTSTRAP),,deploy/local/up >/dev/null)

bench:  ## what this machine can do
	$(CARGO) run --quiet --release -p mneme -- bench

eval:  ## evaluation data lives outside of the project: MNEME_EVALUATION_DATA names its folder
	$(CARGO) run --quiet --release -p mneme -- eval locomo --file $(MNEME_EVALUATION_DATA)/locomo/locomo_dev5.json
	$(CARGO) run --quiet --release -p mneme -- eval temporal --folder $(MNEME_EVALUATION_DATA)/temporal
	$(CARGO) run --quiet --release -p mneme -- eval entities --folder $(MNEME_EVALUATION_DATA)/er

servers-up:  ## a Kafka broker and a schema registry on this machine, without containers
	deploy/local/up

servers-down:  ## stops them; WIPE=1 deletes their topics and schemas too
	deploy/local/down $(if $(filter 1,$(WIPE)),--wipe)
