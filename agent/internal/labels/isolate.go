package labels

import (
	"time"

	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/heap"
)

// isolate is what is known of an isolate with async_hooks.
type isolate struct {
	asked time.Time         // of the first request
	tries int               // that have failed
	hooks nodejs.AsyncHooks // without Fields until they are found
}

// find finds the async_hooks of an isolate at an address. Once they are found they stay where they are: only TopLevel
// may come later. That needs no context, which an isolate lacks at times.
func (i *isolate) find(r *heap.Reader, at uint64, context heap.Word) (err error) {
	if i.hooks.Fields != 0 {
		i.hooks.FindTopLevel(r)
		return nil
	}
	i.hooks, err = nodejs.FindAsyncHooks(r, at, context)
	if err != nil && context != 0 { // the context may have moved
		i.hooks, err = nodejs.FindAsyncHooks(r, at, 0)
	}
	if err != nil {
		i.hooks = nodejs.AsyncHooks{}
		i.tries++
	}
	return err
}
