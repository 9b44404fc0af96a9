package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/hotspan/hotspan/test/nodes"
)

// nodeVersion is the Node.js that runs in the virtual machines.
const nodeVersion = "24.21.0"

var loaded = regexp.MustCompile(`(?m)(/\S+) \(0x`)

// initramfs writes what a virtual machine has of files: init, hotspan, Node.js with its libraries, programs, and
// the tests of test/e2e.
func initramfs(file, hotspan, dir string) error {
	node, err := nodes.Path(nodeVersion)
	if err != nil {
		return err
	}
	init, tests := dir+"/init", dir+"/tests"
	for _, args := range [][]string{
		{"build", "-trimpath", "-ldflags", "-s -w", "-o", init, "./test/kernels/init"},
		{"test", "-c", "-trimpath", "-ldflags", "-s -w", "-o", tests, "./test/e2e"},
	} {
		build := exec.Command("go", args...)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go %v: %w: %s", args, err, out)
		}
	}
	libraries, err := exec.Command("ldd", node).Output()
	if err != nil {
		return fmt.Errorf("ldd %s: %w", node, err)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	a := newArchive(w)
	files := map[string]string{"/init": init, "/hotspan": hotspan, "/node": node, "/programs": "test/programs",
		"/test/e2e/tests": tests, "/test/nodes.json": "test/nodes.json"}
	for _, m := range loaded.FindAllStringSubmatch(string(libraries), -1) {
		files[strings.TrimPrefix(m[1], "/usr")] = m[1]
	}
	for name, from := range files {
		if err := a.add(name, from); err != nil {
			return err
		}
	}
	if err := a.end(); err != nil {
		return err
	}
	return w.Flush()
}
