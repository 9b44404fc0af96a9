package symbolize

import (
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/await"
	"github.com/hotspan/hotspan/v8/functions"
)

// Waiter names what waits for a promise, in the isolate of the sample that was named last. Nil: it cannot be read.
func (z *Symbolizer) Waiter(r *await.Reader, w *await.Waiter) *pprofx.Frame {
	f := r.Frame(z.resolver, w)
	if f == nil || f.Lost == functions.LostFunction {
		return nil
	}
	return z.frames.convert(z.frames.trust(f, z.off))
}
