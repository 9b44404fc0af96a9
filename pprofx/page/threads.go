package page

import (
	"encoding/json"

	"github.com/hotspan/hotspan/pprofx"
)

// threads interns threads and their processes. A pid of two snapshots may be of two processes, on two machines even:
// processes are one only if all that is known of them is equal.
type threads struct {
	texts *texts

	list      []thread
	byThread  map[thread]int32
	processes []process
	byProcess map[string]int32 // by all of it as JSON
}

type thread struct{ process, tid, name int32 } // name is the number of a text

type process struct {
	PID        int32       `json:"pid"`
	Service    string      `json:"service,omitempty"`
	Executable string      `json:"executable,omitempty"`
	Container  string      `json:"container,omitempty"`
	Attributes [][2]string `json:"attributes,omitempty"`
}

func newThreads(t *texts) *threads {
	return &threads{texts: t, byThread: map[thread]int32{}, byProcess: map[string]int32{}}
}

// of returns a function that returns the numbers of the threads of rows of a snapshot.
func (t *threads) of(s *pprofx.Snapshot) func(*pprofx.Row) int32 {
	processes := map[int32]int32{}
	type local struct{ pid, tid, name int32 }
	numbers := map[local]int32{}
	return func(r *pprofx.Row) int32 {
		key := local{r.PID, r.TID, r.Thread}
		if n, ok := numbers[key]; ok {
			return n
		}
		process, ok := processes[r.PID]
		if !ok {
			process = t.process(r.PID, s.Processes[int(r.PID)])
			processes[r.PID] = process
		}
		n := t.thread(thread{process, r.TID, t.texts.number(s.Threads[r.Thread])})
		numbers[key] = n
		return n
	}
}

func (t *threads) process(pid int32, p pprofx.Process) int32 {
	shown := process{PID: pid, Service: p.Service, Executable: p.Executable, Container: p.Container}
	for i := range p.Attributes {
		shown.Attributes = append(shown.Attributes, [2]string{p.Attributes[i].Key, p.Attributes[i].Text()})
	}
	key, _ := json.Marshal(shown) // texts and numbers: it cannot fail
	n, ok := t.byProcess[string(key)]
	if !ok {
		n = int32(len(t.processes))
		t.processes = append(t.processes, shown)
		t.byProcess[string(key)] = n
	}
	return n
}

func (t *threads) thread(of thread) int32 {
	n, ok := t.byThread[of]
	if !ok {
		n = int32(len(t.list))
		t.list = append(t.list, of)
		t.byThread[of] = n
	}
	return n
}
