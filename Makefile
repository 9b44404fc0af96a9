# make demo       a profile of a real Express service by route, from outside it (needs root)
# make test       all tests (needs root)
# make build      bin/hotspan
# make generate   the BPF objects anew, with clang-19
# make check      formatting, vet, and that the generated files are those of the sources

DEMO_NODE = 24.21.0
DEMO_FLAGS =

# npm writes this file at the end of an installation.
INSTALLED = node_modules/.package-lock.json
PACKAGES = examples/express/$(INSTALLED) test/programs/$(INSTALLED)
GENERATED = agent/internal/bpf/*_bpfel.go agent/internal/bpf/*_bpfel.o

# need PROGRAM, WHERE FROM: ends with a sentence if the program is missing.
# root TARGET: ends with a sentence if this is not root.
need = @command -v $(1) >/dev/null || { echo "$(1) is missing: install $(2)."; exit 1; }
root = @[ "$$(id -u)" = 0 ] || { echo "Sampling other processes with BPF needs root: run sudo make $(1)."; exit 1; }

.PHONY: demo test build generate check tools-go tools-npm tools-bpf root-demo root-test nodes

demo: root-demo build examples/express/$(INSTALLED)
	@node=$$(go run ./test/nodes/get $(DEMO_NODE)) && go run ./examples/demo -node "$$node" $(DEMO_FLAGS)

test: root-test tools-go $(PACKAGES) nodes
	go test ./...

build: tools-go
	go build -o bin/hotspan .

generate: tools-go tools-bpf
	go generate ./agent/internal/bpf

check: tools-go tools-bpf
	@files=$$(git ls-files --cached --others --exclude-standard '*.go' | xargs gofmt -l); \
	[ -z "$$files" ] || { echo "Not formatted, run gofmt -w on:"; echo "$$files"; exit 1; }
	go vet ./...
	@before=$$(cat $(GENERATED) | sha256sum); go generate ./agent/internal/bpf || exit 1; \
	[ "$$before" = "$$(cat $(GENERATED) | sha256sum)" ] || \
	{ echo "The generated files in agent/internal/bpf were not those of the sources; now they are."; exit 1; }

nodes: tools-go tools-npm
	@go run ./test/nodes/get >/dev/null

%/$(INSTALLED): %/package-lock.json | tools-npm
	cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

root-demo:
	$(call root,demo)

root-test:
	$(call root,test)

tools-go:
	$(call need,go,Go 1.26 or later from https://go.dev/dl)

tools-npm:
	$(call need,node,Node.js and npm (Debian: apt-get install nodejs npm))
	$(call need,npm,Node.js and npm (Debian: apt-get install nodejs npm))

# The compiler is pinned: another one makes other objects.
tools-bpf:
	@if command -v clang-19 >/dev/null && command -v llvm-strip-19 >/dev/null && [ -e /usr/include/bpf/bpf_helpers.h ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then apt-get install -y --no-install-recommends clang-19 llvm-19 libbpf-dev linux-libc-dev; \
	else echo "clang-19, llvm-19 or libbpf-dev is missing: run apt-get install clang-19 llvm-19 libbpf-dev as root."; exit 1; fi
