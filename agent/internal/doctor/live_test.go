package doctor

import (
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// busy runs the same functions often enough that there is baseline code, then waits.
const busy = `
	function work(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i % 7; return sum; }
	for (let i = 0; i < 2000; i++) work(50);
	new (require('async_hooks').AsyncLocalStorage)().run({ here: 1 }, () => setInterval(() => work(1e6), 1));
	process.stdin.on('end', process.exit).resume(); console.error('ready')`

// TestSelfCheckTells: a field counts as verified only if another value in its place would not have passed.
func TestSelfCheckTells(t *testing.T) {
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			flags, frames := v.AsyncContextFrame()
			n := live.Start(t, v.Version, append(flags, "--always-sparkplug", "-e", busy)...)
			opened, err := process.Open(n.PID, elffile.NewLayoutCache())
			if err != nil {
				t.Fatal(err)
			}
			p := inspectProcess(opened)
			for range 20 { // on a busy machine it may be between its callbacks all the time that this looks
				if p.Stores.Seen {
					break
				}
				p = inspectProcess(opened)
			}
			if len(p.Check.Wrong) > 0 || p.Check.None != "" {
				t.Fatalf("right layout: %v %s", p.Check.Wrong, p.Check.None)
			}
			t.Logf("verified: %v", p.Check.Fields)
			if !p.Stores.Seen || p.Stores.InFrame != frames ||
				slices.Contains(p.Check.Fields, layout.JSMapTable) != frames {
				t.Error("the process has stores, in a frame or in resources, which were not met there")
			}
			if !slices.Contains(p.Check.Fields, layout.TypeInstructionStream) {
				t.Error("the process has baseline code, which was not met")
			}
			if !slices.Contains(nodes.Thorough(), v) && v.Major() != 16 {
				return // what follows takes long
			}
			for _, f := range p.Check.Fields {
				for _, by := range changes(opened.Layout, f) {
					if slices.Contains(verifiedWith(opened, f, by), f) {
						t.Errorf("%v is %d more, and still counts as verified", f, by)
					}
				}
			}
		})
	}
}

// changes are what is added to a field to make it wrong.
func changes(l *layout.Layout, f layout.Field) []int64 {
	if f == layout.PositionsUnsigned {
		return []int64{1 - 2*l.Values[f].N} // yes or no
	}
	return []int64{8, -8, 1}
}

// verifiedWith compares a layout of which one field is wrong.
func verifiedWith(p *process.Process, f layout.Field, by int64) []layout.Field {
	l, wrong := *p.Layout, *p
	l.Values[f].N += by
	wrong.Layout = &l
	i := &inspection{process: &wrong, heap: wrong.Heap()}
	var err error
	if i.isolate, err = wrong.MainIsolate(); err != nil {
		return nil
	}
	// once: most of it is to fail
	return verify.Stopped(wrong.Memory, &l, i.isolate, i.watchStores(), process.AsyncHooks).Fields
}
