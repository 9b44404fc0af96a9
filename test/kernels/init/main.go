// Command init is the first process of a virtual machine that command kernels boots. It profiles programs that write
// down what they do, compares, prints the outcome as a line of JSON on the serial console, and switches the machine
// off.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/kernels/outcome"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

func main() {
	o := try()
	text, _ := json.Marshal(o) // numbers and strings
	out, err := os.OpenFile(console, os.O_WRONLY, 0)
	if err == nil {
		fmt.Fprintf(out, "\n%s%s\n", outcome.Prefix, text)
		_ = unix.IoctlSetInt(int(out.Fd()), unix.TCSBRK, 1) // waits until it is sent
	}
	unix.Sync()
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

func try() (o outcome.Outcome) {
	if err := prepare(); err != nil {
		o.Failed = err.Error()
		return o
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		o.Release = unix.ByteSliceToString(u.Release[:])
	}
	for _, part := range []func(*outcome.Outcome) error{functions, labels, triggers, clock, machine} {
		if o.Failed = firstLine(part(&o)); o.Failed != "" {
			break
		}
	}
	return o
}

// firstLine is what an error says, on one line; empty for none.
func firstLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// prepare mounts what programs expect.
func prepare() error {
	for _, m := range []struct{ kind, at string }{
		{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/tmp"},
	} {
		if err := os.MkdirAll(m.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	return errors.Join(loopback(), os.Setenv("HOME", "/tmp"))
}

// loopback turns on the only network interface: programs serve HTTP to themselves.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// profile records a program while it runs, and returns what it wrote down.
func profile(o *outcome.Outcome, script string, flags, more []string) ([]judge.Sample, *truth.Log, error) {
	dir, err := os.MkdirTemp("", "run-")
	if err != nil {
		return nil, nil, err
	}
	p, err := trial.Start(dir, node, programs+script, flags, []string{"DURATION_MS=1200000"})
	if err != nil {
		return nil, nil, err
	}
	defer p.Kill()
	samples, said, err := trial.Record(hotspan, dir, p.PID, rate, length, more...)
	o.Said = said.Stderr
	if err != nil {
		return nil, nil, err
	}
	o.Loaded, o.Samples = true, o.Samples+len(samples)
	dump, err := trial.Run(hotspan, "dump", "-p", strconv.Itoa(p.PID)) // it has a BPF program of its own
	if err != nil || dump.Code != 0 {
		return nil, nil, fmt.Errorf("hotspan dump ended with %d, %v: %s", dump.Code, err, dump.Stderr)
	}
	if err := p.Stop(); err != nil {
		return nil, nil, err
	}
	l, err := p.Truth()
	return samples, l, err
}

func functions(o *outcome.Outcome) error {
	samples, l, err := profile(o, "functions.js", []string{"--expose-gc"}, nil)
	if err != nil {
		return err
	}
	v := judge.CompareFunctions(samples, l)
	o.Functions, o.RightFunctions, o.WrongFunctions = v.Right.Whole, v.Right.Part, v.Wrong
	o.Examples = append(o.Examples, v.Examples.List()...)
	if judge.TooVague(v.AtEdge()) {
		return fmt.Errorf("samples at the edges of intervals: %v", v.AtEdge())
	}
	return nil
}

func labels(o *outcome.Outcome) error {
	samples, l, err := profile(o, "requests.js", nil, judge.Flags(judge.StoreRules))
	if err != nil {
		return err
	}
	v := judge.CompareLabels(samples, l, judge.RequestLabels)
	o.Labels, o.RightLabels, o.WrongLabels = v.Right.Whole, v.Right.Part, v.Wrong+v.Outside
	o.Examples = append(o.Examples, v.Examples.List()...)
	return nil
}
