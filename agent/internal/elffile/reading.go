package elffile

import (
	"io"
	"slices"
)

// reading is a file that is being read, with its debug file, which is nil if there is none.
type reading struct {
	file, debug *stableFile
	done        []func() // at the end, in reverse
}

func (r *reading) end() {
	for _, done := range slices.Backward(r.done) {
		done()
	}
}

func (r *reading) failed() bool { return r.file.err != nil || r.debug != nil && r.debug.err != nil }

func (r *reading) size() int64 { return r.file.size + r.debug.bytes() }

// reader returns a stableFile as a reader; nil if there is none.
func reader(s *stableFile) io.ReaderAt {
	if s == nil {
		return nil
	}
	return s
}
