// Package jobs runs slow jobs, such as reading the files of a new process, on another goroutine than the one that
// handles samples: what a sample refers to in a process must be read within milliseconds.
package jobs

import "github.com/hotspan/hotspan/agent/internal/priority"

// Queue runs jobs one after the other. All of its methods but Post and Work are for one goroutine.
type Queue struct {
	jobs    chan func() (then func())
	results chan func()
	pending int    // jobs without a result
	notify  func() // called when there is a result
}

// maxJobs bounds the queue. Each job is a process that started, or one whose mappings changed.
const maxJobs = 4096

// New makes a Queue that calls notify, on any goroutine, when DrainResults has something to do.
func New(notify func()) *Queue {
	return &Queue{jobs: make(chan func() func(), maxJobs), results: make(chan func(), maxJobs), notify: notify}
}

// Work runs jobs until Close.
func (q *Queue) Work() {
	for job := range q.jobs {
		q.run(job)
	}
}

func (q *Queue) run(job func() (then func())) {
	defer priority.Background()()
	q.results <- job()
	q.notify()
}

// Close ends Work. No job may be queued any more.
func (q *Queue) Close() { close(q.jobs) }

// Run queues a job for the goroutine of Work. The function that the job returns runs on the goroutine that drains the
// results. It returns false, and queues nothing, if the queue is full.
func (q *Queue) Run(job func() (then func())) bool {
	if q.pending == maxJobs {
		return false
	}
	q.pending++
	q.jobs <- job
	return true
}

// Post has a function run on the goroutine that drains the results. It may be called on any goroutine.
func (q *Queue) Post(then func()) {
	q.results <- func() {
		q.pending++ // no job of Work is done
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
			q.pending--
			then()
		default:
			return
		}
	}
}
