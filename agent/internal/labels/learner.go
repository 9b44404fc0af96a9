package labels

import (
	"log/slog"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/heap"
)

// Learner answers the requests of the BPF program about one process: where async_hooks and the resources of one hidden
// class keep stores, and where work of libuv's pool has what it belongs to. It is not safe for concurrent use.
type Learner struct {
	sampler *sampler.Sampler
	log     *slog.Logger
	pid     int
	id      uint32 // of the process, in the BPF program
	heap    *heap.Reader
	effort  heap.Effort
	works   map[uint64]work // by class, as in bpf.WorkKey
	// isolates are those that were asked about.
	isolates map[bpf.EnvironmentKey]*isolate
	told     bool // that async_hooks are not found
	// properties are what the stores of the process have had.
	properties reqctx.StoreProperties
}

// work is what is known of the C++ objects of a class that libuv's pool works on.
type work struct {
	unknown int                // how often an object was not recognized
	layout  nodejs.OwnerLayout // of the last one that was
}

// What answering may take of a process at once, half a second, and then each second, as heap.Effort has it. To read a
// hidden class of a thousand properties takes 8,000, and a program makes new ones as fast as it likes.
const maxAnswers, answersEach = 100000, 50000

// NewLearner makes a Learner for a process, which writes answers into the BPF maps of a sampler. id is its
// bpf.Process.Id.
func NewLearner(p *process.Process, id uint32, s *sampler.Sampler, log *slog.Logger) *Learner {
	return &Learner{sampler: s, log: log, pid: p.PID, id: id, heap: p.Heap(),
		effort: heap.NewEffort(maxAnswers, answersEach)}
}

// StoreProperties returns names of properties that the process's stores have had.
func (p *Learner) StoreProperties() []string {
	return append([]string(nil), p.properties...)
}
