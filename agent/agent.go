// Package agent is the profiler as a library: it samples Node processes from outside, names the frames, adds the labels
// of the request that ran, and passes immutable snapshots to sinks. Call New, then Run or Close; see ARCHITECTURE.md.
package agent

import (
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/cgroup"
	"github.com/hotspan/hotspan/agent/internal/deliver"
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/firstsample"
	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/selfcheck"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
)

// Agent is a profiler. It is valid from New until Run or Close has returned. Of its methods only Change is safe for
// concurrent use.
type Agent struct {
	config    Config
	log       *slog.Logger
	sampler   *sampler.Sampler
	files     *elffile.Cache
	kernel    *symbolize.Kernel
	natives   *symbolize.Natives
	reading   *reading
	maps      *sourcemaps.Maps
	checks    *selfcheck.Checks
	async     *jobs.Queue
	changing  bool          // Change is under way
	selected  int64         // when it changed the selection last, as sampler.Now
	ended     chan struct{} // closed when Run ends
	heapLimit int64         // memory limit of Go's runtime before

	targets    map[int]*target // by pid
	watched    []*target       // at which maintain is to look
	shells     process.Shells  // they were selected by pid
	starts     *process.Starts
	properties labels.Names // of store properties, from processes that have ended

	first firstsample.Log

	clock         sampler.UnixClock
	builder       *live.Builders // nil before Run
	since         time.Time      // when the open snapshot begins
	end           time.Time      // when it is to be cut
	rate          int            // of samples now
	stats         Stats
	lifecycleLost int64 // execs and exits that were lost, when countLosses looked last
	malformed     int64 // execs and exits that could not be decoded
	groups        cgroup.Watch
	passes        *deliver.Passes
	budget        *budget.Controller
	measureAt     time.Time     // when CPU time and memory are measured next; zero: never
	handling      time.Duration // CPU time of drain
	heldSaid      time.Time     // when it was said last that a lower rate is of no use
	shown         time.Time     // when Progress was called last
}
