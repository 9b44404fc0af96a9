package labels

// Flags describe the decoded context of one sample.
type Flags struct {
	Present    bool // a store is current, or something published is
	Learning   bool // the BPF program did not know something yet, so that a label may be missing
	Unreadable bool // a part of the context could not be read
	Invalid    bool // something published is malformed
	Cut        bool // a value is longer than what is read of it
	OverLimit  bool // something published is larger than what is read
	Helper     bool // the thread is one of V8's helpers: the request and the VM state are another thread's
	UnknownKey bool // an attribute has a key that the process context does not name
	NoHooks    bool // where the isolate has its async_hooks is not known: no store can be read
}

// complete reports whether the same context bytes will always give the same labels.
func (f Flags) complete() bool {
	return !f.Learning && !f.Unreadable && !f.Cut && !f.Invalid && !f.OverLimit && !f.UnknownKey &&
		!f.NoHooks
}
