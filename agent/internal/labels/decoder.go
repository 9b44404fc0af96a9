// Package labels makes labels from what the BPF program read of a sample's request. It configures what the BPF program
// reads (Configure), answers its requests about hidden classes and names (Learner), follows the contexts that the
// process publishes (Process.FindPublished), and decodes the context bytes of each sample (Process.Decode).
package labels

import (
	"log/slog"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/context/published"
	"github.com/hotspan/hotspan/pprofx"
)

// Decoder holds the state of decoding that all processes share. Process may be called on any goroutine, all else is for
// one.
type Decoder struct {
	BadValues  int64 // values that are invalid for their label, such as a trace id of another length
	ContextIDs bool  // samples have pprofx.ContextLabel

	tree      *reqctx.Tree
	sampler   *sampler.Sampler
	log       *slog.Logger
	labelSets labelSets
	matched   map[string]bool // whether samples have had a label: each of the rules, and others
}

// maxMatched bounds the labels of which it is known whether samples have had them. A process makes up names of its own.
const maxMatched = 1 << 12

// NewDecoder makes a Decoder for the rules of a tree. It writes to the sampler's BPF maps where functions keep the
// registers that libuv's pool uses.
func NewDecoder(tree *reqctx.Tree, s *sampler.Sampler, log *slog.Logger) *Decoder {
	d := &Decoder{tree: tree, sampler: s, log: log, matched: map[string]bool{}}
	for _, l := range tree.Labels {
		d.matched[l.Label] = false
	}
	return d
}

// match notes that a sample has had a label.
func (d *Decoder) match(label string) {
	if d.matched[label] {
		return
	}
	if _, known := d.matched[label]; known || len(d.matched) < maxMatched {
		d.matched[label] = true
	}
}

// Matched reports whether any sample has had a label.
func (d *Decoder) Matched(label string) bool { return d.matched[label] }

// Unmatched is a label rule that never matched, with the property names that stores had.
type Unmatched struct {
	Label string   `json:"label"`
	Seen  []string `json:"seen"`
}

// Unmatched returns those of some rules that no sample has had the label of. seen are the property names.
func (d *Decoder) Unmatched(rules []reqctx.Rule, seen []string) (out []Unmatched) {
	seen = slices.Compact(slices.Sorted(slices.Values(seen)))
	for _, r := range rules {
		if !d.Matched(r.Label) {
			out = append(out, Unmatched{Label: r.Label, Seen: seen})
		}
	}
	return out
}

// Sizes are the names and sizes of caches, to be logged: the sets of labels.
func (d *Decoder) Sizes() []any { return []any{"sets of labels", d.labelSets.len()} }

// Forget forgets the sets of labels that are kept. They are decoded again when they come again.
func (d *Decoder) Forget() { d.labelSets = labelSets{} }

// Process decodes the samples of one process. It is not safe for concurrent use.
type Process struct {
	decoder   *Decoder
	process   *process.Process
	config    *bpf.Process
	derived   pprofx.Process // the process as described from outside
	described pprofx.Process
	changed   bool // described has changed since Described was called
	published publication
	jobs      map[uint32]job    // of libuv's pool, by thread
	threads   map[uint64]uint32 // that run JavaScript, by isolate
	helpers   map[uint32]bool   // threads that were met in the isolates of these while those ran
	ended     func(tid uint32) bool
	lastEnd   func() int64 // when a thread of the process ended last, on the clock of samples
	context   sampleContext
	flags     Flags // of the current sample
	start     int64 // of its request; 0 = not known
}

// sampleContext is the decoded context of the current sample.
type sampleContext struct {
	values []reqctx.Value
	sets   reqctx.LabelsBySource
}

// Process makes a decoder for the samples of one process. config is its entry in the BPF map, which FindPublished
// changes. derived describes the process as seen from outside.
func (d *Decoder) Process(p *process.Process, config *bpf.Process, derived pprofx.Process) *Process {
	return &Process{
		decoder: d, process: p, config: config, derived: derived, described: derived,
		published: publication{since: time.Now()}, jobs: map[uint32]job{},
		threads: map[uint64]uint32{}, helpers: map[uint32]bool{},
		ended:   func(tid uint32) bool { return procs.ThreadEnded(p.PID, int(tid)) },
		lastEnd: func() int64 { return d.sampler.ThreadEnded(p.PID) },
	}
}

// Described returns the description of the process. What the process publishes about itself goes first, and may change
// while it runs.
func (p *Process) Described() pprofx.Process {
	p.changed = false
	return p.described
}

// Changed reports whether the description has changed since the last call of Described.
func (p *Process) Changed() bool { return p.changed }

// labelSets returns the cache for the process. A process that publishes contexts has its own: their bytes have no
// meaning in another.
func (p *Process) labelSets() *labelSets {
	if p.published.process != nil {
		return &p.published.labelSets
	}
	return &p.decoder.labelSets
}

// publication is the context that a process publishes for readers outside it.
type publication struct {
	at        uint64                    // address of the process context; 0 = none
	process   *published.ProcessContext // nil if there is none, or it is not readable
	seen      uint64                    // address of the publication that was read last, readable or not
	checked   time.Time
	asked     time.Time // for changes
	listed    time.Time // when findPublishers has listed the threads
	since     time.Time // when hotspan attached to the process
	said      string    // last message
	labelSets labelSets // attribute keys are numbers that only this publication defines
}

// changedEvery is how often hotspan checks whether a publication has changed.
const changedEvery = time.Second

// job is the work of a pool thread at its last sample, with the labels of its request.
type job struct {
	work, id uint64
	labels   []pprofx.Label
	start    int64 // of the request
	at       int64 // when the sample was taken
}
