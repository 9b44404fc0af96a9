// Package agent is the profiler as a library: it samples Node processes from outside, names the frames, joins each
// sample to the request that ran, and hands immutable snapshots to sinks. New, Run or Close is all there is to it;
// ARCHITECTURE.md follows one sample through the code.
package agent

import (
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// Agent is a profiler: of New, until Run or Close has returned. Its methods are not safe for concurrent use.
type Agent struct {
	config   Config
	log      *slog.Logger
	tree     *reqctx.Tree
	sampler  *sampler.Sampler
	files    *elffile.Cache
	kernel   *symbolize.Kernel
	learners *labels.Learners
	decoder  *labels.Decoder
	maps     *sourcemaps.Maps // nil: they are not applied
	async    async

	targets       map[int]*target  // by pid
	pendingStarts map[int]schedule // processes that have started lately, without V8
	properties    []string         // of the stores of processes that have ended

	clock   clock
	builder *pprofx.Builder // nil before Run
	stats   Stats
	counted counted
	passes  *passes
	shown   time.Time // when Progress was called last
}

// counted is what the BPF program had counted when it was asked last.
type counted struct{ ringFull, lifecycleLost int64 }
