package agent

import (
	"github.com/hotspan/hotspan/agent/internal/priority"
)

// async runs slow jobs, such as reading the files of a new process, on another goroutine than the one that handles
// samples: what a sample refers to in a process must be read within milliseconds.
type async struct {
	jobs    chan func() (then func())
	results chan func()
	pending int    // jobs without a result
	notify  func() // called when there is a result
}

// maxJobs bounds the queue of jobs. Each job is a process that started, or one whose mappings changed.
const maxJobs = 4096

func newAsync(notify func()) async {
	return async{jobs: make(chan func() func(), maxJobs), results: make(chan func(), maxJobs), notify: notify}
}

// work runs jobs one after the other until the queue is closed.
func (q *async) work() {
	priority.Background()
	for job := range q.jobs {
		q.results <- job()
		q.notify()
	}
}

// run queues a job for the goroutine of work. The function that the job returns runs on the goroutine that drains the
// results. It returns false, and queues nothing, if the queue is full.
func (q *async) run(job func() (then func())) bool {
	if q.pending == maxJobs {
		return false
	}
	q.pending++
	q.jobs <- job
	return true
}

// post has a function run on the goroutine that drains the results. It may be called on any goroutine.
func (q *async) post(then func()) {
	q.results <- func() {
		q.pending++ // no job of work is done
		then()
	}
	q.notify()
}

// drainResults runs the functions that finished jobs have returned.
func (q *async) drainResults() {
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
