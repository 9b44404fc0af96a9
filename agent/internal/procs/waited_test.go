package procs

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/slowfiles"
)

// withoutCPU is set where the test binary reads files while it has hardly any CPU time: one of them. The name of a slow
// one comes from standard input.
const withoutCPU = "HOTSPAN_TEST_WITHOUT_CPU"

// TestWithoutCPU: that hotspan has no CPU does not make a file late, and one that never comes is given up as always.
func TestWithoutCPU(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	reader := exec.Command(os.Args[0])
	reader.Env = append(os.Environ(), withoutCPU+"="+file)
	begin, _ := reader.StdinPipe()
	out, _ := reader.StdoutPipe()
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: what it starts has its CPU and its level
		started <- startWithoutCPU(t, reader)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(begin, slowfiles.Mount(t, "", slowfiles.Never)+"/read") // it ends before the reader, who waits for it
	said := bufio.NewScanner(out)
	for _, want := range []string{"in time", "given up"} {
		if said.Scan(); !strings.HasPrefix(said.Text(), want) {
			t.Errorf("%q, want %s", said.Text(), want)
		}
		t.Log(said.Text())
	}
}

// startWithoutCPU starts a process on one CPU at the lowest level, and then others that leave it hardly any time there.
func startWithoutCPU(t *testing.T, c *exec.Cmd) error {
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	for cpu := 0; one.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	busy := []*exec.Cmd{c}
	for range 2 {
		busy = append(busy, exec.Command("sh", "-c", "while :; do :; done"))
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	for i, c := range busy {
		if err := c.Start(); err != nil {
			return err
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		if i == 0 {
			if err := unix.Setpriority(unix.PRIO_PROCESS, c.Process.Pid, 19); err != nil {
				return err
			}
		}
	}
	return nil
}

// readWithoutCPU reads a file for some seconds, and a slow one.
func readWithoutCPU(file string) {
	var slow string
	fmt.Scanln(&slow)
	f, err := os.Open(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	late := ""
	p, began, reads := NewTimed(f), time.Now(), 0
	p.WhenLate(func() { late = "late: " })
	waited := Waited(Nobody, func() {
		for ; err == nil && time.Since(began) < 4*lateAfter; reads++ {
			_, err = p.ReadAt(make([]byte, 1<<20), 0)
		}
	})
	fmt.Printf("%sin time: %v, %d reads, waited for %v of %v\n", late, err, reads, waited, time.Since(began))
	if f, err = os.Open(slow); err != nil {
		fmt.Println(err)
		return
	}
	began = time.Now()
	_, err = NewTimed(f).ReadAt(make([]byte, 1), 0)
	took := time.Since(began)
	if errors.Is(err, ErrSlow) && took > fileTimeout && took < 3*fileTimeout {
		fmt.Print("given up: ")
	}
	fmt.Printf("%v after %v\n", err, took)
}

// busyFor is a file whose reads take long, but not for its file system.
type busyFor func(time.Duration)

func (f busyFor) ReadAt(b []byte, _ int64) (int, error) {
	f(2 * lateAfter)
	return len(b), nil
}

// work keeps the CPU of the calling thread busy.
func work(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// TestNotWaiting: what takes CPU time, has no CPU, or waits for the Go runtime, waits for no file.
func TestNotWaiting(t *testing.T) {
	for name, f := range map[string]busyFor{
		"works":                 work,
		"waits for the runtime": func(d time.Duration) { time.Sleep(d) },
		"has no CPU": func(d time.Duration) {
			runtime.LockOSThread() // never unlocked: the thread ends with this level
			idle := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}
			if err := unix.SchedSetAttr(0, &idle, 0); err != nil {
				t.Error(err)
			}
			for range runtime.NumCPU() {
				go work(d)
			}
			work(d)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewTimed(f)
			p.WhenLate(func() { t.Error("it is late") })
			waited := Waited(Nobody, func() {
				if _, err := p.ReadAt(make([]byte, 1), 0); err != nil {
					t.Error(err)
				}
			})
			if waited != 0 {
				t.Errorf("it has waited for %v", waited)
			}
		})
	}
}
