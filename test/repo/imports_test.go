package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which top folders the code of a top folder may import. "" is the root: main.go.
var mayImport = map[string][]string{
	"":           {"agent"},
	webCommand:   {},
	"agent":      {"agent", "v8", "context", "pprofx", "otlp"},
	"context":    {"context", "v8"},
	"otlp":       {"otlp", "pprofx"},
	otlpReceiver: {"agent", "context", "otlp", "pprofx"},
	"v8":         {"v8"},
	"pprofx":     {"pprofx"},
	"examples":   {"examples", "agent", "v8", "context", "pprofx", "otlp"},
	"test":       {"test", "agent", "v8", "context", "pprofx", "otlp", otlpReceiver},
}

// publicOnly are the top folders that may import public packages only.
var publicOnly = []string{"", "examples", "test", otlpReceiver}

// webCommand shows what hotspan writes, and shares no code with it.
const webCommand = "hotspan-web"

// otlpReceiver counts as a top folder: it is a module of its own, and embeds the agent.
const otlpReceiver = "otlp/receiver"

// ownModules are the folders of the modules beside the product's.
var ownModules = []string{otlpReceiver, "test/collector"}

// ownModule returns the folder of the module that a file is in; empty for the product's.
func ownModule(file string) string {
	for _, m := range ownModules {
		if strings.HasPrefix(file, m+"/") {
			return m
		}
	}
	return ""
}

// forTests are packages that any test may import: they find Node binaries, draw what is tested, read what the test
// programs wrote down, measure CPU time, and have files that are slow, or shared objects.
var forTests = []string{
	"test/cputime", "test/draw", "test/nodes", "test/nodes/live", "test/slowfiles", "test/truth", "test/vdso",
}

// onlyTests are packages that only tests may import: the BPF program with what tests need of it, recordings, random
// snapshots, and memory in place of a process's.
var onlyTests = []string{
	"agent/internal/bpf/bpftest", "agent/cli/recording/recordingtest", "pprofx/internal/pprofxtest",
	"v8/heap/heaptest",
}

// imported is one import of one file.
type imported struct {
	file string
	name string // what the file calls it; empty for the package's own name
	path string
}

func (i imported) isTest() bool { return strings.HasSuffix(i.file, "_test.go") }

// imports lists all imports of all Go files.
func imports(t *testing.T) []imported {
	t.Helper()
	var all []imported
	for _, file := range withSuffix(t, ".go") {
		f, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range f.Imports {
			all = append(all, newImported(file, s))
		}
	}
	return all
}

func newImported(file string, s *ast.ImportSpec) imported {
	i := imported{file: file}
	i.path, _ = strconv.Unquote(s.Path.Value) // the parser has seen that it is a string
	if s.Name != nil {
		i.name = s.Name.Name
	}
	return i
}

// top is the first folder of a path, "" for a file of the root.
func top(name string) string {
	if ownModule(name) == otlpReceiver {
		return otlpReceiver
	}
	first, _, below := strings.Cut(name, "/")
	if !below {
		return ""
	}
	return first
}

// verdict says what is wrong with an import of one of the repository's own packages. It is empty if nothing is.
func verdict(i imported) string {
	own, ok := strings.CutPrefix(i.path, module+"/")
	from := top(i.file)
	switch {
	case !ok, i.isTest() && slices.Contains(forTests, own):
		return ""
	case slices.Contains(onlyTests, own) && !i.isTest():
		return "only tests may import that package"
	case !slices.Contains(mayImport[from], top(own+"/")):
		return "code in this folder may import only " + strings.Join(mayImport[from], ", ")
	case slices.Contains(publicOnly, from) && slices.Contains(strings.Split(own, "/"), "internal"):
		return "code in this folder may import public packages only"
	}
	return ""
}

func TestImports(t *testing.T) {
	for _, i := range imports(t) {
		if wrong := verdict(i); wrong != "" {
			t.Errorf("%s imports %s: %s", i.file, i.path, wrong)
		}
	}
}

// TestVerdict: the rule can be broken.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		file, path string
		wrong      bool
	}{
		{"v8/functions/code.go", "v8/heap", false},
		{"v8/functions/code.go", "pprofx", true},
		{"pprofx/cut.go", "v8/stack", true},
		{"otlp/stack.go", "pprofx", false},
		{"otlp/stack.go", "context", true},
		{"otlp/stack.go", "agent", true},
		{"otlp/stack.go", "otlp/receiver", true},
		{"otlp/receiver/sink.go", "agent", false},
		{"otlp/receiver/sink.go", "v8/heap", true},
		{"otlp/receiver/sink.go", "agent/internal/store", true},
		{"context/tree.go", "v8/heap", false},
		{"context/tree.go", "agent", true},
		{"agent/join.go", "context", false},
		{"agent/join.go", "test/nodes", true},
		{"agent/join_test.go", "test/nodes", false},
		{"main.go", "agent/cli", false},
		{"main.go", "v8/heap", true},
		{"hotspan-web/main.go", "pprofx", true},
		{"agent/join.go", "agent/internal/bpf/bpftest", true},
		{"agent/join_test.go", "agent/internal/bpf/bpftest", false},
		{"agent/cli/cli.go", "agent/cli/recording/recordingtest", true},
		{"test/e2e/x_test.go", "agent", false},
		{"test/e2e/x_test.go", "agent/internal/bpf", true},
		{"examples/demo/main.go", "agent/internal/bpf", true},
		{"strange/x.go", "pprofx", true},
	} {
		if got := verdict(imported{file: c.file, path: module + "/" + c.path}); (got != "") != c.wrong {
			t.Errorf("%s imports %s: verdict %q, want one: %v", c.file, c.path, got, c.wrong)
		}
	}
}

// TestContextIsCalledReqctx: package context has the name of a standard package, so importers rename ours.
func TestContextIsCalledReqctx(t *testing.T) {
	found := false
	for _, i := range imports(t) {
		if path.Dir(i.file) == "context" && i.path == "context" {
			t.Errorf("%s imports the standard package context into ours of the same name", i.file)
		}
		if i.path == module+"/context" {
			found = true
			if i.name != "reqctx" {
				t.Errorf("%s imports %s as %q: import it as reqctx", i.file, i.path, i.name)
			}
		}
	}
	if !found {
		t.Error("no file imports our package context: the rule checks nothing")
	}
}
