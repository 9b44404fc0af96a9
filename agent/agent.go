// Package agent is the profiler as a library: it samples Node processes from outside, names the frames, adds the labels
// of the request that ran, and passes immutable snapshots to sinks. Call New, then Run or Close. ARCHITECTURE.md
// follows one sample through the code.
package agent

import (
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/selfcheck"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// Agent is a profiler. It is valid from New until Run or Close has returned. Its methods are not safe for concurrent
// use.
type Agent struct {
	config   Config
	log      *slog.Logger
	tree     *reqctx.Tree
	sampler  *sampler.Sampler
	files    *elffile.Cache
	kernel   *symbolize.Kernel
	learners *labels.Learners
	decoder  *labels.Decoder
	maps     *sourcemaps.Maps // nil: source maps are not applied
	checks   *selfcheck.Checks
	async    async

	targets       map[int]*target       // by pid
	pendingStarts map[int]schedule      // processes that started recently and have no V8 yet
	withoutV8     map[procs.FileID]bool // executables whose processes had none
	properties    []string              // names of store properties, from processes that have ended

	begun    int64 // when the program began, as monotonic gives it
	sampling int64 // when sampling began
	named    bool  // there was a named sample

	clock   clock
	builder *pprofx.Builder // nil before Run
	stats   Stats
	counted counted
	passes  *passes
	shown   time.Time // when Progress was called last
}

// counted holds the BPF program's counters as last read.
type counted struct{ ringFull, lifecycleLost int64 }
