package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// profiler is one of the things compared: a binary of hotspan, or OpenTelemetry's eBPF profiler.
type profiler struct {
	name   string
	binary string
	otel   bool
}

// otelName is what tables call OpenTelemetry's profiler.
const otelName = "OpenTelemetry"

// labels are the kinds of labels that hotspan reads.
type labels struct {
	name  string
	flags []string
}

var (
	noLabels      = labels{"no labels", []string{"--labels", "none"}}
	defaultLabels = labels{"default labels", nil}
	twoRules      = labels{"default labels and two rules",
		[]string{"--label", "tenant=user.tenant", "--label", "user=user.id"}}
)

// recording is what to run a profiler with.
type recording struct {
	rate    int // in hertz
	labels  labels
	target  []string // hotspan's arguments that say what to profile; OpenTelemetry's profiles the whole machine
	dir     string   // where it may write
	cache   string   // XDG_CACHE_HOME
	jsonl   bool     // hotspan writes each sample with its time
	reports time.Duration
}

// session is a running profiler.
type session struct {
	*exec.Cmd
	began  time.Time // when it was executed
	output string    // the file that hotspan writes at the end
	sink   *sink     // where OpenTelemetry's profiler sends what it has
	said   lockedBuffer
	ended  chan error
}

// start runs the profiler. The session must be ended with end.
func (p profiler) start(ctx context.Context, r recording) (*session, error) {
	s := &session{ended: make(chan error, 1)}
	if p.otel {
		var err error
		if s.sink, err = newSink(); err != nil {
			return nil, err
		}
		s.Cmd = exec.CommandContext(ctx, p.binary, otelArguments(r, s.sink.address)...)
	} else {
		s.output = filepath.Join(r.dir, "profile.pb.gz")
		if r.jsonl {
			s.output = filepath.Join(r.dir, "samples.jsonl")
		}
		s.Cmd = exec.CommandContext(ctx, p.binary, hotspanArguments(r, s.output)...)
	}
	s.Env = append(os.Environ(), "XDG_CACHE_HOME="+r.cache)
	s.Stdout, s.Stderr = &s.said, &s.said
	s.began = time.Now()
	if err := s.Cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	go func() { s.ended <- s.Wait() }()
	return s, nil
}

func hotspanArguments(r recording, output string) []string {
	args := []string{"record", "-v", "-F", strconv.Itoa(r.rate), "-o", output}
	return append(append(args, r.labels.flags...), r.target...)
}

// otelArguments are those of the agent that the repository opentelemetry-ebpf-profiler builds.
func otelArguments(r recording, address string) []string {
	args := []string{"-collection-agent", address, "-disable-tls", "-samples-per-second", strconv.Itoa(r.rate)}
	if r.reports > 0 {
		args = append(args, "-reporter-interval", r.reports.String(), "-reporter-jitter", "0")
	}
	return args
}

// endTimeout is how long a profiler may take to end and to write its output.
const endTimeout = 30 * time.Second

// end interrupts the profiler, unless it has ended, and waits for it. Its output is complete then.
func (s *session) end() error {
	s.Process.Signal(os.Interrupt)
	return s.wait()
}

func (s *session) wait() error {
	if s.sink != nil {
		defer s.sink.close()
	}
	select {
	case err := <-s.ended:
		if err != nil {
			return fmt.Errorf("%s: %w: %s", filepath.Base(s.Path), err, s.said.String())
		}
		return nil
	case <-time.After(endTimeout):
		s.Process.Kill()
		<-s.ended
		return fmt.Errorf("%s did not end within %v: %s", filepath.Base(s.Path), endTimeout, s.said.String())
	}
}

// abandon ends the session where its result is of no use any more.
func (s *session) abandon(err error) error { return errors.Join(err, s.end()) }

// lockedBuffer is a buffer for concurrent use.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
