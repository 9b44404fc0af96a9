package labels

import (
	"log/slog"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
)

// Learners answer what the BPF program asks of processes: what hidden classes have where, hashes of names, what an
// AsyncLocalStorage's store is for. They are safe for concurrent use: what is asked is read where records are, on
// another goroutine than samples are named on. A name may take long, and until the BPF program knows a hidden class
// each sample that meets it lacks labels.
type Learners struct {
	tree      *reqctx.Tree
	sampler   *sampler.Sampler
	log       *slog.Logger
	processes sync.Map // *Learner by pid
}

// NewLearners makes Learners for the rules of a tree. They need a sampler before the first sample: see Connect.
func NewLearners(tree *reqctx.Tree, log *slog.Logger) *Learners {
	return &Learners{tree: tree, log: log}
}

// Connect says which sampler's maps take the answers. The sampler calls Answer, so it comes later than the Learners.
func (l *Learners) Connect(s *sampler.Sampler) { l.sampler = s }

// Learner answers for one process.
type Learner struct {
	mu      sync.Mutex
	id      uint32 // of the process, in the BPF program
	learner *reqctx.Learner
	asked   map[hashRequest]time.Time
	// unknownClasses are C++ classes that libuv's pool worked on, with how often objects of them were not known.
	unknownClasses map[uint64]int
	// isolates are those that have async_hooks, with when the BPF program asked for them first.
	isolates map[bpf.EnvironmentKey]time.Time
}

// Learner makes one for a process, which has a number in the BPF program.
func (l *Learners) Learner(p *process.Process, id uint32) *Learner {
	return &Learner{id: id, learner: reqctx.NewLearner(l.tree, p.Heap())}
}

// Add has a process's hashRequests answered from now on.
func (l *Learners) Add(pid int, one *Learner) { l.processes.Store(pid, one) }

// Remove ends that, unless another process has the pid by now.
func (l *Learners) Remove(pid int, one *Learner) { l.processes.CompareAndDelete(pid, one) }

// hashRequest asks for the hash of a name that large tables in an isolate may have. A table is large to read, and may
// not have the name at all, so it is answered seldom.
type hashRequest struct {
	isolate uint64
	name    uint8
}

const (
	askEvery        = time.Second
	maxHashRequests = 1 << 12
)

// mayAsk reports whether a hash was not asked for lately, and notes that it is.
func (p *Learner) mayAsk(q hashRequest) bool {
	now := time.Now()
	if now.Sub(p.asked[q]) < askEvery {
		return false
	}
	if p.asked == nil || len(p.asked) >= maxHashRequests {
		p.asked = map[hashRequest]time.Time{}
	}
	p.asked[q] = now
	return true
}

// StoreProperties are names of properties that the process's stores had.
func (p *Learner) StoreProperties() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.learner.StoreProperties...)
}
