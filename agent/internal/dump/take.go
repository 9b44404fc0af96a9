package dump

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/registers"
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/agent/internal/walk"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/target"
	"github.com/hotspan/hotspan/v8/verify"
)

// taker takes one dump.
type taker struct {
	process    *process.Process
	memory     *target.Pages // of process; of one that runs for a round, so that a thread has to stand still for less
	unwinder   *walk.Unwinder
	registers  *registers.Reader
	symbolizer *symbolize.Symbolizer
	labels     *inspect.LabelReader // nil: labels are not read
	maps       *sourcemaps.Maps     // nil: source maps are not applied
	calls      *calls               // nil: arguments are not read
	async      *asyncCallers        // nil: who waits is not read
	off        verify.Parts         // what cannot be relied on
}

// tryFor is how long threads are tried that run. A round takes some milliseconds. On a quiet machine the first or
// second one takes the thread; on a busy one others have the CPU meanwhile, and it took 139 rounds at most, 1.4 s.
const tryFor = 5 * time.Second

// take takes all threads. In the first round it takes those that do not run, then one after the other those that ran,
// on the CPU of each.
func (t *taker) take() ([]Thread, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.CPUSet
	if unix.SchedGetaffinity(0, &before) == nil {
		defer unix.SchedSetaffinity(0, &before)
	}
	all, err := t.registers.List(t.process.PID)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("process %d: %w", t.process.PID, process.ErrGone)
	}
	sort.SliceStable(all, func(i, j int) bool { return process.MainFirst(t.process.PID, all[i].TID, all[j].TID) < 0 })
	out := make([]Thread, len(all))
	if err := t.round(all, out); err != nil {
		return nil, err
	}
	for end := time.Now().Add(tryFor); time.Now().Before(end); {
		i := slices.IndexFunc(out, isMissing)
		if i < 0 {
			break
		}
		for ; i < len(all); i++ {
			if !isMissing(out[i]) {
				continue
			}
			followTo(t.process.PID, all[i].TID)
			if err := t.round(all[i:i+1], out[i:i+1]); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(out, hasEnded), nil
}

func isMissing(t Thread) bool { return !t.Caught && !hasEnded(t) }

// hasEnded reports whether a thread was not there any more when it was to be taken.
func hasEnded(t Thread) bool { return t.TID == 0 }

// round takes threads, and keeps what it has of those that stood still meanwhile.
func (t *taker) round(all []registers.Thread, out []Thread) error {
	now, err := t.list()
	if err != nil {
		return err
	}
	t.memory.Forget()
	taken := make([]Thread, len(all))
	for i := range all {
		if r, ok := now[all[i].TID]; ok {
			pid := t.process.PID
			taken[i] = Thread{TID: r.TID, Name: name(pid, r.TID), Status: procs.ThreadStatus(pid, r.TID)}
			if !r.Running {
				t.one(r.TID, r.Registers, &taken[i])
			}
		}
	}
	after, err := t.list()
	if err != nil {
		return err
	}
	for i := range all {
		first, there := now[all[i].TID]
		last := after[all[i].TID]
		out[i] = taken[i]
		if out[i].Caught = there && first.Still(&last); !out[i].Caught {
			out[i].Stack, out[i].Async, out[i].Arguments, out[i].Labels = nil, Async{}, nil, nil
			out[i].State, out[i].Stop = pprofx.StateOther, pprofx.StopUnknown
		}
	}
	return nil
}

// list returns the threads by id.
func (t *taker) list() (map[int]registers.Thread, error) {
	all, err := t.registers.List(t.process.PID)
	out := make(map[int]registers.Thread, len(all))
	for _, r := range all {
		out[r.TID] = r
	}
	return out, err
}

// stands is the time of each stack, later than any reading: what is read for it is never out of date, since a thread
// that has not stood still until then is taken anew.
const stands = math.MaxInt64 / 2

// one walks and names the stack of a thread, and reads its labels.
func (t *taker) one(tid int, from target.Registers, to *Thread) {
	isolate := stack.Isolate(t.unwinder.Memory, from.FSBase, t.unwinder.Isolate)
	w, framePointers := t.unwinder.WalkPointers(from)
	raw := bpf.Sample{Pid: uint32(t.process.PID), Tid: uint32(tid), Time: stands, Isolate: isolate}
	t.readStates(isolate, &raw)
	s := sampler.Sample{Sample: &raw, Frames: symbolize.FromWalk(&w, &raw), Stack: w.Leaf.Words}
	var named pprofx.Sample
	if t.calls != nil {
		t.symbolizer.ForgetStacks()
	}
	t.symbolizer.Stack(&s, &named)
	to.Stack = slices.Clone(named.Stack)
	if t.calls != nil {
		to.Arguments = t.calls.arguments(t.symbolizer.Own(), framePointers)
	}
	to.Stop, to.State = symbolize.StopReason(raw.Stop), symbolize.State(raw.VmState)
	if !runsJavaScript(&w) || to.State == pprofx.StateGC {
		return
	}
	if t.labels != nil {
		to.Labels = t.labels.Current(isolate, w.Context)
	}
	if t.async != nil {
		to.Async = t.async.of(isolate, to.Stack)
	}
}

// runsJavaScript reports whether a stack has frames of V8's code. V8's helper threads enter the isolates of others,
// whose request is not theirs; where native frames are missing, the walk does not go on in another thread's stack.
func runsJavaScript(w *stack.Walk) bool {
	return slices.ContainsFunc(w.Frames, func(f stack.WalkFrame) bool {
		return f.Kind == stack.FrameFunction || f.Kind == stack.FrameTyped
	})
}

// noIsolate is the VM state of a thread that has entered no isolate.
const noIsolate = 0xff

func (t *taker) readStates(isolate uint64, to *bpf.Sample) {
	to.VmState = noIsolate
	if isolate == 0 {
		return
	}
	at, b := sampler.V8Layout(t.process.Layout), make([]byte, 1)
	if _, err := t.process.Memory.ReadAt(b, int64(isolate)+int64(at.VmState)); err == nil {
		to.VmState = b[0]
	}
	if at.GcState == 0 {
		return
	}
	if _, err := t.process.Memory.ReadAt(b, int64(isolate)+int64(at.GcState)); err == nil {
		to.GcState = b[0]
	}
}

// followTo has the calling thread run on the CPU where another one runs, or ran last. Where it may not, it stays.
func followTo(pid, tid int) {
	fields := procs.ThreadStat(pid, tid)
	const processor = 39 - 3 // proc(5), counted from the field after the name
	if len(fields) <= processor {
		return
	}
	if cpu, err := strconv.Atoi(fields[processor]); err == nil {
		var only unix.CPUSet
		only.Set(cpu)
		_ = unix.SchedSetaffinity(0, &only)
	}
}

func name(pid, tid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", pid, tid))
	return strings.TrimSuffix(string(text), "\n")
}
