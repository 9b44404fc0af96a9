package unwind

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/stack"
)

// The truth of these tests is the process itself: a walk must reach the thread's first frame, and every return address
// on the way must follow a call instruction.

// TestWalkSleep walks a C program that is blocked in a system call.
func TestWalkSleep(t *testing.T) {
	pid := start(t, live.FirstFile(t, "/bin/sleep", "/usr/bin/sleep"), "1000")
	awaitSyscall(t, pid, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP)
	if frames := walk(t, openProcess(t, pid), attach(t, pid)); frames < 4 {
		t.Errorf("%d frames; sleep, main and the C library's start are more", frames)
	}
}

// TestWalkNode walks all threads of an idle Node: the main thread in libuv's loop, the workers of V8 and libuv.
func TestWalkNode(t *testing.T) {
	pid := startNode(t)
	p := openProcess(t, pid)
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) < 5 {
		t.Fatalf("%d threads, %v; Node has a main thread, libuv's and V8's workers", len(tasks), err)
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(filepath.Base(task))
		if err != nil {
			t.Fatal(err)
		}
		if frames := walk(t, p, attach(t, tid)); frames < 4 {
			t.Errorf("thread %d: %d frames", tid, frames)
		}
	}
}

// TestWalkSignalHandler stops Node's main thread at the first instruction of its handler for SIGINT, and walks through
// the restorer into what the signal interrupted.
func TestWalkSignalHandler(t *testing.T) {
	pid := startNode(t)
	p := openProcess(t, pid)
	idle := walk(t, p, attach(t, pid))
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SINGLESTEP, uintptr(pid), 0, uintptr(unix.SIGINT), 0, 0)
	if errno != 0 {
		t.Fatalf("ptrace singlestep: %v", errno)
	}
	await(t, pid)
	if frames := walk(t, p, registers(t, pid)); frames != idle+2 {
		t.Errorf("%d frames in the handler, want %d: the handler and its restorer above the %d before", frames, idle+2,
			idle)
	}
}

// walk steps from regs to the thread's first frame and returns the number of frames.
func walk(t *testing.T, p *process, regs stack.Position) (frames int) {
	t.Helper()
	const maxFrames = 200
	at, first, interrupted := regs.PC, regs.PC, true
	for frames = 1; frames < maxFrames; frames++ {
		row, err := p.row(at)
		if err != nil {
			t.Fatalf("frame %d from %#x: %v", frames, first, err)
		}
		if !interrupted && row.CFA != CFASignal && !p.calls(regs.PC) {
			t.Fatalf("frame %d from %#x: no call before %#x", frames, first, regs.PC)
		}
		if regs, err = Step(row, regs, p.mem); errors.Is(err, stack.ErrRoot) {
			return frames
		} else if err != nil {
			t.Fatalf("frame %d from %#x: %v", frames, first, err)
		}
		interrupted = row.CFA == CFASignal
		at = regs.PC - 1
		if interrupted {
			at = regs.PC
		}
	}
	t.Fatalf("no first frame within %d", maxFrames)
	return frames
}

// start runs a program until the test ends. The test's goroutine keeps its thread, as ptrace wants.
func start(t *testing.T, name string, args ...string) (pid int) {
	t.Helper()
	return launch(t, exec.Command(name, args...))
}

func launch(t *testing.T, cmd *exec.Cmd) (pid int) {
	t.Helper()
	runtime.LockOSThread()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		runtime.UnlockOSThread()
	})
	return cmd.Process.Pid
}

// startNode runs a Node that has nothing to do and waits until it is idle.
func startNode(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command(live.Binary(t, "24.21.0"), "-e", `setInterval(() => {}, 1e6); console.log("idle")`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	pid = launch(t, cmd)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("node said %q: %v", line, err)
	}
	awaitSyscall(t, pid, unix.SYS_EPOLL_WAIT, unix.SYS_EPOLL_PWAIT)
	return pid
}

// awaitSyscall waits until the main thread is blocked in one of the system calls.
func awaitSyscall(t *testing.T, pid int, numbers ...int) {
	t.Helper()
	const timeout = 20 * time.Second
	var text []byte
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, _ = os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
		number, _, _ := strings.Cut(string(text), " ")
		for _, want := range numbers {
			if number == strconv.Itoa(want) {
				return
			}
		}
	}
	t.Fatalf("process %d is not in any of the system calls %d but in %q", pid, numbers, text)
}

// attach stops a thread until the test ends and returns its registers.
func attach(t *testing.T, tid int) stack.Position {
	t.Helper()
	if err := syscall.PtraceAttach(tid); err != nil {
		t.Fatalf("ptrace attach to %d: %v", tid, err)
	}
	await(t, tid)
	t.Cleanup(func() { syscall.PtraceDetach(tid) }) // else the process could not be waited for
	return registers(t, tid)
}

func await(t *testing.T, tid int) {
	t.Helper()
	var status unix.WaitStatus
	if _, err := unix.Wait4(tid, &status, unix.WALL, nil); err != nil || !status.Stopped() {
		t.Fatalf("wait for thread %d: status %#x, %v", tid, status, err)
	}
}

func registers(t *testing.T, tid int) stack.Position {
	t.Helper()
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &regs); err != nil {
		t.Fatalf("registers of %d: %v", tid, err)
	}
	return stack.Position{PC: regs.Rip, SP: regs.Rsp, BP: regs.Rbp}
}
