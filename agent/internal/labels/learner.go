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

// Learners answer the requests of the BPF program: where objects of a hidden class keep their properties, hashes of
// names, which rules apply to the store of an AsyncLocalStorage. They are safe for concurrent use: the sampler calls
// Answer on the goroutine that reads records, not on the one that names samples. Naming may take long, and until a
// request is answered, samples with that hidden class lack labels.
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

// Connect sets the sampler whose BPF maps receive the answers. The sampler calls Answer, so it is made after the
// Learners.
func (l *Learners) Connect(s *sampler.Sampler) { l.sampler = s }

// Learner answers the requests about one process.
type Learner struct {
	mu      sync.Mutex
	id      uint32 // of the process, in the BPF program
	learner *reqctx.Learner
	asked   map[hashRequest]time.Time
	// unknownClasses counts, by C++ class of work of libuv's pool, how often an object of the class was not recognized.
	unknownClasses map[uint64]int
	// isolates has, by isolate with async_hooks, the time of the first request.
	isolates map[bpf.EnvironmentKey]time.Time
}

// Learner makes a Learner for a process. id is its bpf.Process.Id.
func (l *Learners) Learner(p *process.Process, id uint32) *Learner {
	return &Learner{id: id, learner: reqctx.NewLearner(l.tree, p.Heap())}
}

// Add starts to answer the requests about a process.
func (l *Learners) Add(pid int, one *Learner) { l.processes.Store(pid, one) }

// Remove ends that, unless another process has the pid now.
func (l *Learners) Remove(pid int, one *Learner) { l.processes.CompareAndDelete(pid, one) }

// hashRequest is a request for the hash of a name that large tables in an isolate may have. A table is slow to read and
// may lack the name, so requests are answered at a limited rate.
type hashRequest struct {
	isolate uint64
	name    uint8
}

const (
	askEvery        = time.Second
	maxHashRequests = 1 << 12
)

// mayAsk reports whether a hash was not requested recently, and records this request.
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

// StoreProperties returns names of properties that the process's stores have had.
func (p *Learner) StoreProperties() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.learner.StoreProperties...)
}
