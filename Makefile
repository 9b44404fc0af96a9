# make demo             a profile of a real Express service by route, from outside it (needs root)
# make example-labels   a profile of a service that labels its requests by the npm package (needs root)
# make example-fastify  the same of a fastify service that is not changed (needs root)
# make example-collector  a trace and its CPU time, through an OpenTelemetry Collector (needs root)
# make example-snapshots  a service that keeps profiles of itself, by the agent (needs root)
# make test             the tests of all packages but those that take long, and of these some (needs root). Those that
#                       take longest run on a quarter of the Nodes, by the commit; DRAW= takes all
# make thorough         the tests that take long, and each fuzz function for ten seconds (needs root); DRAW=TEXT takes a
#                       quarter of the Nodes of each and of those that take longest, and four functions, by the
#                       text
# make soak             the tests of test/e2e and test/inspect on all Nodes, for hours (needs root)
# make test-stress      each test again and again beside a busy process, 25 minutes a run, and writes docs/safety.md
#                       (needs root)
# make node NODE=V      the tests that are about Node.js on one version of test/nodes.json (needs root)
# make releases         tries releases of Node.js that have no result yet, 25 a run, and writes docs/support.md (needs root)
# make chaos            ten minutes in which hotspan and what it profiles are killed, stopped and starved (needs root)
# make fuzz             each fuzz function for a while, 25 minutes a run, and writes docs/safety.md (needs root)
# make kernels          boots Debian's kernels under qemu and profiles there (needs root)
# make truth            what share of profiles is true, by Node.js version, as a table (needs root)
# make bench            what hotspan costs, against none and others in the same run (needs root):
#                       BENCH_BASE=REF BENCH_OTEL=PATH BENCH_FULL=1 BENCH_WRITE=1
# make bench-npm        what the npm package costs an application, profiles of itself included (needs root)
# make bench-readers    what each way to read labels costs a sample (needs root)
# make build            bin/hotspan and bin/hotspan-web
# make npm              the npm packages as tarballs in bin/npm, and installed in bin/npm/app
# make generate         the BPF objects and the code of the agent's protocol anew, with clang-19 and protoc; the page
# make check-generated  that they are those of the sources

DEMO_NODE = 24.21.0
DEMO_FLAGS ?=
TRUTH_FLAGS ?=
CHAOS_FLAGS ?=
KERNELS_FLAGS ?=
FUZZ_FLAGS ?=
RELEASES_FLAGS ?=
BENCH_FLAGS ?=
BENCH_BASE ?=
BENCH_OTEL ?=
BENCH_FULL ?=
BENCH_WRITE ?=

# npm writes this file at the end of an installation.
INSTALLED = node_modules/.package-lock.json
PACKAGES = examples/express/$(INSTALLED) test/programs/$(INSTALLED) test/programs/published/$(INSTALLED) \
	test/programs/datadog/$(INSTALLED) test/programs/opentelemetry/$(INSTALLED) test/programs/sentry/$(INSTALLED) \
	nodeaddon/test/$(INSTALLED) test/viewers/$(INSTALLED) test/page/$(INSTALLED)
BPF = agent/internal/bpf
API = agent/api
GENERATED = $(BPF)/*_bpfel.go $(BPF)/*_bpfel.o $(BPF)/*.zst $(BPF)/bpftest/*_bpfel.go $(BPF)/bpftest/*_bpfel.o \
	$(BPF)/registers/*_bpfel.go $(BPF)/registers/*_bpfel.o $(BPF)/kernelnames/*_bpfel.* $(API)/*.pb.go

# need PROGRAM, WHERE FROM: ends with a sentence if the program is missing.
# root TARGET: ends with a sentence if this is not root.
# install PACKAGES: by apt-get, where that is there and this is root; else ends with a sentence.
need = @command -v $(1) >/dev/null || { echo "$(1) is missing: install $(2)."; exit 1; }
root = @[ "$$(id -u)" = 0 ] || { echo "Sampling other processes with BPF needs root: run sudo make $(1)."; exit 1; }
install = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(1); \
	else echo "Something of this is missing: run apt-get install $(1) as root."; exit 1; fi

# The compilers are pinned, as Debian has them: others generate other files. /usr/include/bpf is libbpf-dev's.
CLANG = 19.1.7
PROTOC = 3.21.12
HAVE_GENERATORS = clang-19 --version 2>/dev/null | grep -qF "version $(CLANG)" && command -v llvm-strip-19 >/dev/null && \
	[ -e /usr/include/bpf/bpf_helpers.h ] && protoc --version 2>/dev/null | grep -qF "$(PROTOC)"

# These need root.
ROOT = $(addprefix root-,demo example-labels example-fastify example-snapshots example-collector test thorough soak \
	test-stress node releases chaos fuzz kernels truth bench bench-npm bench-readers)

.PHONY: $(ROOT) $(ROOT:root-%=%) build npm generate check-generated nodes tools-go tools-npm tools-test tools-generate

demo: root-demo build examples/express/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && go run ./examples/demo -node "$$node" $(DEMO_FLAGS)

example-labels: root-example-labels npm
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && examples/record.sh labels \
		"/report/acme /report/globex /report/initech" "tenant step" "$$node"

example-fastify: root-example-fastify npm examples/fastify/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && examples/record.sh fastify \
		"/primes/100000 /words/3000" http.route "$$node" --import hotspan/register

example-snapshots: root-example-snapshots npm
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && examples/snapshots/run.sh "$$node"

example-collector: root-example-collector build examples/express/$(INSTALLED)
	@go build -C test/collector -o ../../bin/collector . && node=$$(go run ./test/nodes/get $(DEMO_NODE)) && \
		"$$node" examples/collector/run.js bin/hotspan bin/collector

# gofmt and the other rules of the repository are tests too, in test/repo.
test: root-test tools-go tools-test $(PACKAGES) nodes
	go vet ./...
	cd otlp/receiver && go vet ./...
	cd test/collector && go vet ./...
	@if $(HAVE_GENERATORS); then $(MAKE) --no-print-directory check-generated; \
	else echo "SKIPPED check-generated: there is no clang-19 $(CLANG) with libbpf-dev, or no protoc $(PROTOC). It matters if you change $(BPF)/*.[ch] or $(API); make tools-generate installs them."; fi
	DRAW=$${DRAW-$$(git rev-parse HEAD)} go run ./test/repo/gotest -p 3 -without '$(LONG)' . otlp/receiver
	go run ./test/repo/gotest -with '/test/e2e$$' -run 'Test(Functions|Requests)/^plain$$/^$(NODE)$$' .

# What takes long: hotspan on each Node, core files, the npm package, and a Collector.
LONG = /test/(e2e|inspect|npm|chaos|collector)$$
thorough: root-thorough tools-go tools-test npm $(PACKAGES) nodes
	HOTSPAN_COMMAND=$(CURDIR)/bin/hotspan HOTSPAN_APP=$(CURDIR)/bin/npm/app \
		go run ./test/repo/gotest -p 2 -parallel 3 -with '$(LONG)' . test/collector
	go run ./test/fuzz -check -time 10s -draw '$(DRAW)' -most 4

soak: root-soak tools-go tools-test $(PACKAGES) nodes
	go test ./test/e2e ./test/inspect -all -timeout 8h

# STRESS_FLAGS='-rounds 50 -for 2h -run TestOffCPU' says how often, how long and which. The packages are those whose
# tests profile processes, or wait for them.
STRESS_PACKAGES ?= ./test/e2e ./test/inspect $(addprefix ./agent/internal/,walk dump doctor selfcheck sampler serve \
	trigger procs uvloop uvpool)
test-stress: root-test-stress tools-go tools-test $(PACKAGES) nodes
	@go run ./test/stress $(STRESS_FLAGS) $(STRESS_PACKAGES)

NODE = $(DEMO_NODE)
node: root-node tools-go tools-test $(PACKAGES) nodes
	go test ./agent/internal/walk -run TestWalkLive/$(NODE) -record
	go test ./v8/... ./context/... ./agent/...
	go test ./test/e2e -all -timeout 30m -run 'Test(EveryNode|Threads|Mixed|Shares|Express|DoctorOnProcess|Pool)/^$(NODE)$$|Test(Functions|Tiers|Requests)/./^$(NODE)$$'

truth: root-truth build $(PACKAGES) nodes
	@go run ./test/truth/table $(TRUTH_FLAGS)

releases: root-releases build test/programs/$(INSTALLED)
	@go run ./test/releases $(RELEASES_FLAGS)

# CHAOS_FLAGS='-duration 1m -seed N' does less, and the same again.
chaos: root-chaos build nodes
	@go run ./test/chaos $(CHAOS_FLAGS)

# FUZZ_FLAGS='-time 10m -for 2h -run REGEXP' says how long each runs, how long all, and which.
fuzz: root-fuzz tools-go
	@go run ./test/fuzz $(FUZZ_FLAGS)

# KERNELS_FLAGS=-write writes the kernels on which all is right to the list that doctor has, and to README.
kernels: root-kernels build test/programs/$(INSTALLED) nodes
	$(call need,qemu-system-x86_64,qemu (Debian: apt-get install qemu-system-x86))
	@go run ./test/kernels $(KERNELS_FLAGS)

# BENCH_FLAGS=-short has a look at everything in a minute or two.
bench: root-bench build test/programs/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && go build -o bin/bench ./test/bench && bin/bench -node "$$node" \
		-base "$(BENCH_BASE)" -otel "$(BENCH_OTEL)" $(if $(BENCH_FULL),-full) $(if $(BENCH_WRITE),-write docs/cost.md) \
		$(BENCH_FLAGS)

# What the npm package costs: contexts, and profiles from inside.
bench-npm: root-bench-npm npm nodeaddon/test/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && go build -o bin/bench ./test/bench && bin/bench -node "$$node" \
		-app bin/npm/app/node_modules $(BENCH_FLAGS)

bench-readers: root-bench-readers tools-go tools-test $(PACKAGES)
	@go test ./agent/internal/walk -run '^$$' -bench '^BenchmarkReaders$$' -benchtime 1x

# Without symbol tables and debugging information, which nothing in hotspan reads: stack traces of Go name functions and
# lines without them. gRPC's pages for debugging are left out too, and net/http's HTTP/2: gRPC has its own, and OTLP over
# HTTP needs none. What is not inlined has no notable part in the cost of a sample, and saves 1 MB in all. There
# is no C library: one file for all distributions.
OUT = bin/hotspan
NOT_INLINED = crypto/... debug/... encoding/json fmt log/... math/big mime/... net/... reflect regexp/... text/... \
	vendor/... github.com/cilium/ebpf/asm github.com/gdamore/... github.com/ianlancetaylor/... \
	github.com/prometheus/... github.com/spf13/... go.yaml.in/... golang.org/x/arch/... golang.org/x/net/... \
	golang.org/x/text/... google.golang.org/... \
	$(addprefix github.com/hotspan/hotspan/,agent/cli/... context/nodejs v8/value v8/verify \
		$(addprefix agent/internal/,cgroup doctor dump elffile export filecache inspect jitdump metrics probe \
			process procs pyroscope requests resource selfcheck serve sourcemaps store trigger))
GO_BUILD = CGO_ENABLED=0 go build -trimpath -tags grpcnotrace,nethttpomithttp2 -ldflags '-s -w'
build: tools-go
	$(GO_BUILD) $(NOT_INLINED:%=-gcflags '%=-l') -o $(OUT) .
	$(GO_BUILD) -o $(dir $(OUT))hotspan-web ./hotspan-web

generate: tools-go tools-generate
	go generate ./$(BPF)/... ./$(API) ./pprofx/page

check-generated: tools-go tools-generate
	@before=$$(cat $(GENERATED) | sha256sum); go generate ./$(BPF)/... ./$(API) || exit 1; \
	[ "$$before" = "$$(cat $(GENERATED) | sha256sum)" ] || \
	{ echo "The generated files in $(BPF) and $(API) were not those of the sources; now they are."; exit 1; }
	@echo "The generated files in $(BPF) and $(API) are those of the sources."

# The add-on is built for each of these by its own headers: one for each ABI of Node.
ADDON_NODES = 18.20.8 20.20.2 22.23.3 24.21.0 25.9.0 26.10.0
ADDONS = $(ADDON_NODES:%=bin/addons/%)
bin/addons/%: nodeaddon/build.js $(wildcard nodeaddon/src/* nodeaddon/include/*) | tools-go tools-npm tools-test
	@node=$$(go run ./test/nodes/get $*) && "$$node" nodeaddon/build.js bin/addons && touch $@

npm: tools-go tools-npm $(ADDONS)
	@$(MAKE) --no-print-directory OUT=bin/hotspan build
	@node nodeaddon/pack.js bin/addons bin bin/npm

nodes: tools-go tools-npm
	@go run ./test/nodes/get >/dev/null

%/$(INSTALLED): %/package-lock.json | tools-npm
	cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(ROOT): root-%:
	$(call root,$*)

tools-go:
	$(call need,go,Go 1.26 or later from https://go.dev/dl)

tools-npm:
	$(call need,node,Node.js and npm (Debian: apt-get install nodejs npm))
	$(call need,npm,Node.js and npm (Debian: apt-get install nodejs npm))

# Tests compare with what these say of the same files, build libraries and add-ons that publish contexts, and open the
# page in a browser.
tools-test:
	$(call need,git,git (Debian: apt-get install git))
	@for tool in readelf nm openssl g++ musl-gcc zstd chromium valgrind gcore; do command -v $$tool >/dev/null || missing=1; done; \
	if [ -z "$$missing" ]; then exit 0; fi; $(call install,binutils openssl g++ libc6-dev musl-tools zstd chromium valgrind gdb)

tools-generate:
	@if $(HAVE_GENERATORS); then exit 0; fi; \
	$(call install,clang-19 llvm-19 libbpf-dev linux-libc-dev protobuf-compiler)
	@$(HAVE_GENERATORS) || { echo "clang-19 is not $(CLANG), or protoc not $(PROTOC): generated files cannot be compared here."; exit 1; }
