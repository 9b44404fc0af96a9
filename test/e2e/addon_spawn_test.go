package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/npm"
)

// TestAddonSpawn: where no agent runs, a process starts one for itself if it has the rights: as root, as another user
// with capabilities, and not without. The agent ends with the profile, and with the process, even if that is killed.
func TestAddonSpawn(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	// Others may read this copy.
	dir, err := os.MkdirTemp("", "spawn")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for to, from := range map[string]string{"node": node, "app": app, "lib": "../programs/lib",
		"addon_spawn.js": "../programs/addon_spawn.js"} {
		if out, err := exec.Command("cp", "-rL", from, filepath.Join(dir, to)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if out, err := exec.Command("chmod", "-R", "a+rX", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := func(as *syscall.SysProcAttr) *exec.Cmd {
		cmd := exec.Command(filepath.Join(dir, "node"), filepath.Join(dir, "addon_spawn.js"))
		cmd.Env = []string{"HOTSPAN=" + filepath.Join(dir, "app/node_modules/hotspan"), "PATH=" + os.Getenv("PATH"),
			"HOME=" + os.Getenv("HOME")}
		cmd.SysProcAttr, cmd.Stderr = as, os.Stderr
		return cmd
	}
	user := &syscall.Credential{Uid: nobody, Gid: nobody}
	for name, as := range map[string]*syscall.SysProcAttr{
		"root":                     nil,
		"a user with capabilities": {Credential: user, AmbientCaps: []uintptr{unix.CAP_BPF, unix.CAP_PERFMON}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := command(as).Output()
			if n, failed := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || failed != nil || n < 50 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	t.Run("a user", func(t *testing.T) {
		out, err := command(&syscall.SysProcAttr{Credential: user}).Output()
		if text := string(out); err != nil || !strings.HasPrefix(text, "hotspan: an agent cannot run here: ") ||
			!strings.Contains(text, "hotspan needs CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE") {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("killed", func(t *testing.T) {
		cmd := command(nil)
		cmd.Env = append(cmd.Env, "KEEP=1")
		testKilled(t, cmd)
	})
}

// testKilled kills a process that has started an agent.
func testKilled(t *testing.T, cmd *exec.Cmd) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // of the first profile
	lines.Scan()
	agent, err := strconv.Atoi(lines.Text())
	if err != nil || syscall.Kill(agent, 0) != nil {
		t.Errorf("no agent: %q", lines.Text())
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err != nil {
		return
	}
	goesOn := func() bool { return syscall.Kill(agent, 0) == nil }
	t.Cleanup(func() {
		if goesOn() {
			syscall.Kill(agent, syscall.SIGKILL)
		}
	})
	until(t, func() bool { return !goesOn() }, func() string { return "the agent goes on" })
}
