package dump

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/await"
)

// asyncCallers finds who waits for what a thread does.
type asyncCallers struct {
	reader     await.Reader
	symbolizer *symbolize.Symbolizer
}

func newAsyncCallers(p *process.Process, types map[int]string, z *symbolize.Symbolizer) *asyncCallers {
	return &asyncCallers{await.Reader{Heap: p.Heap(), Types: types}, z}
}

// of finds who waits for what a thread does whose stack has just been named, if that is in a microtask. Functions that
// were handed to then are left out, as they call nobody.
func (a *asyncCallers) of(isolate uint64, named []*pprofx.Frame) (out Async) {
	if !slices.ContainsFunc(named, runsMicrotasks) {
		return out
	}
	c, ok, err := a.reader.Current(isolate)
	if !ok || err != nil {
		return out
	}
	out.End, out.Promise = c.End, uint64(c.Promise)
	for i := range c.Waiters {
		if c.Waiters[i].Kind == await.Callback {
			continue
		}
		f := a.symbolizer.Waiter(&a.reader, &c.Waiters[i])
		if f == nil { // those behind it would seem to wait for those before it
			out.End = await.Cut
			return out
		}
		out.Callers = append(out.Callers, f)
	}
	return out
}

// runsMicrotasks reports whether a frame is that of V8's builtin that does.
func runsMicrotasks(f *pprofx.Frame) bool {
	return f.Kind == pprofx.Builtin && f.Function == "RunMicrotasks"
}
