package agent

import (
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/agent/internal/uvloop"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/verify"
)

// target is a process that is profiled.
type target struct {
	*process.Process
	config     *bpf.Process // its value in the BPF map
	symbolizer *symbolize.Symbolizer
	reading    *reading
	labels     *labels.Process
	learner    *labels.Learner
	maps       *sourcemaps.Process // nil: source maps are not applied
	off        verify.Parts        // what cannot be relied on
	sample     pprofx.Sample       // the current one, reused for the next
	threads    sampler.ThreadNames
	loops      uvloop.Loops

	frames uint32 // config.V8.Cped and
	hooks  uint16 // config.V8.FirstJsObject, without which there are no labels

	opened      int64         // when it was opened, CLOCK_MONOTONIC in nanoseconds
	ready       int64         // when readProcess was done
	logged      bool          // it has had a named sample
	refreshAt   jobs.Schedule // when to read the mappings again: after a start much is mapped
	refreshed   time.Time     // when they were last read
	code        process.V8Code
	refreshing  bool
	watched     bool // it is one of Agent.watched
	sampled     bool // since maintain looked whether it publishes anything else
	keyExpected bool // V8 has not started yet: where a thread keeps its isolate is not known
}

// release gives back what the process takes: the rules of its files, too, if it is not sampled any more.
func (t *target) release(unsampled bool) {
	if t.symbolizer.Close(); t.maps != nil {
		t.maps.End()
	}
	if unsampled {
		go t.Mappings.Release() // it waits for the kernel, and samples do not wait
	}
}

// reading is what the context of a sample is read by: rules, and source maps. A sample is decoded by the one under
// which it was taken.
type reading struct {
	tree    *reqctx.Tree
	decoder *labels.Decoder
	maps    bool // source maps are followed
	code    *jitcode.Recorder
}

// lookFirst takes a short look at a process that runs, before any of its labels count. What it finds wrong holds until
// the whole layout has been compared. known is what comparisons with other processes have shown.
func (t *target) lookFirst(known verify.Parts) {
	if result, err := t.VerifyShortly(); err == nil {
		known |= result.Off
	}
	t.distrust(known)
}

// distrust leaves out what cannot be relied on, and nothing else. The caller publishes the process.
func (t *target) distrust(off verify.Parts) {
	t.off = off
	t.symbolizer.Distrust(off)
	t.config.V8.Cped, t.config.V8.FirstJsObject = t.frames, t.hooks
	if off&verify.Labels != 0 {
		t.config.V8.Cped, t.config.V8.FirstJsObject = 0, 0
	}
}

// notVerified is the resource attribute that says what is left out of a process's samples.
const notVerified = "hotspan.not_verified"

// described is what the profile says of the process.
func (t *target) described() pprofx.Process {
	p := t.labels.Described()
	if t.off != 0 {
		p.Attributes = append(p.Attributes[:len(p.Attributes):len(p.Attributes)],
			pprofx.Label{Key: notVerified, Str: t.off.String()})
	}
	return p
}
