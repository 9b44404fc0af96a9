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

// sharedModules are the dependencies that more than one package may import, and why. Each other one has one owner,
// which hides it.
var sharedModules = map[string]struct {
	by  []string // nil: any package
	why string
}{
	"golang.org/x/sys": {nil, "Linux's system calls, where the standard library has them not"},
	"github.com/cilium/ebpf": {[]string{"agent/internal/bpf", "agent/internal/bpf/bpftest", "agent/internal/sampler", "agent/internal/trigger"},
		"bpf and, for tests, bpftest hold the generated loaders, sampler fills maps and reads, trigger attaches"},
	"golang.org/x/arch": {[]string{"agent/internal/uvpool", "v8/layout", "v8/stack"}, "one disassembler: of accessors and of libuv's call at attach, of jumps out of line"},
}

// direct lists the modules that go.mod requires for the product's own code.
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

// moduleOf is the module of those given that has a package: the one with the longest path. Empty for none.
func moduleOf(pkg string, modules []string) string {
	best := ""
	for _, m := range modules {
		if (pkg == m || strings.HasPrefix(pkg, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

// users are the product's packages that import each module, and the modules that only tests or examples do.
func users(t *testing.T, modules []string) (product map[string][]string, elsewhere map[string]bool) {
	t.Helper()
	product, elsewhere = map[string][]string{}, map[string]bool{}
	for _, i := range imports(t) {
		m, from := moduleOf(i.path, modules), path.Dir(i.file)
		switch {
		case m == "" || strings.HasPrefix(i.file, "test/collector/"): // a module of its own
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
			t.Errorf("go.mod requires %s, nothing imports it", m)
		case ok && len(by) < 2:
			t.Errorf("%s is imported by %v: it needs no exception", m, by)
		case ok && shared.by != nil && !slices.Equal(by, shared.by):
			t.Errorf("%s is imported by %v, allowed are %v (%s)", m, by, shared.by, shared.why)
		case !ok && len(by) > 1:
			t.Errorf("%s is imported by %v: a dependency has one owner", m, by)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(sharedModules)) {
		if !slices.Contains(modules, m) {
			t.Errorf("%s is an exception, but go.mod does not require it", m)
		}
	}
}
