package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// profiler is a running hotspan.
type profiler struct {
	*exec.Cmd
	said  said
	ended chan error // what Wait said; closed then
}

// said is what a process wrote so far. It is safe for concurrent use.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// begin starts a command that is or becomes hotspan.
func begin(cmd *exec.Cmd) (*profiler, error) {
	p := &profiler{Cmd: cmd, ended: make(chan error, 1)}
	if p.Stderr == nil {
		p.Stderr = &p.said
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.ended <- p.Wait()
		close(p.ended)
	}()
	return p, nil
}

// sampling waits until hotspan has opened its timers.
func (p *profiler) sampling() error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for _, link := range p.descriptors() {
			if strings.Contains(link, "perf_event") {
				return nil
			}
		}
		select {
		case err := <-p.ended:
			return fmt.Errorf("hotspan has ended: %v\n%s", err, &p.said)
		default:
		}
	}
	return fmt.Errorf("hotspan does not sample: %s", &p.said)
}

// descriptors are what the open files of the process are.
func (p *profiler) descriptors() []string {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.Process.Pid))
	var out []string
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil {
			out = append(out, to)
		}
	}
	return out
}

// status returns a number of /proc/PID/status in KiB; 0 if there is none.
func (p *profiler) status(field string) (kib int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if _, after, ok := strings.Cut(string(text), "\n"+field+":"); ok {
		kib, _ = strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	}
	return kib
}

// kill ends hotspan as kill -9 does.
func (p *profiler) kill() {
	_ = p.Process.Kill() // it may have ended
	for range p.ended {
	}
}

// endTimeout is how long hotspan may take to end.
const endTimeout = time.Minute

// end has hotspan end by itself: after SIGINT, if there is one to send.
func (p *profiler) end(signals ...os.Signal) error {
	for _, s := range signals {
		if err := p.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	select {
	case err := <-p.ended:
		return err
	case <-time.After(endTimeout):
		_ = p.Process.Signal(syscall.SIGQUIT) // it says where it is
		time.Sleep(time.Second)
		p.kill()
		return fmt.Errorf("hotspan has not ended after %v: %s", endTimeout, &p.said)
	}
}

// counts are numbers of samples.
type counts struct{ taken, written, lost int64 }

var closingLine = regexp.MustCompile(`(\d+) samples taken in .* = (\d+) written \+ (\d+) lost`)

// counts reads the closing line: written and lost must be what was taken.
func (p *profiler) counts() (counts, error) {
	m := closingLine.FindStringSubmatch(p.said.String())
	if m == nil {
		return counts{}, fmt.Errorf("no closing line: %s", &p.said)
	}
	var n [3]int64
	for i := range n {
		n[i], _ = strconv.ParseInt(m[i+1], 10, 64)
	}
	c := counts{n[0], n[1], n[2]}
	if c.taken != c.written+c.lost {
		return c, fmt.Errorf("%s", m[0])
	}
	return c, nil
}
