package main

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/hotspan/hotspan/test/built"
	"github.com/hotspan/hotspan/test/nodes"
)

// TestExample: what make example-collector prints of a trace has spans, and functions of the service below them.
func TestExample(t *testing.T) {
	t.Parallel()
	hotspan, err := built.Hotspan(t.TempDir(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, "../../examples/collector/run.js", hotspan, binary, "4").CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`(?m)^trace [0-9a-f]{32}, \d+ CPU samples:\n` +
		`GET /\S+ +\d+\.\d ms +\d+\.\d ms CPU\n(  .*\n)*` +
		`  request handler .*\n(.*\n)*    · \w+ \(\w+\.js\) +\d+\.\d ms$`)
	if !said.Match(out) {
		t.Error("no span with a function of the service below it")
	}
}
