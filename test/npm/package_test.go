package npm

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
)

const root = "../.."

// tests are the package's own.
const tests = root + "/nodeaddon/test"

// node is a Node.js that the package supports, and how it is started.
type node struct {
	version string
	frame   bool // with AsyncContextFrame
}

var supported = []node{
	{"18.20.8", false}, {"20.20.2", false}, {"22.23.3", false}, {"22.23.3", true}, {"24.21.0", true}, {"25.9.0", true},
	{"26.10.0", true},
}

func (n node) flags() []string {
	if n.frame && strings.HasPrefix(n.version, "22.") {
		return []string{"--experimental-async-context-frame"}
	}
	return nil
}

func (n node) path(t *testing.T) string {
	t.Helper()
	path, err := nodes.Path(n.version)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (n node) name() string { return strings.Join(append([]string{n.version}, n.flags()...), " ") }

func installedApp(t *testing.T) string {
	t.Helper()
	app, err := App(root)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// copyTests puts the package's tests beside the installed package, whose name they then find it by, and returns the
// names of those that are run.
func copyTests(t *testing.T, app string) (run []string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(app, "test"), 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(tests + "/*.[jt]s")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: no tests in %s", err, tests)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join("test", filepath.Base(name))
		if err := os.WriteFile(filepath.Join(app, to), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".test.js") {
			run = append(run, to)
		}
	}
	return run
}

// command runs Node in the folder of the installed package, with what the tests use beside it.
func command(t *testing.T, app, node string, args ...string) *exec.Cmd {
	t.Helper()
	modules, err := filepath.Abs(tests + "/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, args...)
	cmd.Dir = app
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	return cmd
}

// TestPackage runs the package's own tests on the installed package.
func TestPackage(t *testing.T) {
	t.Parallel()
	app := installedApp(t)
	files := copyTests(t, app)
	count := regexp.MustCompile(`(?m)^# pass (\d+)$`)
	for _, n := range draw.Share(supported, 3, t.Name()) {
		t.Run(n.name(), func(t *testing.T) {
			args := slices.Concat(n.flags(), []string{"--test", "--test-reporter=tap"}, files)
			out, err := command(t, app, n.path(t), args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			m := count.FindSubmatch(out)
			if m == nil {
				t.Fatalf("no count of tests in\n%s", out)
			}
			if passed, _ := strconv.Atoi(string(m[1])); passed < 19 {
				t.Errorf("only %d tests passed\n%s", passed, out)
			}
		})
	}
}

// TestTypes: the declarations of types are what the tests' types.ts says.
func TestTypes(t *testing.T) {
	app := installedApp(t)
	copyTests(t, app)
	tsc, err := filepath.Abs(tests + "/node_modules/typescript/bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	roots, err := filepath.Abs(tests + "/node_modules/@types")
	if err != nil {
		t.Fatal(err)
	}
	out, err := command(t, app, node{"24.21.0", true}.path(t), tsc, "--noEmit", "--strict", "--module", "node16",
		"--moduleResolution", "node16", "--target", "es2022", "--typeRoots", roots, "--types", "node",
		"test/types.ts").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestBinaries: there is an add-on for each ABI, which needs no library but glibc, and of that no newer version than
// the oldest Node does (2.28, Node's BUILDING.md); and the profiler runs.
func TestBinaries(t *testing.T) {
	app := installedApp(t)
	files, err := filepath.Glob(filepath.Join(app, "node_modules/@hotspan/addon-linux-x64/*.node"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%v: %d add-ons, want 6: %v", err, len(files), files)
	}
	for _, name := range files {
		f, err := elf.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if libraries, err := f.ImportedLibraries(); err != nil || !slices.Equal(libraries, []string{"libc.so.6"}) {
			t.Errorf("%s needs %v (%v)", name, libraries, err)
		}
		symbols, err := f.ImportedSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			if minor, ok := strings.CutPrefix(s.Version, "GLIBC_2."); ok {
				first, _, _ := strings.Cut(minor, ".")
				if n, err := strconv.Atoi(first); err != nil || n > 28 {
					t.Errorf("%s needs %s of %s", name, s.Name, s.Version)
				}
			}
		}
	}
	npx := command(t, app, node{"24.21.0", true}.path(t), "node_modules/.bin/hotspan", "--version")
	out, err := npx.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "hotspan ") {
		t.Errorf("%v: %s", err, out)
	}
}
