package functions

// maxKept bounds what is kept of one process, in bytes. How many functions, scripts and the like there are is bounded
// too, but how much one of them takes is up to the process.
const maxKept = 64 << 20

// What a function, a script or a frame takes at least, in bytes.
const (
	functionSize = 256
	frameSize    = 192
)

// room is how much is kept. Where it is short nothing more is read that would be kept, so it is exceeded by one table
// at most.
type room struct{ taken int }

func (r *room) take(n int)  { r.taken += n }
func (r *room) short() bool { return r.taken > maxKept }
