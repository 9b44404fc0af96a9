// Package jobs runs slow jobs, such as reading the files of a new process, on other goroutines than the one that
// handles samples: what a sample refers to in a process must be read within milliseconds.
package jobs

import (
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/priority"
)

// Queue runs the jobs of one process one after the other, in the order in which they were queued, and those of
// different processes side by side: one whose files are slow delays no other. All of its methods but Post are for one
// goroutine.
type Queue struct {
	ready   chan int // processes with jobs that no worker has begun with
	results chan func()
	pending int    // jobs without a result
	workers int    // goroutines that run jobs
	notify  func() // called when there is a result

	mu   sync.Mutex
	slow int                            // workers that have another in their place
	jobs map[int][]func() (then func()) // that wait, by process; of one that is ready, or that a worker has, maybe none
}

const (
	// maxJobs bounds the queue. Each job is a process that started, or one whose mappings changed.
	maxJobs = 4096
	// maxWorkers bounds the processes whose jobs run at a time: most of them wait, for a file or for each other.
	maxWorkers = 8
	// maxSlow bounds those whose jobs have taken longer than slowAfter, for which others run. Each may keep a thread.
	maxSlow = 64
)

// slowAfter is how long a process has a worker before that has another in its place.
const slowAfter = time.Second

// All is in the place of a process for jobs that concern all processes. They run beside those of single ones.
const All = 0

// New makes a Queue that calls notify, on any goroutine, when DrainResults has something to do.
func New(notify func()) *Queue {
	return &Queue{
		ready: make(chan int, maxJobs), results: make(chan func(), maxJobs), notify: notify,
		jobs: map[int][]func() func(){},
	}
}

// Close ends the workers when they have run what was queued. No job may be queued any more.
func (q *Queue) Close() { close(q.ready) }

// Full reports whether Run would refuse a job.
func (q *Queue) Full() bool { return q.pending >= maxJobs }

// Run queues a job of a process, which runs on a goroutine of the Queue. The function that the job returns runs on the
// goroutine that drains the results. It returns false, and queues nothing, if the queue is full.
func (q *Queue) Run(pid int, job func() (then func())) bool {
	if q.Full() {
		return false
	}
	q.pending++
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, begun := q.jobs[pid]
	q.jobs[pid] = append(waiting, job)
	if begun {
		return true
	}
	if len(q.jobs) > q.workers && q.workers < maxWorkers {
		q.workers++
		go q.work()
	}
	q.ready <- pid
	return true
}

// work runs jobs until Close, or until another worker has its place.
func (q *Queue) work() {
	for pid := range q.ready {
		w := new(worker)
		slow := time.AfterFunc(slowAfter, func() { q.replace(w) })
		q.runAll(pid)
		slow.Stop()
		if q.end(w) {
			return
		}
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
func (q *Queue) end(w *worker) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
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
	q.results <- func() {
		q.pending++ // no job is done
		then()
	}
	q.notify()
}

// Pending returns the number of jobs whose result was not drained.
func (q *Queue) Pending() int { return q.pending }

// DrainResults runs the functions that finished jobs have returned.
func (q *Queue) DrainResults() {
	for {
		select {
		case then := <-q.results:
			q.finish(then)
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
		q.finish(then)
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

func (q *Queue) finish(then func()) {
	q.pending--
	then()
}
