package repair

// builtinPoint is a place in a builtin, whose instructions are the same wherever V8 has mapped it.
type builtinPoint struct {
	name string
	at   uint64 // from its start
}

// builtinPoints are places of which something is known.
type builtinPoints[T any] map[builtinPoint]T

const maxBuiltinPoints = 1 << 12

func (p builtinPoints[T]) add(at builtinPoint, is T) {
	if len(p) >= maxBuiltinPoints {
		clear(p)
	}
	p[at] = is
}
