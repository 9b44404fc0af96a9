package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/debian"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
	"github.com/hotspan/hotspan/v8/functions"
)

// container starts a program as containers do: in its own mount and PID namespaces, on an overlay file system that no
// other process sees. The shell script prepare, run in the new root, puts the files there.
func container(t *testing.T, prepare, node, script string) program {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"upper", "work", "root"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-ec", `
		mount -t overlay overlay -o "lowerdir=/,upperdir=$DIR/upper,workdir=$DIR/work" "$DIR/root"
		mount -t proc proc "$DIR/root/proc"
		cd "$DIR/root"
		`+prepare+`
		exec chroot . "$NODE" "$SCRIPT" /truth.jsonl`)
	c.Env = append(os.Environ(), "STOP=/stop", "DURATION_MS=600000", "DIR="+dir, "NODE="+node,
		"SCRIPT="+filepath.Join(here, "../programs", script))
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Unshareflags: syscall.CLONE_NEWNS}
	begun, err := trial.Begin(c)
	p := owned(t, begun, err)
	p.Log, p.End = filepath.Join(dir, "upper/truth.jsonl"), fmt.Sprintf("/proc/%d/root/stop", p.Process.Pid)
	p.await(t)
	p.PID = p.Process.Pid // the program knows only its number in there
	return p
}

// hasGoodNames compares samples of a command, which is a hotspan, with the truth of functions.js in a container.
func hasGoodNames(t *testing.T, command string, p program) []judge.Sample {
	t.Helper()
	samples := recordEnoughJS(t, command, p.PID, 997, 1500, 4*time.Second)
	reach(t, samples, p.PID, 99)
	v := compare(t, ofMain(p, samples), p.truth(t))
	inTime(t, v.Right, "leaf function right", 99, 500)
	atLeast(t, v.Line, "caller's line right", 99, 500)
	if v.Wrong > 0 {
		t.Errorf("%d wrong functions, want none", v.Wrong)
	}
	return samples
}

// ofMain gives samples of a container's main thread the number by which the program knows it.
func ofMain(p program, samples []judge.Sample) []judge.Sample {
	for i := range samples {
		if samples[i].TID == p.PID {
			samples[i].TID = 1
		}
	}
	return samples
}

// TestContainer: hotspan finds what a container runs by its contents, not by path or name.
func TestContainer(t *testing.T) {
	t.Parallel()
	prepare := "mkdir -p opt/service && cp " + strconv.Quote(node24(t)) + " opt/service/api"
	p := container(t, prepare, "/opt/service/api", "functions.js")
	if _, err := os.Stat("/opt/service/api"); err == nil {
		t.Fatal("the program is also outside of the container: it proves nothing")
	}
	for _, s := range hasGoodNames(t, hotspan, p) {
		for _, f := range s.Stack {
			if f.Kind == "native" && f.F == "node::Start" && !strings.HasSuffix(f.Mod, "/opt/service/api") {
				t.Fatalf("module %s", f.Mod)
			}
		}
	}
}

// TestSharedLibrary: Debian's Node.js is a small executable and a stripped libnode, at an address that the loader
// chooses. It has as good names when the library is deleted while it runs, of a hotspan that reads it from memory then.
func TestSharedLibrary(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	packages := debianPackages(t, "bookworm", "libnode108", "nodejs/bookworm", "libuv1", "libc-ares2", "node-acorn",
		"node-cjs-module-lexer", "node-undici")
	prepare := "for f in " + strconv.Quote(packages) + "/*.deb; do dpkg-deb -x $f . ; done"
	for name, command := range map[string]string{"there": hotspan, "deleted": withoutCheckpoint(t)} {
		t.Run(name, func(t *testing.T) {
			p := container(t, prepare, "/usr/bin/node", "functions.js")
			if name == "deleted" {
				library := fmt.Sprintf("/proc/%d/root/usr/lib/x86_64-linux-gnu/libnode.so.108", p.PID)
				if err := os.Remove(library); err != nil {
					t.Fatal(err)
				}
			}
			libnode := 0
			samples := hasGoodNames(t, command, p)
			if name == "there" {
				namesBuiltins(t, samples)
			}
			for _, s := range samples {
				for _, f := range s.Stack {
					if strings.Contains(f.Mod, "/libnode.so.108") && f.F == "node::Start" {
						libnode++
					}
				}
			}
			if libnode < 500 {
				t.Errorf("%d samples in libnode", libnode)
			}
		})
	}
}

// namesBuiltins expects names of V8's builtins, though no symbols name them. (layout.TestBuiltins has the names.)
func namesBuiltins(t *testing.T, samples []judge.Sample) {
	t.Helper()
	named, unnamed := 0, 0
	for _, s := range samples {
		for _, f := range s.Stack {
			switch {
			case f.F == functions.UnnamedBuiltin:
				unnamed++
			case f.Kind == "builtin":
				named++
			}
		}
	}
	if named < 500 || unnamed > 0 {
		t.Errorf("%d builtins have a name, %d have none", named, unnamed)
	}
}

// TestSharedLibraryOfDebian13: V8 11 in a library has the thread's isolate in a thread-local variable, whose place only
// the loader knows. Names, and labels, are right.
func TestSharedLibraryOfDebian13(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	packages := debianPackages(t, "trixie", "nodejs/trixie", "libnode115", "libc6", "libgcc-s1", "libstdc++6", "zlib1g",
		"libssl3t64", "libuv1t64", "libcares2", "libnghttp2-14", "libbrotli1", "libicu76", "libzstd1", "node-acorn",
		"node-cjs-module-lexer", "node-minimatch", "node-undici")
	prepare := "for f in " + strconv.Quote(packages) + "/*.deb; do dpkg-deb -x $f . ; done"
	t.Run("names", func(t *testing.T) {
		namesBuiltins(t, hasGoodNames(t, hotspan, container(t, prepare, "/usr/bin/node", "functions.js")))
	})
	t.Run("labels", func(t *testing.T) {
		p := container(t, prepare, "/usr/bin/node", "requests.js")
		const enough = 1000
		samples := ofMain(p, recordEnough(t, p.PID, 997, 3*enough, 5*time.Second, judge.Flags(judge.StoreRules)...))
		compareLabels(t, samples, p.truth(t), judge.RequestLabels, bound{99, enough})
	})
}

// debianPackages downloads packages of a suite of Debian's, whose nodejs is built with --shared, and returns their
// paths.
func debianPackages(t *testing.T, suite string, packages ...string) string {
	t.Helper()
	if os, _ := os.ReadFile("/etc/os-release"); !strings.Contains(string(os), "VERSION_CODENAME=bookworm") {
		t.Skip("not Debian 12: its packages are not to be had")
	}
	s := debian.Suite{Name: suite, Dir: t.TempDir()}
	if _, err := s.Run("apt-get", "update", "-q"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run("apt-get", append([]string{"download", "-q"}, packages...)...); err != nil {
		t.Fatal(err)
	}
	return s.Dir
}

// TestAll: of all processes on a machine, hotspan mentions only those that could be Node.js.
func TestAll(t *testing.T) {
	node := command(t, node24(t), "-e", spin).Process.Pid
	file := filepath.Join(t.TempDir(), "all.jsonl")
	r := run(t, "record", "-a", "-d", "1s", "-o", file)
	if r.Code != 0 || strings.Contains(r.Stderr, "no such process") ||
		strings.Contains(r.Stderr, "not a Node.js process") {
		t.Errorf("ended with %d:\n%s", r.Code, r.Stderr)
	}
	found := false
	for _, s := range readSamples(t, file) {
		found = found || s.PID == node
	}
	if !found {
		t.Errorf("no sample of process %d:\n%s", node, r.Stderr)
	}
}
