package uvloop

import (
	"path"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
)

const functionOfRun = "uv_run"

// processTurns is how many turns the loop of a process has that no loop of the next process has.
const processTurns = 1 << 24

// Turn returns the number of the turn that a loop is in, where libuv has counted so many. libuv counts a turn before it
// waits for its first event, and the wait may be long: without a callback on its stack, a sample is of no turn. process
// tells a process from one that had its pid before: both begin to count at one.
func Turn(counted uint64, stack []*pprofx.Frame, process uint32) uint64 {
	if counted == 0 || !inCallback(stack) {
		return 0
	}
	return counted + processTurns*uint64(process)
}

// inCallback reports whether a loop has called something: not only libuv, the C library and the kernel run.
func inCallback(stack []*pprofx.Frame) bool {
	i := len(stack) - 1
	for i >= 0 && stack[i].Function != functionOfRun {
		i--
	}
	if i < 0 {
		return true // of a stack that was not walked to its end
	}
	module := stack[i].Module
	return slices.ContainsFunc(stack[:i], func(f *pprofx.Frame) bool { return !ofLoop(f, module) })
}

// ofLoop reports whether the loop itself runs f, whose code is in module or in what that uses. A stripped libuv names
// only what it exports.
func ofLoop(f *pprofx.Frame, module string) bool {
	switch {
	case f.Kind == pprofx.Kernel:
		return true
	case f.Kind != pprofx.Native:
		return false
	case f.Module == module:
		return strings.HasPrefix(f.Function, "uv_") || strings.HasPrefix(f.Function, "epoll_") ||
			f.Function == pprofx.FileFunction(module)
	default:
		return f.Module == "[vdso]" || strings.HasPrefix(path.Base(f.Module), "libc.")
	}
}

// back returns where the event loop of a thread returns to, of whose sample the frames are given too, and 0 if it runs
// none, or more than one: there is another inside of child_process.execSync.
func back(stack []*pprofx.Frame, frames []bpf.Frame) (pc uint64) {
	for i, f := range stack {
		if f.Kind != pprofx.Native || f.Function != functionOfRun {
			continue
		}
		below := len(stack) - 1 - i // each is a frame of native code
		if pc != 0 || below == 0 || below > len(frames) {
			return 0
		}
		pc = frames[len(frames)-below].Pc
	}
	return pc
}
