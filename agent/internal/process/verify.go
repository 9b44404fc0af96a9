package process

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// Verify compares the layout with the isolate of the main thread, while the process runs. more are comparisons besides
// those of v8/verify and AsyncHooks. What contradicts the layout counts if the thread still has that isolate: others,
// of add-ons such as isolated-vm, may end meanwhile.
func (p *Process) Verify(more ...verify.Comparison) (result verify.Result, err error) {
	for range isolateTries {
		isolate, err := p.MainIsolate()
		if err != nil {
			return verify.Result{}, err
		}
		result = verify.Isolate(p.Memory, p.Layout, isolate, append(more, AsyncHooks)...)
		if after, err := p.MainIsolate(); len(result.Wrong) == 0 || err == nil && after == isolate {
			return result, nil
		}
	}
	return verify.Result{}, errIsolates
}

// isolateTries is how many isolates are compared of a thread that changes them.
const isolateTries = 5

var errIsolates = errors.New("the main thread enters and leaves isolates all the time")

// A V8 that starts has an isolate some 15 ms before all words of that have a value: on a slow machine for up to twice
// as long as the process has lived by then. What is wrong for longer is wrong.
const (
	shortWait  = 50 * time.Millisecond
	longWait   = 2 * time.Second
	youngest   = 10 * time.Second // the age up to which a process may be starting
	shortEvery = 5 * time.Millisecond
	leastLooks = 8 // as many as there is time for, unless hotspan itself has little of a CPU
)

// VerifyShortly takes a short look at a process whose binary was compared in another process: some ten reads show
// whether its main thread has an isolate of this layout. Where it has not, it looks again, eight times at least: for
// 50 ms, or up to two seconds of a process that may be starting.
func (p *Process) VerifyShortly() (result verify.Result, err error) {
	end := time.Now().Add(p.startsFor())
	for looks := 1; ; looks++ {
		result, err = p.verifyOnce()
		if err != nil || len(result.Wrong) == 0 || looks >= leastLooks && time.Now().After(end) {
			return result, err
		}
		time.Sleep(shortEvery)
	}
}

// startsFor says how much longer the process may be starting, by how long it has lived.
func (p *Process) startsFor() time.Duration {
	age := procs.Age(procs.Started(p.PID))
	if age > youngest {
		return shortWait
	}
	return min(max(3*age, shortWait), longWait)
}

func (p *Process) verifyOnce() (verify.Result, error) {
	isolate, err := p.MainIsolate()
	if err != nil {
		return verify.Result{}, err
	}
	return verify.Shortly(p.Memory, p.Layout, isolate), nil
}

// AsyncHooks goes from the isolate's context to Node's Environment and finds its async_hooks by their content. In a V8
// with AsyncContextFrame it reports no failure, as nothing may depend on async_hooks there.
var AsyncHooks = verify.Comparison{
	What: "async_hooks", Part: verify.Labels, Needs: AsyncHooksFields, Run: compareAsyncHooks,
}

func compareAsyncHooks(r *heap.Reader, isolate uint64) ([]layout.Field, error) {
	l := r.Layout()
	context, err := r.WordAt(isolate + uint64(l.At(layout.IsolateContext)))
	if err != nil {
		return nil, err
	}
	if context == 0 {
		return nil, verify.ErrNoContext
	}
	hooks, err := nodejs.FindAsyncHooks(r, isolate, context)
	if err != nil {
		if l.Has(layout.IsolateCPED) {
			return nil, verify.ErrNothing
		}
		return nil, err
	}
	right := []layout.Field{layout.MapConstructorOrBackPointer, layout.NativeContextEmbedderData,
		layout.EmbedderDataFirst}
	if slot, err := r.WordAt(hooks.Resources); err == nil && slot != 0 {
		right = append(right, layout.TypeJSArray)
	}
	return right, nil
}
