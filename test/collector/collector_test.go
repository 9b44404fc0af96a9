package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
)

// config has the addresses for gRPC and HTTP, the file and the signal to fill in.
const config = `
receivers:
  otlp:
    protocols:
      grpc:
        endpoint: %s
      http:
        endpoint: %s
exporters:
  file:
    path: %s
service:
  pipelines:
    %s:
      receivers: [otlp]
      exporters: [file]
`

// collector is a running Collector.
type collector struct {
	endpoint string // for gRPC
	http     string // endpoint for HTTP
	file     string // what it has received, an OTLP/JSON message a line
	log      string
	process  *os.Process
	running  context.Context // ends with the process; its cause is how it ended
}

// binary is the compiled command of this directory.
var binary string

// TestMain compiles it, which takes minutes the first time.
func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "collector")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "collector")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// start starts a Collector with one pipeline, of the named signal.
func start(t *testing.T, signal string) *collector {
	t.Helper()
	return startWith(t, fmt.Sprintf("http://127.0.0.1:%d", freePort(t)), signal)
}

// startAt starts a Collector of profiles at a known endpoint.
func startAt(t *testing.T, endpoint string) *collector {
	t.Helper()
	return startWith(t, endpoint, "profiles")
}

func startWith(t *testing.T, endpoint, signal string) *collector {
	t.Helper()
	c := newCollector(t)
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	c.endpoint, c.http = endpoint, "http://"+address
	c.startConfigured(t, fmt.Sprintf(config, strings.TrimPrefix(endpoint, "http://"), address, c.file, signal))
	return c
}

// newCollector returns a Collector that does not run yet.
func newCollector(t *testing.T) *collector {
	t.Helper()
	dir := t.TempDir()
	return &collector{file: filepath.Join(dir, "profiles.json"), log: filepath.Join(dir, "log")}
}

// startConfigured starts it with a configuration.
func (c *collector) startConfigured(t *testing.T, config string) {
	t.Helper()
	settings := filepath.Join(filepath.Dir(c.file), "config.yaml")
	if err := os.WriteFile(settings, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c.run(t, "--config=file:"+settings, "--feature-gates=service.profilesSupport")
}

func (c *collector) run(t *testing.T, args ...string) {
	t.Helper()
	log, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	command := exec.Command(binary, args...)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	c.process = command.Process
	var ended context.CancelCauseFunc
	c.running, ended = context.WithCancelCause(context.Background())
	go func() { ended(command.Wait()) }()
	t.Cleanup(func() {
		c.process.Kill()
		<-c.running.Done()
		if log, _ := os.ReadFile(c.log); t.Failed() {
			t.Logf("the Collector's log:\n%s", log)
		}
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// stop ends the Collector, which makes it write what it still holds, and returns the messages it has written.
func (c *collector) stop(t *testing.T) []pprofile.Profiles {
	t.Helper()
	if err := c.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.running.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the Collector does not stop")
	}
	if err := context.Cause(c.running); err != context.Canceled {
		t.Fatalf("collector: %v", err)
	}
	return readMessages(t, c.file)
}
