package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// service starts examples/express and returns it with its address.
func service(t *testing.T, node string, flags []string) (*exec.Cmd, string) {
	t.Helper()
	c := exec.Command(node, append(flags, "--require", "./tracing.js", "server.js")...)
	c.Dir = "../../examples/express"
	c.Env = append(os.Environ(), "PORT=0")
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Signal(syscall.SIGTERM); c.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			return c, url
		}
	}
	t.Fatal("the service ended before it listened")
	return nil, ""
}

// load sends requests to all endpoints for a time, in the background.
func load(t *testing.T, node, url, seconds string) {
	t.Helper()
	c := exec.Command(node, "load.js", url, seconds)
	c.Dir = "../../examples/express"
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
}

// TestExpress: a real Express service under load, sampled 499 times a second. The profile must have each route of its
// source, with CPU time in the function that uses it.
func TestExpress(t *testing.T) {
	t.Parallel()
	eachFrameNode(t, func(t *testing.T, node string, flags []string) { testExpress(t, node, flags) })
}

// testExpress starts the service with flags of Node.js, and records it with more options.
func testExpress(t *testing.T, node string, flags []string, more ...string) {
	t.Helper()
	burners := map[string]string{
		"/sudoku": "sudoku", "/orders/:id": "orders", "/ranking": "ranking", "/search": "search",
		"/login/:user": "login", "/basket": "basket",
	}
	c, url := service(t, node, flags)
	load(t, node, url, "120")
	time.Sleep(2 * time.Second)
	samples := recordEnough(t, c.Process.Pid, 499, 1500, 8*time.Second, more...)
	reach(t, samples, c.Process.Pid, 99)
	var labelled, traced judge.Share
	routes := map[string]*judge.Share{}
	for i := range samples {
		s := &samples[i]
		route, _ := s.Labels["http.route"].(string)
		if file, ok := handler(s); ok {
			_, has := s.Labels["trace_id"]
			traced.Count(has)
			labelled.Count(route != "")
			if routes[route] == nil {
				routes[route] = &judge.Share{}
			}
			routes[route].Count(burners[route] == file)
		}
	}
	atLeast(t, traced, "samples in handlers with a trace id", 99, 300)
	atLeast(t, labelled, "samples in handlers with a route", 98, 300)
	for route := range burners {
		if routes[route] == nil {
			t.Errorf("no sample of route %s", route)
			continue
		}
		atLeast(t, *routes[route], "samples of "+route+" in its own handler", 100, 10)
	}
}

// handler returns the route's file that a sample is in, without the extension.
func handler(s *judge.Sample) (string, bool) {
	for _, f := range s.JS() {
		if _, file, ok := strings.Cut(f.File, "/express/routes/"); ok {
			return strings.TrimSuffix(file, ".js"), true
		}
	}
	return "", false
}
