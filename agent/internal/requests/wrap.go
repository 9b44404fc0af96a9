package requests

import (
	"fmt"

	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/space"
)

// wrap reads an object of JavaScript that stands for one of C++. What it waits for is what libuv has of the latter.
func (f *reader) wrap(o *space.Object) {
	f.r.Forget() // see Visit
	base, ok := nodejs.WrapOf(f.r, o.Word)
	if !ok {
		return
	}
	w := Wait{Object: o.Word, Native: base, Offset: -1}
	b := f.r.UpTo(base, wrapBytes)
	if !f.inHandle(&w, base, b) && !f.inRequest(&w, base, b) {
		return
	}
	w.Kind, _ = f.printer.Maker(o.Address)
	frame, ok := nodejs.FrameOf(f.r, base, o.Word, f.isFrame)
	if !ok {
		frame = 0
	}
	w.Stores, w.NotRead = f.stores(frame, o.Word)
	if w.What == "" && w.Sort == Request {
		w.What = f.named(o.Word)
	}
	f.add(w)
}

// named is what a request is for, as JavaScript code of Node.js says. (node: lib/dns.js, lib/net.js)
func (f *reader) named(object heap.Word) string {
	m := f.members(object)
	for _, name := range []string{"hostname", "address"} {
		text, err := f.r.String(m[name], maxText)
		if err != nil || text == "" {
			continue
		}
		if port, ok := f.number(m["port"]); ok && port > 0 {
			text += fmt.Sprintf(":%.0f", port)
		}
		return text
	}
	return ""
}
