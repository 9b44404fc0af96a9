package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/cgroups"
)

// fillRing stops a recording with a small ring buffer and a high rate for a moment.
func (c *chaos) fillRing() (f figures, err error) {
	p, err := begin(c.command(c.recordArgs(c.dir, "-F", "4999", "--ring-buffer", "1")...))
	if err != nil {
		return f, err
	}
	defer p.kill()
	if err := p.sampling(); err != nil {
		return f, err
	}
	time.Sleep(500 * time.Millisecond)
	if err := p.Process.Signal(syscall.SIGSTOP); err != nil {
		return f, err
	}
	time.Sleep(time.Second + c.within(time.Second))
	if err := p.Process.Signal(syscall.SIGCONT); err != nil {
		return f, err
	}
	time.Sleep(c.within(500 * time.Millisecond))
	f.events = 1
	if err := f.finish(p); err != nil {
		return f, err
	}
	if f.lost == 0 {
		return f, fmt.Errorf("the ring buffer was never full: %s", &p.said)
	}
	return f, nil
}

// limitMemory runs an agent with 100 MB, beside processes that come and go.
func (c *chaos) limitMemory() (f figures, err error) {
	group, err := newMemoryGroup(100e6)
	if err != nil {
		return f, err
	}
	args := append([]string{"-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(group, "cgroup.procs"), c.hotspan},
		c.agentArgs(c.dir)...)
	if c.random.IntN(2) == 0 {
		args = append(args, "--no-cache") // all of Node's binary is parsed
	}
	p, err := begin(exec.Command("/bin/sh", args...))
	if err != nil {
		return f, err
	}
	defer func() {
		p.kill()
		err = errors.Join(err, os.Remove(group))
	}()
	if err := p.sampling(); err != nil {
		return f, err
	}
	for range 5 {
		n, err := c.killTarget()
		if f.events += n; err != nil {
			return f, err
		}
	}
	return f, f.finish(p)
}

// newMemoryGroup makes a control group, of version 2 or else 1, that limits memory.
func newMemoryGroup(limit int64) (string, error) {
	bytes := fmt.Sprint(limit)
	group, err := cgroups.New("hotspan-chaos", cgroups.Limit{
		V2: "memory.max", Text2: bytes, Controller: "memory", V1: "memory.limit_in_bytes", Text1: bytes,
	})
	if errors.Is(err, cgroups.ErrNone) {
		err = skipError(err.Error())
	}
	return group, err
}

// smallDisk mounts a file system of so many KiB.
func (c *chaos) smallDisk(kib int) (dir string, unmount func() error, err error) {
	dir, err = os.MkdirTemp(c.dir, "disk-")
	if err != nil {
		return "", nil, err
	}
	err = unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=0700", kib))
	return dir, func() error { return unix.Unmount(dir, unix.MNT_DETACH) }, err
}

// fillDiskOfRecord records into a disk that is full before the end. That must be said, and no sample be counted as
// written that is in no file.
func (c *chaos) fillDiskOfRecord() (f figures, err error) {
	dir, unmount, err := c.smallDisk(256)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, unmount()) }()
	p, err := begin(c.command(c.recordArgs(dir, "-F", rate)...))
	if err != nil {
		return f, err
	}
	defer p.kill()
	if err := p.sampling(); err != nil {
		return f, err
	}
	time.Sleep(2*time.Second + c.within(time.Second))
	f.events, f.peak = 1, p.status("VmHWM")
	err = p.end(syscall.SIGINT)
	if code := p.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.said.String(), "no space left") {
		return f, fmt.Errorf("hotspan ended with %v on a full disk: %s", err, &p.said)
	}
	if f.counts, err = p.counts(); err != nil {
		return f, err
	}
	kept, err := samples(filepath.Join(dir, fmt.Sprintf("out.jsonl.%d.part", p.Process.Pid)))
	if err == nil && (f.lost == 0 || f.written > kept) {
		err = fmt.Errorf("%d samples of %d are in the file: %s", kept, f.taken, &p.said)
	}
	return f, err
}

// samples returns how many samples a file of JSON lines has.
func samples(file string) (int64, error) {
	text, err := os.ReadFile(file)
	return int64(bytes.Count(text, []byte(`"stack":`))), err
}

// fillDiskOfAgent fills the disk under the store of an agent, and makes room again: the agent goes on, says so, and
// stores what was in memory meanwhile.
func (c *chaos) fillDiskOfAgent() (f figures, err error) {
	dir, unmount, err := c.smallDisk(4 << 10)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, unmount()) }()
	p, err := begin(c.command(append(c.agentArgs(c.dir), "--store", filepath.Join(dir, "store"))...))
	if err != nil {
		return f, err
	}
	defer p.kill()
	if err := p.sampling(); err != nil {
		return f, err
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); err == nil {
		return f, errors.New("a disk of 4 MiB has room for 8 MiB")
	}
	time.Sleep(time.Second + c.within(time.Second))
	if err := os.Remove(filler); err != nil {
		return f, err
	}
	time.Sleep(time.Second)
	f.events, f.peak = 1, p.status("VmHWM")
	err = p.end(syscall.SIGINT)
	said := p.said.String()
	if err != nil || !strings.Contains(said, "(not written ") ||
		!strings.Contains(said, "the disk does not take snapshots") ||
		!strings.Contains(said, "the disk takes snapshots again") {
		return f, fmt.Errorf("the agent ended with %v after the disk was full: %s", err, said)
	}
	stored, err := filepath.Glob(filepath.Join(dir, "store", "*.otlp"))
	if err == nil && len(stored) == 0 {
		err = fmt.Errorf("nothing was stored: %s", said)
	}
	if err == nil {
		f.counts, err = p.counts()
	}
	return f, err
}

// closeStandardError closes the pipe that a recording reports to. The recording must be there all the same.
func (c *chaos) closeStandardError() (f figures, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return f, err
	}
	dir, err := os.MkdirTemp(c.dir, "closed-")
	if err != nil {
		return f, err
	}
	cmd := c.command(c.recordArgs(dir, "-F", rate, "-v")...)
	cmd.Stderr = w
	p, err := begin(cmd)
	w.Close()
	if err != nil {
		return f, errors.Join(err, r.Close())
	}
	defer p.kill()
	if err := p.sampling(); err != nil {
		return f, err
	}
	if err := r.Close(); err != nil {
		return f, err
	}
	time.Sleep(time.Second + c.within(time.Second))
	f.events, f.peak = 1, p.status("VmHWM")
	if err := p.end(syscall.SIGINT); err != nil {
		return f, fmt.Errorf("hotspan ended with %w, with its standard error closed", err)
	}
	out, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err == nil && !strings.Contains(string(out), `"stack"`) {
		err = fmt.Errorf("a recording of %d bytes without samples", len(out))
	}
	return f, err
}

// closeOutput closes the pipe that a recording is written to. What nobody has read is lost, and counted.
func (c *chaos) closeOutput() (f figures, err error) {
	dir, err := os.MkdirTemp(c.dir, "pipe-")
	if err != nil {
		return f, err
	}
	pipe := filepath.Join(dir, "out.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		return f, err
	}
	p, err := begin(c.command(c.recordArgs(dir, "-F", rate, "-d", "3s")...))
	if err != nil {
		return f, err
	}
	defer p.kill()
	r, err := os.OpenFile(pipe, os.O_RDWR, 0) // a reader alone would wait for hotspan
	if err != nil {
		return f, err
	}
	err = r.SetReadDeadline(time.Now().Add(endTimeout))
	if err == nil {
		_, err = io.ReadFull(r, make([]byte, 1000+c.random.IntN(10000)))
	}
	if err := errors.Join(err, r.Close()); err != nil {
		return f, err
	}
	f.events, f.peak = 1, p.status("VmHWM")
	err = p.end()
	if code := p.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.said.String(), "broken pipe") {
		return f, fmt.Errorf("hotspan ended with %v when nobody read its output: %s", err, &p.said)
	}
	if f.counts, err = p.counts(); err == nil && f.lost == 0 {
		err = fmt.Errorf("nothing is lost that nobody has read: %s", &p.said)
	}
	return f, err
}

// readSome reads the beginning of an agent's samples, and closes the pipe.
func (c *chaos) readSome(socket string) error {
	cmd := c.command("stream", "--socket", socket)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	reader, err := begin(cmd)
	if err != nil {
		return err
	}
	_, err = io.ReadFull(out, make([]byte, 1000+c.random.IntN(10000)))
	out.Close()
	time.Sleep(100 * time.Millisecond)
	if end := reader.end(); err != nil {
		reader.kill()
		return fmt.Errorf("stream: %w, %v: %s", err, end, &reader.said)
	}
	return nil
}

// closeStream closes the pipe that a reader of an agent's samples prints to. The agent goes on.
func (c *chaos) closeStream() (f figures, err error) {
	args := c.agentArgs(c.dir)
	p, err := begin(c.command(args...))
	if err != nil {
		return f, err
	}
	defer p.kill()
	if err := p.sampling(); err != nil {
		return f, err
	}
	time.Sleep(2 * time.Second) // until it has read its targets' files, and closed some
	before := measure(p)
	for range 3 {
		if err := c.readSome(args[len(args)-1]); err != nil {
			return f, err
		}
		f.events++
	}
	if err := f.back(p, before); err != nil {
		return f, err
	}
	return f, f.finish(p)
}
