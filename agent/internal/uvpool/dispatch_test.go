package uvpool

import (
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestIsQueuedAgain: of the functions of jobs that a Node has, those of zlib's streams are told from all others.
func TestIsQueuedAgain(t *testing.T) {
	for _, version := range []string{"16.20.2", "22.23.3", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			again, once, dispatches := 0, 0, 0
			for line := range strings.Lines(binutils(t, "nm", live.Binary(t, version))) {
				f := strings.Fields(line)
				if len(f) != 3 {
					continue
				}
				isFunction := strings.ContainsAny(f[1], "tTW") // not a variable in one
				if f[2] == functions[Queued] || slices.Contains(nodeWork, f[2]) {
					dispatches++
					if name := symbols.Demangled(f[2]); !IsDispatch(name) {
						t.Errorf("%s is a job's function", name)
					}
					continue
				}
				if !isFunction || !strings.Contains(f[2], "DoThreadPoolWorkEv") {
					continue
				}
				name, isZlib := symbols.Demangled(f[2]), false
				for _, of := range []string{"CompressionStream", "11ZlibContext", "BrotliDecoderContext"} {
					isZlib = isZlib || strings.Contains(f[2], of)
				}
				if isZlib {
					again++
				} else {
					once++
				}
				if IsQueuedAgain(name) != isZlib || IsDispatch(name) {
					t.Errorf("%s: queued again %v, calls a job %v", name, !isZlib, IsDispatch(name))
				}
			}
			if again < 6 || once < 20 || dispatches != 2 {
				t.Errorf("functions of jobs: %d of streams, %d others; %d that call them", again, once, dispatches)
			}
		})
	}
}
