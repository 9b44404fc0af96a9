package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMessages: who may not, or asks for what is not there, is told in one line what is the matter and what to do.
func TestMessages(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	for name, test := range map[string]struct{ args, want string }{
		"stream without an agent": {"stream --socket " + none,
			"hotspan: no agent answers: is hotspan agent running? (dial unix " + none +
				": connect: no such file or directory)\n"},
		"status without a token": {"status --connect 127.0.0.1:1",
			"hotspan: --connect needs the --token-file that the agent has\nTry 'hotspan status --help'.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if r := run(t, strings.Fields(test.args)...); r.Code == 0 || r.Stderr != test.want {
				t.Errorf("code %d, %q, want %q", r.Code, r.Stderr, test.want)
			}
		})
	}
}

// TestStreamNothing: where there is no agent, or no token, a file stays as it was, and nothing is left beside it.
func TestStreamNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "kept.otlp")
	if err := os.WriteFile(file, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"--socket=" + dir + "/none", "--connect=127.0.0.1:1"} {
		r := run(t, "stream", from, "-o", file)
		b, err := os.ReadFile(file)
		if files, _ := os.ReadDir(dir); r.Code == 0 || string(b) != "kept" || len(files) != 1 {
			t.Errorf("%s: code %d, %v, %q, files %v", from, r.Code, err, b, files)
		}
	}
}

// TestNoRights: who has no rights reads which, and no advice that is of no use.
func TestNoRights(t *testing.T) {
	t.Parallel()
	for dir := filepath.Dir(hotspan); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(hotspan, "record", "-p", "1", "-d", "1s", "--no-cache", "-o",
		filepath.Join(os.TempDir(), "none.jsonl"))
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	text := string(out)
	if err == nil || !strings.HasPrefix(text, "hotspan: create the BPF maps: ") ||
		!strings.Contains(text, ": operation not permitted\nhotspan needs CAP_BPF") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestFewFiles: where hotspan may open so few files that it cannot even see some processes, it says so, and what helps.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	start(t, node24(t), "shares.js", nil, nil)
	for limit, want := range map[string]string{
		"20":   "\nraise the limit of open files (ulimit -n)\n",
		"100":  "hotspan: warn: too few files may be open: processes or names may be left out: raise the limit",
		"8192": "",
	} {
		out, err := exec.Command("sh", "-c", `ulimit -n "$0" && exec "$@"`, limit, hotspan, "record", "-a",
			"-d", "100ms", "-o", filepath.Join(t.TempDir(), "x.jsonl")).CombinedOutput()
		text := string(out)
		if want != "" && strings.Count(text, want) != 1 || want == "" && strings.Contains(text, "ulimit") {
			t.Errorf("limit %s: %v, %s", limit, err, text)
		}
	}
}
