// Package jobs runs slow jobs, such as reading the files of a new process, on other goroutines than the one that
// handles samples: what a sample refers to in a process must be read within milliseconds.
package jobs

import (
	"slices"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/share"
)

// Queue runs the jobs of one process one after the other, in the order in which they were queued, and those of
// different processes side by side, those of different users in turn: one whose files are slow delays no other, and
// nobody can keep all others waiting. All of its methods but Post are for one goroutine.
type Queue struct {
	results chan func()
	pending *share.Shares[procs.User] // jobs without a result
	notify  func()                    // called when there is a result
	userOf  func(pid int) procs.User

	mu      sync.Mutex
	some    sync.Cond // that there is a process for a worker, or that the queue is closed
	closed  bool
	workers int                            // goroutines that run jobs
	slow    int                            // workers that have another in their place
	running *share.Shares[procs.User]      // processes that a worker has
	ready   map[procs.User][]int           // processes that wait for a worker
	turns   []procs.User                   // of these, in the order of their turns
	jobs    map[int][]func() (then func()) // that wait, by process; of one that is ready or running maybe none
}

const (
	// maxJobs bounds the queue. Each job is a process that started, or one whose mappings changed. Those of one user
	// are half of what others leave, at most.
	maxJobs, userJobs = 4096, 0.5
	// maxWorkers bounds the processes whose jobs run at a time: most of them wait, for a file or for each other.
	maxWorkers = 8
	// maxSlow bounds those whose jobs have taken longer than slowAfter, for which others run. Each may keep a thread.
	// Of the processes whose jobs run, slow or not, one user has half of what others leave, at most.
	maxSlow, userRunning = 64, 0.5
)

// slowAfter is how long a process has a worker before that has another in its place.
const slowAfter = time.Second

// All is in the place of a process for jobs that concern all processes. They run beside those of single ones.
const All = 0

// New makes a Queue that calls notify, on any goroutine, when DrainResults has something to do.
func New(notify func()) *Queue {
	q := &Queue{
		results: make(chan func(), maxJobs), notify: notify, userOf: procs.UserOf, jobs: map[int][]func() func(){},
		ready: map[procs.User][]int{}, pending: share.New[procs.User](maxJobs, userJobs),
		running: share.New[procs.User](maxWorkers+maxSlow, userRunning),
	}
	q.some.L = &q.mu
	return q
}

// Close ends the workers when they have run what was queued. No job may be queued any more.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.some.Broadcast()
}

// Full reports whether Run would refuse a job of a process.
func (q *Queue) Full(pid int) bool {
	user := q.of(pid)
	if !q.pending.Take(user, 1) {
		return true
	}
	q.pending.Give(user, 1)
	return false
}

// of is the user of a process.
func (q *Queue) of(pid int) procs.User {
	if pid == All {
		return procs.Nobody
	}
	return q.userOf(pid)
}

// Run queues a job of a process, which runs on a goroutine of the Queue. The function that the job returns runs on the
// goroutine that drains the results. It returns false, and queues nothing, if the queue is full, or has as many jobs of
// the same user's processes as it may.
func (q *Queue) Run(pid int, job func() (then func())) bool {
	user := q.of(pid)
	if !q.pending.Take(user, 1) {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, begun := q.jobs[pid]
	q.jobs[pid] = append(waiting, func() func() {
		then := job()
		return func() {
			q.pending.Give(user, 1)
			then()
		}
	})
	if begun {
		return true
	}
	if len(q.jobs) > q.workers && q.workers < maxWorkers {
		q.workers++
		go q.work()
	}
	if len(q.ready[user]) == 0 {
		q.turns = append(q.turns, user)
	}
	q.ready[user] = append(q.ready[user], pid)
	q.some.Signal()
	return true
}

// work runs jobs until Close, or until another worker has its place.
func (q *Queue) work() {
	for {
		pid, user, ok := q.take()
		if !ok {
			return
		}
		w := new(worker)
		slow := time.AfterFunc(slowAfter, func() { q.replace(w) })
		q.runAll(pid)
		slow.Stop()
		if q.end(w, user) {
			return
		}
	}
}

// take waits for a process of a user who may have one more run. It is false after Close.
func (q *Queue) take() (pid int, user procs.User, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for i, user := range q.turns {
			if !q.running.Take(user, 1) {
				continue
			}
			pids := q.ready[user]
			q.turns = slices.Delete(q.turns, i, i+1)
			if q.ready[user] = pids[1:]; len(pids) > 1 {
				q.turns = append(q.turns, user)
			} else {
				delete(q.ready, user)
			}
			return pids[0], user, true
		}
		if q.closed && len(q.turns) == 0 {
			return 0, 0, false
		}
		q.some.Wait()
	}
}

// runAll runs the jobs of a process.
func (q *Queue) runAll(pid int) {
	defer priority.Background()()
	for job := q.next(pid); job != nil; job = q.next(pid) {
		q.results <- job()
		q.notify()
	}
}

// worker runs the jobs of a process.
type worker struct{ replaced, ended bool }

// replace begins another worker in the place of one that is slow, as far as there may be more.
func (q *Queue) replace(w *worker) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.ended || q.slow >= maxSlow {
		return
	}
	w.replaced = true
	q.slow++
	go q.work()
}

// end notes that a worker has run the jobs of its process, and reports whether another has its place.
func (q *Queue) end(w *worker, user procs.User) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running.Give(user, 1)
	q.some.Broadcast() // those of the user may wait for that
	w.ended = true
	if w.replaced {
		q.slow--
	}
	return w.replaced
}

// next takes the next job of a process; nil: there is none, and no worker has the process any more.
func (q *Queue) next(pid int) func() func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.jobs[pid]
	if len(waiting) == 0 {
		delete(q.jobs, pid)
		return nil
	}
	q.jobs[pid] = waiting[1:]
	return waiting[0]
}

// Post has a function run on the goroutine that drains the results. It may be called on any goroutine.
func (q *Queue) Post(then func()) {
	q.results <- then
	q.notify()
}

// Pending returns the number of jobs whose result was not drained.
func (q *Queue) Pending() int { return q.pending.All() }

// DrainResults runs the functions that finished jobs have returned.
func (q *Queue) DrainResults() {
	for {
		select {
		case then := <-q.results:
			then()
		default:
			return
		}
	}
}

// Wait waits until a job has finished, and runs the function that it has returned. It is false if none has in time.
func (q *Queue) Wait(most time.Duration) bool {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case then := <-q.results:
		then()
		return true
	case <-late.C:
		return false
	}
}

// WaitAll waits until all jobs have finished, and runs the functions that they have returned. If none finishes for some
// time, it asks whether it is to give up, and again after as long: after is how long none has.
func (q *Queue) WaitAll(every time.Duration, giveUp func(after time.Duration) bool) {
	for after := every; q.Pending() > 0; after += every {
		if q.Wait(every) {
			after = 0
		} else if giveUp(after) {
			return
		}
	}
}
