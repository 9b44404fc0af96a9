# make demo             a profile of a real Express service by route, from outside it (needs root)
# make example-labels   a profile of a service that labels its requests by the npm package (needs root)
# make example-fastify  the same of a fastify service that is not changed (needs root)
# make test             all tests (needs root)
# make node NODE=V      the tests that are about Node.js on one version of test/nodes.json (needs root)
# make releases         tries releases of Node.js that have no result yet, 25 a run, and writes docs/support.md (needs root)
# make truth            what share of profiles is true, by Node.js version, as a table (needs root)
# make bench            what hotspan costs, against none and others in the same run (needs root):
#                       BENCH_BASE=REF BENCH_OTEL=PATH BENCH_FULL=1 BENCH_WRITE=1
# make bench-readers    what each way to read labels costs a sample (needs root)
# make build            bin/hotspan
# make npm              the npm packages as tarballs in bin/npm, and installed in bin/npm/app
# make generate         the BPF objects anew, with clang-19
# make check-generated  that the BPF objects are those of the sources

DEMO_NODE = 24.21.0
DEMO_FLAGS =
TRUTH_FLAGS =
RELEASES_FLAGS =
BENCH_FLAGS =
BENCH_BASE =
BENCH_OTEL =
BENCH_FULL =
BENCH_WRITE =

# npm writes this file at the end of an installation.
INSTALLED = node_modules/.package-lock.json
PACKAGES = examples/express/$(INSTALLED) test/programs/$(INSTALLED) test/programs/published/$(INSTALLED) \
	test/programs/datadog/$(INSTALLED) nodeaddon/test/$(INSTALLED) \
	test/viewers/$(INSTALLED)
BPF = agent/internal/bpf
GENERATED = $(BPF)/*_bpfel.go $(BPF)/*_bpfel.o $(BPF)/bpftest/*_bpfel.go $(BPF)/bpftest/*_bpfel.o

# need PROGRAM, WHERE FROM: ends with a sentence if the program is missing.
# root TARGET: ends with a sentence if this is not root.
# install PACKAGES: by apt-get, where that is there and this is root; else ends with a sentence.
need = @command -v $(1) >/dev/null || { echo "$(1) is missing: install $(2)."; exit 1; }
root = @[ "$$(id -u)" = 0 ] || { echo "Sampling other processes with BPF needs root: run sudo make $(1)."; exit 1; }
install = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(1); \
	else echo "Something of this is missing: run apt-get install $(1) as root."; exit 1; fi

# The compiler is pinned, as Debian has it: another one makes other objects. /usr/include/bpf is libbpf-dev's.
CLANG = 19.1.7
HAVE_CLANG = clang-19 --version 2>/dev/null | grep -qF "version $(CLANG)" && command -v llvm-strip-19 >/dev/null && \
	[ -e /usr/include/bpf/bpf_helpers.h ]

.PHONY: demo example-labels example-fastify test node releases truth bench bench-readers build npm generate \
	check-generated nodes root-demo root-example-labels root-example-fastify root-test root-node root-releases \
	root-truth root-bench root-bench-readers tools-go tools-npm tools-test tools-bpf

demo: root-demo build examples/express/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && go run ./examples/demo -node "$$node" $(DEMO_FLAGS)

example-labels: root-example-labels npm
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && examples/record.sh labels \
		"/report/acme /report/globex /report/initech" "tenant step" "$$node"

example-fastify: root-example-fastify npm examples/fastify/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && examples/record.sh fastify \
		"/primes/100000 /words/3000" http.route "$$node" --import hotspan/register

# gofmt and the other rules of the repository are tests too, in test/repo.
test: root-test tools-go tools-test $(PACKAGES) nodes
	go vet ./...
	cd test/collector && go vet ./...
	@if $(HAVE_CLANG); then $(MAKE) --no-print-directory check-generated; \
	else echo "SKIPPED check-generated: there is no clang-19 $(CLANG) with libbpf-dev. It matters if you change $(BPF)/*.[ch]; make tools-bpf installs it."; fi
	go run ./test/repo/gotest . test/collector

NODE = $(DEMO_NODE)
node: root-node tools-go tools-test $(PACKAGES) nodes
	go test ./agent/internal/walk -run TestWalkLive/$(NODE) -record
	go test ./v8/... ./context ./agent/...
	go test ./test/e2e -all -timeout 30m -run 'Test(EveryNode|Threads|Mixed|Shares|Express|DoctorOnProcess|Pool)/^$(NODE)$$|Test(Functions|Tiers|Requests)/./^$(NODE)$$'

truth: root-truth build $(PACKAGES) nodes
	@go run ./test/truth/table $(TRUTH_FLAGS)

releases: root-releases build test/programs/$(INSTALLED)
	@go run ./test/releases $(RELEASES_FLAGS)

# BENCH_FLAGS=-short has a look at everything in a minute or two.
bench: root-bench build test/programs/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && go build -o bin/bench ./test/bench && bin/bench -node "$$node" \
		-base "$(BENCH_BASE)" -otel "$(BENCH_OTEL)" $(if $(BENCH_FULL),-full) $(if $(BENCH_WRITE),-write docs/cost.md) \
		$(BENCH_FLAGS)

bench-readers: root-bench-readers tools-go tools-test $(PACKAGES)
	@go test ./agent/internal/walk -run '^$$' -bench '^BenchmarkReaders$$' -benchtime 1x

# Without symbol tables and debugging information, which nothing in hotspan reads: stack traces of Go name functions and
# lines without them. gRPC's pages for debugging are left out too, and net/http's HTTP/2: gRPC has its own, and OTLP over
# HTTP needs none.
OUT = bin/hotspan
build: tools-go
	go build -trimpath -tags grpcnotrace,nethttpomithttp2 -ldflags '-s -w' -o $(OUT) .

generate: tools-go tools-bpf
	go generate ./$(BPF)/...

check-generated: tools-go tools-bpf
	@before=$$(cat $(GENERATED) | sha256sum); go generate ./$(BPF)/... || exit 1; \
	[ "$$before" = "$$(cat $(GENERATED) | sha256sum)" ] || \
	{ echo "The generated files in $(BPF) were not those of the sources; now they are."; exit 1; }
	@echo "The generated files in $(BPF) are those of the sources."

# The add-on is built for each of these by its own headers: one for each ABI of Node.
ADDON_NODES = 18.20.8 20.20.2 22.23.3 24.21.0 25.9.0 26.10.0
ADDONS = $(ADDON_NODES:%=bin/addons/%)
bin/addons/%: nodeaddon/build.js $(wildcard nodeaddon/src/*) | tools-go tools-npm tools-test
	@node=$$(go run ./test/nodes/get $*) && "$$node" nodeaddon/build.js bin/addons && touch $@

npm: tools-go tools-npm $(ADDONS)
	@CGO_ENABLED=0 $(MAKE) --no-print-directory OUT=bin/hotspan build
	@node nodeaddon/pack.js bin/addons bin/hotspan bin/npm

nodes: tools-go tools-npm
	@go run ./test/nodes/get >/dev/null

%/$(INSTALLED): %/package-lock.json | tools-npm
	cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

root-demo:
	$(call root,demo)

root-example-labels:
	$(call root,example-labels)

root-example-fastify:
	$(call root,example-fastify)

root-test:
	$(call root,test)

root-node:
	$(call root,node)

root-releases:
	$(call root,releases)

root-truth:
	$(call root,truth)

root-bench:
	$(call root,bench)

root-bench-readers:
	$(call root,bench-readers)

tools-go:
	$(call need,go,Go 1.26 or later from https://go.dev/dl)

tools-npm:
	$(call need,node,Node.js and npm (Debian: apt-get install nodejs npm))
	$(call need,npm,Node.js and npm (Debian: apt-get install nodejs npm))

# Tests compare with what these say of the same files, and build libraries and add-ons that publish contexts.
tools-test:
	$(call need,git,git (Debian: apt-get install git))
	@for tool in readelf nm openssl g++ musl-gcc zstd; do command -v $$tool >/dev/null || missing=1; done; \
	if [ -z "$$missing" ]; then exit 0; fi; $(call install,binutils openssl g++ libc6-dev musl-tools zstd)

tools-bpf:
	@if $(HAVE_CLANG); then exit 0; fi; $(call install,clang-19 llvm-19 libbpf-dev linux-libc-dev)
	@$(HAVE_CLANG) || { echo "clang-19 is not $(CLANG): the BPF objects cannot be made or compared here."; exit 1; }
