package agent

import (
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/layout"
)

// checkAsyncHooks goes from the isolate's context to Node's Environment, and finds its async_hooks by what they look like.
// Where there is an AsyncContextFrame nothing may depend on them.
func (i *isolate) checkAsyncHooks() error {
	context, err := i.word(layout.IsolateContext)
	if err != nil {
		return err
	}
	if context == 0 {
		return errNothing
	}
	hooks, err := reqctx.AsyncHooksOf(i.r, i.at, context)
	if err != nil {
		if i.l.Has(layout.IsolateCPED) {
			return errNothing
		}
		return err
	}
	i.note(layout.MapConstructorOrBackPointer, layout.NativeContextEmbedderData, layout.EmbedderDataFirst)
	if slot, err := i.r.WordAt(hooks.Resources); err == nil && slot != 0 {
		i.note(layout.TypeJSArray)
	}
	return nil
}
