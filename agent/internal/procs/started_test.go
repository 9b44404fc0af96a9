package procs

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestInControlGroup(t *testing.T) {
	const groups = "12:cpu,cpuacct:/\n1:name=systemd:/a:b/c\n0::/system.slice/docker-12ab.scope/init (deleted)\n"
	for pattern, want := range map[string]bool{
		"/system.slice": true, "/system.slice/": true, "/system": false, "/system.*": true,
		"/system.slice/docker-12ab.scope": true, "/system.slice/docker-*.scope": true,
		"/*/docker-12ab.scope/init": true, "docker-12ab.scope": true, "docker-12ab.scope/init": true,
		"docker-*": true, "slice": false, "init": true,
		"/docker-12ab.scope": false, "/system.slice/docker-12ab.scope/init/x": false, "*/*/*/*": false,
		"/a:b/c": true, "a:b": true, "/a": false, "c": true, "[": false, "cpu": false,
	} {
		if got := InControlGroup(groups, pattern); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
	for pattern, ok := range map[string]bool{"/a": true, "[": false, "": false, "//": false, "a*": true} {
		if err := CheckGroupPattern(pattern); (err == nil) != ok {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	if InControlGroup("", "/x") || InControlGroup("0", "*") ||
		InControlGroup("0::/", "/*") || InControlGroup("0::/", "x") {
		t.Error("a process without groups is in one")
	}
}

func TestEnvironment(t *testing.T) {
	e := Environment("A=1\x00AB=2\x00A=3\x00\x00no\x00=x\x00C==\x00D=")
	for name, want := range map[string]string{"A": "1", "AB": "2", "C": "=", "D": ""} {
		if got, ok := e.Lookup(name); got != want || !ok {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"B", "no", "a", "A=1"} {
		if got, ok := e.Lookup(name); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What a process has beyond the limits is not read, and no variable is cut.
func TestEnvironmentLimit(t *testing.T) {
	cmd := exec.Command("cat")
	for i := range 14 { // the kernel takes 128 KiB of each, and of all 2 MiB with the usual limit of the stack
		cmd.Env = append(cmd.Env, string(rune('A'+i))+"="+strings.Repeat("x", 120<<10))
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	// Start returns while execve still runs: before its end the kernel shows no environment
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	e := EnvironmentOf(cmd.Process.Pid)
	if len(e) > maxEnvironment || len(e) < maxEnvironment-(128<<10) {
		t.Errorf("%d bytes are read", len(e))
	}
	first, last := e.Variable("A"), e.Variable("N")
	if len(first) != 120<<10 || last != "" {
		t.Errorf("the first variable has %d bytes, the last %d", len(first), len(last))
	}
	for i := range 14 {
		if n := len(e.Variable(string(rune('A' + i)))); n != 0 && n != 120<<10 {
			t.Errorf("variable %d has %d bytes", i, n)
		}
	}
	if e := EnvironmentOf(1 << 30); len(e) != 0 {
		t.Errorf("of no process: %q", e)
	}
	if got := Variable(os.Getpid(), "NO_SUCH_VARIABLE"); got != "" {
		t.Error(got)
	}
}
