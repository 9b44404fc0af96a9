package functions

// keep keeps the frames of a point of execution, for as long as there is room.
func (v *Resolver) keep(key point, fs ...*Frame) []*Frame {
	if v.naming.Rests() {
		return fs // it may be read later
	}
	if len(v.points) >= maxPoints {
		clear(v.points)
	}
	v.points[key] = fs
	v.room.take(frameSize * len(fs))
	return fs
}

// Full reports whether as much is kept of the process as may be, or much that is likely to be of no use any more. In
// the first case what is new stays without names or lines until Forget is called.
func (v *Resolver) Full() bool { return v.room.short() || v.room.stale(v.renewed) }

// Forget forgets all that was read of the process. It is read again where it is needed. Call it between two samples.
func (v *Resolver) Forget() {
	v.code.forget(v.code.all)
	v.code.all, v.code.used = nil, nil
	v.wasm = newWasm()
	v.unknown = newIsolate(isolateKey{}, 0)
	v.isolate, v.isolates = v.unknown, map[isolateKey]*isolate{}
	v.basis = basis{}
	v.room, v.forgot = room{}, true
}
