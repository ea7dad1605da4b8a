# Easel's commands. Longer ones are in scripts/. They write only to the checkout,
# the Go caches, the directory that scripts/cache prints, and apt's.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# gles: Fyne with OpenGL ES. It draws the same and compiles in a quarter of the time
# (docs/adr/0006). Use the same tags everywhere: other tags compile everything again.
# macOS has no OpenGL ES.
TAGS := $(if $(filter Darwin,$(shell uname)),,gles)
VERSION := $(firstword $(shell scripts/version))
STAMP := $(shell scripts/version ldflags)
# buildvcs is off because it fails if the checkout belongs to another user.
GOBUILD := go build -buildvcs=false -tags $(TAGS) -ldflags '$(STAMP)'
export EASEL_TAGS := $(TAGS)
# Go then shares what it has compiled among checkouts in different directories.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

.PHONY: help
help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## install what is missing, build and start Easel (ARGS="--headless")
	@scripts/deps build
	@$(MAKE) build
	@exec bin/easel $(ARGS)

.PHONY: build
build: ## build bin/easel
	$(GOBUILD) -o bin/easel .

.PHONY: headless
headless: ## build bin/easel-headless, without a window: static, needs no C compiler and no graphics library
	CGO_ENABLED=0 go build -buildvcs=false -tags headless -ldflags '-s -w $(STAMP)' -o bin/easel-headless .

.PHONY: companions
companions: ## build Easel's programs for other machines beside bin/easel, for projects there (ssh://)
	@for arch in amd64 arm64; do \
		CGO_ENABLED=0 GOOS=linux GOARCH=$$arch go build -buildvcs=false -tags headless -ldflags '-s -w $(STAMP)' -o bin/easel-headless-linux-$$arch .; \
	done

.PHONY: dist
dist: ## build the packages for all systems into dist/ (ARGS="linux windows")
	@scripts/deps build
	@scripts/dist $(ARGS)

.PHONY: release
release: ## commit and tag a release, without pushing it (VERSION=0.2.0)
	@scripts/release '$(VERSION)'

.PHONY: test-dist
test-dist: ## build the packages for Linux and test them in clean Debian systems (needs root)
	@scripts/test-dist $(ARGS)

# Without gles: Windows has OpenGL, not OpenGL ES. In the headless build, the console is
# the program's; with a window, it opens none.
WINDOWS := GOOS=windows GOARCH=amd64
.PHONY: windows
windows: ## build bin/easel.exe for Windows (needs mingw-w64)
	@scripts/deps windows
	@scripts/winres '$(VERSION)'
	$(WINDOWS) CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc CXX=x86_64-w64-mingw32-g++ \
		go build -buildvcs=false -ldflags '-s -w -H windowsgui -buildid= $(STAMP)' -o bin/easel.exe .

.PHONY: windows-headless
windows-headless: ## build bin/easel-headless.exe for Windows, without a window
	@scripts/winres '$(VERSION)'
	$(WINDOWS) CGO_ENABLED=0 go build -buildvcs=false -tags headless -ldflags '-s -w -buildid= $(STAMP)' -o bin/easel-headless.exe .

.PHONY: test
test: ## run the full test suite, headless
	@scripts/test

.PHONY: nightly
nightly: ## run the slow tests, the random ones for long, and all client programs (STEPS="rig storm" SEED=n; needs root)
	@SEED=$(SEED) scripts/nightly $(STEPS)

.PHONY: test-clients
test-clients: build ## test all client programs with a scripted model; writes docs/clients.md
	EASEL_TEST_BINARY=$$PWD/bin/easel "$$(scripts/python-env)" -m pytest -c e2e/clients/pytest.ini -rs --table e2e/clients

.PHONY: test-windows
test-windows: ## build for Windows and run the tests under Wine (needs root; PARTS="packages programs")
	@scripts/test-windows $(PARTS)

.PHONY: quick
quick: ## run the tests that need no Jupyter, browser, display or C compiler
	@scripts/test quick

.PHONY: check
check: ## run the linter and all tests of the packages that have changed, and of those that use them (BASE=commit)
	@BASE=$(BASE) scripts/test generated lint changed

.PHONY: demo
demo: ## draw plots in a fresh Easel; saves demo/easel.png and demo/easel.gif
	@scripts/deps test
	@$(MAKE) build
	@scripts/demo

.PHONY: bench
bench: build ## measure speed and memory (ROUNDS=100)
	go build -o bin/plenty ./e2e/plenty
	PLENTY=$$PWD/bin/plenty EASEL_TEST_BINARY=$$PWD/bin/easel EASEL_BENCH_PEER=$$(scripts/gateway-env peer) EASEL_TEST_NODE=$$(scripts/node-env) \
		scripts/display "$$(scripts/python-env)" e2e/python/bench.py $(ROUNDS)

.PHONY: sessions
sessions: build ## measure many sessions on one gateway (COUNT=200 KERNEL=small or python3)
	EASEL_TEST_BINARY=$$PWD/bin/easel EASEL_TEST_KERNEL_GATEWAY=$$(scripts/gateway-env kernel) \
		"$$(scripts/python-env)" e2e/python/many.py $(or $(COUNT),200) $(or $(KERNEL),small)

.PHONY: storm
storm: build ## cause faults at random moments; count what hung or was lost (ARGS="SECONDS SEED managed|stock")
	EASEL_TEST_BINARY=$$PWD/bin/easel "$$(scripts/python-env)" e2e/python/storm.py $(ARGS)

.PHONY: writers
writers: build ## let users and an assistant edit one notebook and kill their programs (ARGS="SEED EDITS [collaboration] [users=2] [easel=N] [server=N] [tab=N] [second=N] [alone]")
	EASEL_TEST_BINARY=$$PWD/bin/easel "$$(scripts/python-env)" e2e/python/notebook_storm.py $(or $(ARGS),1 150 easel=1)

.PHONY: fuzz
fuzz: build ## send random requests to the REST API and MCP (EXAMPLES=20 for each operation, STEPS=20000 SEED=n)
	EASEL_TEST_BINARY=$$PWD/bin/easel EASEL_FUZZ_EXAMPLES=$(or $(EXAMPLES),20) \
		"$$(scripts/python-env)" -m pytest -c e2e/python/pytest.ini -q e2e/python/test_fuzz.py
	EASEL_TEST_BINARY=$$PWD/bin/easel EASEL_TEST_PYTHON=$$(scripts/python-env) \
		EASEL_FUZZ_STEPS=$(or $(STEPS),20000) EASEL_FUZZ_SEED=$(or $(SEED),$$RANDOM) \
		go test -tags $(TAGS) -count=1 -v -timeout 24h -run '^TestHostileParameters$$' ./e2e

.PHONY: rig
rig: build ## take random steps and compare the window with the library (SECONDS=300 SEED=n STEPS="...")
	EASEL_TEST_BINARY=$$PWD/bin/easel EASEL_TEST_PYTHON=$$(scripts/python-env) \
		EASEL_RIG_SECONDS=$(or $(SECONDS),300) EASEL_RIG_SEED=$(or $(SEED),$$RANDOM) EASEL_RIG_STEPS="$(STEPS)" EASEL_RIG_SHRINK=900 \
		scripts/display go test -tags $(TAGS) -count=1 -v -timeout 24h -run '^TestWindowShowsWhatItClaims$$' ./e2e

.PHONY: person
person: ## let a model of a person use the window at random (SEQUENCES=200 SEED=n STEPS="...")
	EASEL_PERSON_SEQUENCES=$(or $(SEQUENCES),200) EASEL_PERSON_SEED=$(or $(SEED),$$RANDOM) EASEL_PERSON_STEPS="$(STEPS)" \
		go test -tags $(TAGS) -count=1 -v -timeout 24h -run '^TestAPerson$$' ./ui/window

.PHONY: microbench
microbench: ## run the Go benchmarks (BENCH=regexp)
	EASEL_TEST_PYTHON=$$(scripts/python-env) go test -tags $(TAGS) -run '^$$' -bench '$(or $(BENCH),.)' -benchmem ./...

.PHONY: golden
golden: ## update the golden files; check the diff before committing
	scripts/golden

.PHONY: lint
lint: ## run golangci-lint with go vet's checks, and gofmt; check the generated documents
	@scripts/test generated lint

.PHONY: fmt
fmt: ## format the code
	"$$(scripts/tool golangci-lint)" fmt

.PHONY: generate
generate: ## update docs/tools.md, docs/api.md and docs/errors.md from the catalog
	go generate ./mcphost/...

.PHONY: site
site: ## build the web site into dist/site, which works offline: open dist/site/index.html
	go run ./packaging/site dist/site

.PHONY: requirements
requirements: ## pin the packages of e2e/python/requirements.in
	cd e2e/python && "$$(dirname "$$(../../scripts/python-env)")/uv" pip compile --quiet --universal --python-version 3.11 \
		--no-header --no-annotate requirements.in -o requirements.txt

.PHONY: vuln
vuln: ## find known vulnerabilities in linked packages (asks vuln.go.dev)
	"$$(scripts/tool govulncheck)" -tags $(TAGS) ./...

.PHONY: clean
clean: ## remove build and test output from the checkout
	rm -rf bin dist demo resources_windows_*.syso
	find . -path '*/testdata/failed' -prune -exec rm -rf {} +
