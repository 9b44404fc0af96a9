package uvloop

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/target"
)

// program has the main thread and a Worker wait for input in a callback, after they have said in which turn of their
// loop it is.
const program = `
const { Worker, isMainThread, parentPort } = require('worker_threads')
const { readSync, writeSync } = require('fs')
const { execSync } = require('child_process')
const wait = () => process.argv[2] ? execSync('read word', { stdio: 'inherit' }) : readSync(0, Buffer.alloc(1))
const turn = () => process.versions.uv > '1.45' ? performance.nodeTiming.uvMetricsInfo.loopCount : 0
let n = 0
const timer = setInterval(() => {
  if (++n < (isMainThread ? 20 : 70)) return
  clearInterval(timer)
  if (!isMainThread) {
    parentPort.postMessage(turn())
    return wait()
  }
  new Worker(process.argv[1]).on('message', (worker) => {
    writeSync(2, JSON.stringify({ main: turn(), worker }) + '\n')
    wait()
    process.exit()
  })
}, 2)
`

func writeProgram(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "turns.js")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFind compares with what performance.nodeTiming.uvMetricsInfo says in the same callback.
func TestFind(t *testing.T) {
	file := writeProgram(t)
	for version, counted := range map[string]bool{
		"16.20.2": false, "18.20.8": false, "20.20.2": true, "22.23.3": true, "24.21.0": true, "26.10.0": true,
	} {
		t.Run(version, func(t *testing.T) {
			p := live.Start(t, version, file)
			var want struct{ Main, Worker uint64 }
			p.Said(t, &want)
			main, others := uint64(0), []uint64{}
			reading := map[int]uint64{}
			for len(reading) < 2 { // they have said so just before
				reading = threads(t, p.PID, unix.SYS_READ)
			}
			for tid, sp := range reading {
				turns, err := turnsFrom(t, p.PID, tid, sp)
				switch {
				case errors.Is(err, ErrNone):
				case err != nil:
					t.Error(err)
				case tid == p.PID:
					main = turns
				default:
					others = append(others, turns)
				}
			}
			if got := fmt.Sprint(main, others); counted && got != fmt.Sprint(want.Main, []uint64{want.Worker}) {
				t.Errorf("turn of the main thread, and of others: %v, want %+v", got, want)
			} else if !counted && got != "0 []" {
				t.Errorf("this libuv does not count, and %v was found", got)
			}
		})
	}
}

// TestInExecSync: a thread that has come to another loop inside of its own since the sample is in a turn of its own.
func TestInExecSync(t *testing.T) {
	p := live.Start(t, "24.21.0", writeProgram(t), "execSync")
	var want struct{ Main uint64 }
	p.Said(t, &want)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		sp, waits := threads(t, p.PID, unix.SYS_EPOLL_PWAIT)[p.PID]
		if !waits && time.Now().Before(deadline) {
			continue
		}
		if got, err := turnsFrom(t, p.PID, p.PID, sp); got != want.Main {
			t.Errorf("turn %d (%v), want %d", got, err, want.Main)
		}
		return
	}
}

func turnsFrom(t *testing.T, pid, tid int, sp uint64) (uint64, error) {
	at, err := Find(pid, tid, sp, returnsTo(t, pid, tid, sp))
	if err != nil {
		return 0, err
	}
	var b [8]byte
	_, err = target.Live{PID: tid}.ReadAt(b[:], int64(at))
	return binary.LittleEndian.Uint64(b[:]), err
}

// returnsTo returns where uv_run returns to: into the function of Node.js that runs the loop of each thread.
func returnsTo(t *testing.T, pid, tid int, sp uint64) uint64 {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := symbols.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	for mem := target.NewPages(&target.Live{PID: tid}); ; sp += 8 {
		var word [8]byte
		if n, err := mem.ReadAt(word[:], int64(sp)); n < len(word) {
			t.Fatal(err)
		}
		pc := binary.LittleEndian.Uint64(word[:])
		if s, ok := table.Lookup(pc); ok && pc > s.Start && strings.HasPrefix(s.Name, "node::SpinEventLoop") {
			return pc
		}
	}
}

// threads returns the stack pointers of the threads that wait in a system call, by thread. (proc(5), /proc/PID/syscall)
func threads(t *testing.T, pid, call int) map[int]uint64 {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]uint64{}
	for _, task := range tasks {
		b, _ := os.ReadFile(filepath.Join(task, "syscall"))
		fields := strings.Fields(string(b))
		if len(fields) < 9 || fields[0] != strconv.Itoa(call) {
			continue
		}
		tid, _ := strconv.Atoi(filepath.Base(task))
		out[tid], _ = strconv.ParseUint(fields[7], 0, 64)
	}
	return out
}

// TestHostile: memory that answers anything is not searched for ever.
func TestHostile(t *testing.T) {
	for name, m := range map[string]memory{
		"endless lists": {func(at uint64) uint64 { return at + 8 }},
		"all the same":  {func(uint64) uint64 { return 0x7f0000000000 }},
		"zero":          {func(uint64) uint64 { return 0 }},
	} {
		if at, err := find(m, os.Getpid(), 1<<46, m.word(1<<46+1<<19)); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %#x, %v", name, at, err)
		}
	}
}

// memory has a word at every address.
type memory struct{ word func(at uint64) uint64 }

func (m memory) ReadAt(p []byte, off int64) (int, error) {
	for i := 0; i+8 <= len(p); i += 8 {
		binary.LittleEndian.PutUint64(p[i:], m.word(uint64(off)+uint64(i)))
	}
	return len(p), nil
}
