package uvloop

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
)

// TestTurn: a sample is of a turn if the loop has called something. The stacks are those of Node 26, leaf first.
func TestTurn(t *testing.T) {
	of := func(module string) func(string) *pprofx.Frame {
		return func(name string) *pprofx.Frame {
			return &pprofx.Frame{Function: name, Module: module, Kind: pprofx.Native}
		}
	}
	node, libc, libnode, libuv := of("/node"), of("/lib/libc.so.6"), of("/lib/libnode.so"), of("/lib/libuv.so.1")
	gettime, addon := of("[vdso]")("__vdso_clock_gettime"), of("/addon.node")("[addon.node]")
	js := &pprofx.Frame{Function: "onTimeout", Kind: pprofx.JS}
	kernel := &pprofx.Frame{Function: "ep_poll", Module: "[kernel]", Kind: pprofx.Kernel}
	gc := &pprofx.Frame{Function: "[gc scavenge]", Kind: pprofx.Marker}
	run, poll, epoll, unnamed := node("uv_run"), node("uv__io_poll"), libc("epoll_pwait"), libuv("[libuv.so.1]")
	timers, runTimers := node("uv__run_timers"), node("node::Environment::RunTimers(uv_timer_s*)")
	root := []*pprofx.Frame{node("node::SpinEventLoopInternal(node::Environment*)"), libc("__libc_start_main")}
	type frames []*pprofx.Frame
	for name, c := range map[string]struct {
		above frames
		want  uint64
	}{
		"wait in the kernel":     {frames{kernel, epoll, poll, run}, 0},
		"wait":                   {frames{epoll, poll, run}, 0},
		"system call of its own": {frames{kernel, poll, run}, 0},
		"static C library":       {frames{node("epoll_pwait"), poll, run}, 0},
		"stripped library":       {frames{epoll, unnamed, libuv("uv_run")}, 0},
		"lock before the wait":   {frames{libc("pthread_mutex_lock"), node("uv_mutex_lock"), poll, run}, 0},
		"clock before the wait":  {frames{gettime, node("uv__hrtime"), poll, run}, 0},
		"between":                {frames{run}, 0},
		"read before the call":   {frames{libc("read"), node("uv__read"), node("uv__stream_io"), poll, run}, 0},

		"timer":                     {frames{js, runTimers, timers, run}, 7},
		"timer, before JavaScript":  {frames{runTimers, timers, run}, 7},
		"timer of stripped library": {frames{js, libnode("RunTimers"), unnamed, libuv("uv_run")}, 7},
		"add-on without names":      {frames{addon, node("uv__async_io"), poll, run}, 7},
		"collection":                {frames{gc, timers, run}, 7},
		"loop of execSync":          {frames{epoll, poll, run, node("SyncProcessRunner::Run"), js, timers, run}, 7},
		"stack without its end":     {frames{epoll}, 7},
	} {
		if got := Turn(7, append(c.above, root...), 0); got != c.want {
			t.Errorf("%s: turn %d, want %d", name, got, c.want)
		}
	}
	if got := Turn(0, []*pprofx.Frame{js, timers, run}, 1); got != 0 {
		t.Errorf("of a loop that is not known: turn %d", got)
	}
	callback := []*pprofx.Frame{js, timers, run}
	if a, b := uint32(Turn(7, callback, 1)), uint32(Turn(7, callback, 2)); a == b {
		t.Errorf("two processes are both in turn %d", a)
	}
}

// TestBack: of frames that are not one for one those of the stack, the frame below uv_run is the caller's.
func TestBack(t *testing.T) {
	run := &pprofx.Frame{Function: functionOfRun, Kind: pprofx.Native}
	main, kernel := &pprofx.Frame{Kind: pprofx.Native}, &pprofx.Frame{Kind: pprofx.Kernel}
	js, named := &pprofx.Frame{Kind: pprofx.JS}, &pprofx.Frame{Function: functionOfRun, Kind: pprofx.JS}
	type stack []*pprofx.Frame
	for name, c := range map[string]struct {
		stack
		frames int // whose addresses are 1, 2 and so on
		want   uint64
	}{
		"a loop":            {stack{kernel, js, js, run, main, main}, 4, 3},
		"none":              {stack{js, main}, 2, 0},
		"one in another":    {stack{run, js, run, main}, 4, 0},
		"without a caller":  {stack{js, run}, 2, 0},
		"more than frames":  {stack{run, main, main}, 1, 0},
		"of no native code": {stack{named, main}, 2, 0},
	} {
		frames := make([]bpf.Frame, c.frames)
		for i := range frames {
			frames[i].Pc = uint64(i + 1)
		}
		if got := back(c.stack, frames); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
