# Easel's commands. Everything that takes more than a line is in scripts/.
# Nothing here writes outside the checkout but the Go caches, apt, and the
# directory that scripts/cache prints.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# gles: Fyne by OpenGL ES. It draws the same and compiles in a quarter of the
# time (docs/adr/0006). The same tags everywhere, or packages compile twice.
TAGS := gles
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# buildvcs off: it fails where the checkout belongs to another user.
GOBUILD := go build -buildvcs=false -tags $(TAGS) -ldflags '-X main.version=$(VERSION)'
export EASEL_TAGS := $(TAGS)

.PHONY: help
help: ## tell what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## install what is missing, build and start Easel (ARGS="--headless")
	@scripts/deps build
	@$(MAKE) build
	@exec bin/easel $(ARGS)

.PHONY: build
build: ## build bin/easel
	$(GOBUILD) -o bin/easel .

.PHONY: test
test: ## prove all of it, headless: lint, unit, golden, live, end to end
	@scripts/test

.PHONY: test-clients
test-clients: build ## real clients against a scripted model, all of them; writes docs/clients.md
	EASEL_TEST_BINARY=$$PWD/bin/easel "$$(scripts/python-env)" -m pytest -c e2e/clients/pytest.ini -rs --table e2e/clients

.PHONY: check
check: ## the quick part of test: lint and the tests that need no Jupyter
	@scripts/test lint unit

.PHONY: demo
demo: ## draw a short real session in a fresh Easel; leaves demo/easel.png
	@scripts/deps test
	@$(MAKE) build
	@scripts/demo

.PHONY: bench
bench: build ## Easel beside a raw client and a peer on the same Jupyter, in one run (ROUNDS=100)
	EASEL_TEST_BINARY=$$PWD/bin/easel EASEL_BENCH_PEER=$$(scripts/gateway-env peer) EASEL_TEST_NODE=$$(scripts/node-env) \
		scripts/display "$$(scripts/python-env)" e2e/python/bench.py $(ROUNDS)

.PHONY: storm
storm: build ## faults at random moments; counts what hung or was lost (ARGS="SECONDS SEED managed|stock")
	EASEL_TEST_BINARY=$$PWD/bin/easel "$$(scripts/python-env)" e2e/python/storm.py $(ARGS)

.PHONY: rig
rig: build ## compare what the window shows with the library after random steps (SECONDS=300 SEED=n STEPS="...")
	EASEL_TEST_BINARY=$$PWD/bin/easel EASEL_TEST_PYTHON=$$(scripts/python-env) \
		EASEL_RIG_SECONDS=$(or $(SECONDS),300) EASEL_RIG_SEED=$(or $(SEED),$$RANDOM) EASEL_RIG_STEPS="$(STEPS)" EASEL_RIG_SHRINK=900 \
		scripts/display go test -tags $(TAGS) -count=1 -v -timeout 24h -run '^TestWindowShowsWhatItClaims$$' ./e2e

.PHONY: microbench
microbench: ## run the Go benchmarks (BENCH=regexp)
	EASEL_TEST_PYTHON=$$(scripts/python-env) go test -tags $(TAGS) -run '^$$' -bench '$(or $(BENCH),.)' -benchmem ./...

.PHONY: golden
golden: ## write the golden files anew; look at the diff before committing
	scripts/golden

.PHONY: lint
lint: ## golangci-lint, gofmt, go vet
	@scripts/test lint

.PHONY: fmt
fmt: ## format the code
	"$$(scripts/tool golangci-lint)" fmt

.PHONY: generate
generate: ## write docs/tools.md, docs/errors.md and the OpenAPI golden from the catalog
	go generate ./mcphost/...

.PHONY: requirements
requirements: ## pin e2e/python/requirements.in into requirements.txt
	cd e2e/python && "$$(dirname "$$(../../scripts/python-env)")/uv" pip compile --quiet --universal --python-version 3.11 \
		--no-header --no-annotate requirements.in -o requirements.txt

.PHONY: vuln
vuln: ## look for known vulnerabilities in what we link (asks vuln.go.dev)
	"$$(scripts/tool govulncheck)" -tags $(TAGS) ./...

.PHONY: clean
clean: ## remove what building and testing left in the checkout
	rm -rf bin dist demo
	find . -path '*/testdata/failed' -prune -exec rm -rf {} +
