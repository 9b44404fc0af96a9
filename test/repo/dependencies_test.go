package repo

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// sharedModules are the dependencies that more than one package may import, and why. Every other dependency has one
// owner package, which hides it.
var sharedModules = map[string]struct {
	by  []string // nil: any package
	why string
}{
	"golang.org/x/sys": {nil, "Linux system calls that the standard library lacks"},
	"github.com/cilium/ebpf": {
		[]string{"agent/internal/bpf", "agent/internal/bpf/bpftest", "agent/internal/bpf/kernelbtf",
			"agent/internal/bpf/kernelnames", "agent/internal/bpf/nolines", "agent/internal/bpf/registers",
			"agent/internal/sampler", "agent/internal/trigger"},
		"bpf, registers, kernelnames and, for tests, bpftest hold the generated loaders, kernelbtf reads the " +
			"kernel's types, nolines those of the object, sampler fills maps and reads, trigger attaches"},
	"github.com/klauspost/compress": {
		[]string{"agent/cli/inspect", "agent/internal/bpf", "agent/internal/bpf/compress", "otlp"},
		"otlp compresses recordings; the BPF object is compressed for the binary; inspect reads compressed cores"},
	"google.golang.org/grpc": {[]string{"agent/api", "agent/client", "agent/internal/serve", "otlp"},
		"otlp delivers, the agent serves and clients ask by one protocol"},
	"google.golang.org/protobuf": {[]string{"agent/api", "agent/internal/pyroscope", "context/published", "otlp",
		"pprofx/pprof"},
		"published reads what processes publish, otlp encodes, pprof writes profiles too large to be in memory twice"},
	"go.yaml.in/yaml/v3": {[]string{"agent/cli/daemon", "context"}, "context reads rules, daemon its configuration"},
	"golang.org/x/arch": {
		[]string{"agent/internal/disasm", "agent/internal/flow", "agent/internal/symbols",
			"agent/internal/uvpool", "v8/functions", "v8/layout", "v8/optimized", "v8/x86"},
		"one disassembler: where instructions begin, of accessors and libuv's call at attach, of jumps out of line; " +
			"what code without unwind rules pushes, and where it ends; for annotate their text"},
}

// direct lists the modules that go.mod requires directly.
func direct(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &file); err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, r := range file.Require {
		if !r.Indirect {
			modules = append(modules, r.Path)
		}
	}
	return modules
}

// moduleOf returns the module that contains a package: of those given, the one with the longest matching path. It is
// empty if there is none.
func moduleOf(pkg string, modules []string) string {
	best := ""
	for _, m := range modules {
		if (pkg == m || strings.HasPrefix(pkg, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

// users returns the product's packages that import each module, and the modules that tests or examples import.
func users(t *testing.T, modules []string) (product map[string][]string, elsewhere map[string]bool) {
	t.Helper()
	product, elsewhere = map[string][]string{}, map[string]bool{}
	for _, i := range imports(t) {
		m, from := moduleOf(i.path, modules), path.Dir(i.file)
		switch {
		case m == "" || ownModule(i.file) != "":
		case i.isTest() || top(i.file) == "test" || top(i.file) == "examples":
			elsewhere[m] = true
		case !slices.Contains(product[m], from):
			product[m] = append(product[m], from)
		}
	}
	return product, elsewhere
}

func TestDependencies(t *testing.T) {
	modules := direct(t)
	product, elsewhere := users(t, modules)
	for _, m := range modules {
		by := product[m]
		slices.Sort(by)
		shared, ok := sharedModules[m]
		switch {
		case len(by) == 0 && !elsewhere[m]:
			t.Errorf("go.mod requires %s, but no package imports it", m)
		case ok && len(by) < 2:
			t.Errorf("only %v imports %s: remove its entry from sharedModules", by, m)
		case ok && shared.by != nil && !slices.Equal(by, shared.by):
			t.Errorf("%v import %s, but sharedModules allows %v (%s)", by, m, shared.by, shared.why)
		case !ok && len(by) > 1:
			t.Errorf("%v import %s: a dependency has one owner package", by, m)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(sharedModules)) {
		if !slices.Contains(modules, m) {
			t.Errorf("sharedModules lists %s, which go.mod does not require", m)
		}
	}
}
