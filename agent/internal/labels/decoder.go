// Package labels turns what the BPF program read of a sample's request into labels: it tells the BPF program what to
// read (Configure), answers what that asks about hidden classes and names (Learner), follows what the process publishes
// about itself, and decodes the context bytes of each sample (Process.Decode).
package labels

import (
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// Decoder is what the decoding of all processes has in common. It is not safe for concurrent use.
type Decoder struct {
	BadValues int64 // that were not what their label must be, such as a trace id of another length

	tree      *reqctx.Tree
	sampler   *sampler.Sampler
	log       *slog.Logger
	labelSets labelSets
	matched   map[string]bool // labels that were made
}

// NewDecoder makes a Decoder for the rules of a tree. The sampler is told where functions of libuv's pool keep
// registers.
func NewDecoder(tree *reqctx.Tree, s *sampler.Sampler, log *slog.Logger) *Decoder {
	return &Decoder{tree: tree, sampler: s, log: log, labelSets: labelSets{}, matched: map[string]bool{}}
}

// Matched reports whether a label was ever made.
func (d *Decoder) Matched(label string) bool { return d.matched[label] }

// Process decodes the samples of one process. It is not safe for concurrent use.
type Process struct {
	decoder   *Decoder
	process   *process.Process
	config    *bpf.Process
	derived   pprofx.Process // what is known of the process without its own word
	described pprofx.Process
	changed   bool // described is another one than was asked for last
	published published
	jobs      map[uint32]job // of libuv's pool, by thread
	context   sampleContext
	flags     Flags // of the sample at hand
}

// sampleContext is what is known of the context of the sample at hand.
type sampleContext struct {
	values []reqctx.Value
	sets   reqctx.LabelsBySource
}

// Process begins to decode samples of a process. config is what the BPF program is told of it: FindPublished changes
// that. derived describes the process as far as it is known from outside.
func (d *Decoder) Process(p *process.Process, config *bpf.Process, derived pprofx.Process) *Process {
	return &Process{
		decoder: d, process: p, config: config, derived: derived, described: derived,
		published: published{since: time.Now()}, jobs: map[uint32]job{},
	}
}

// Described is what is known of the process, by its own word where it says something. It changes while the process
// runs.
func (p *Process) Described() pprofx.Process {
	p.changed = false
	return p.described
}

// Changed reports whether Described would say something else than at its last call.
func (p *Process) Changed() bool { return p.changed }

// maxLabelSets bounds the sets of labels that are kept; over it they start anew.
const maxLabelSets = 1 << 16

// labelSets are sets of labels by the context bytes that they were made of.
type labelSets map[string][]pprofx.Label

func (s labelSets) keep(context string, labels []pprofx.Label) {
	if len(s) >= maxLabelSets {
		clear(s)
	}
	s[context] = labels
}

// labelSets are those that may be used again for the process: the bytes of what it publishes mean nothing in another.
func (p *Process) labelSets() labelSets {
	if p.published.process != nil {
		return p.published.labelSets
	}
	return p.decoder.labelSets
}

// published is what a process publishes for readers outside it.
type published struct {
	at        uint64                 // address of the process context; 0 = none
	process   *reqctx.ProcessContext // nil = none, or not readable
	seen      uint64                 // its publication that was looked at last, readable or not
	checked   time.Time
	asked     time.Time // for changes
	since     time.Time // when the process was attached to
	said      string    // last message
	labelSets labelSets // keys of attributes are numbers of this publication
}

// job is what a thread of the pool worked on when it was sampled last, and for whom.
type job struct {
	work, id uint64
	labels   []pprofx.Label
}
