package agent

// async runs what takes long, such as reading the files that a new process runs, beside the samples: what they refer to
// in a process must be read within milliseconds.
type async struct {
	jobs    chan func() (then func())
	results chan func()
	pending int // jobs without a result
}

// maxJobs bounds the jobs that wait. Each is a process that has started, or one whose mappings have changed.
const maxJobs = 4096

func newAsync() async {
	return async{jobs: make(chan func() func(), maxJobs), results: make(chan func(), maxJobs)}
}

// work does the jobs, one after the other, until there will be no more.
func (q *async) work() {
	for job := range q.jobs {
		q.results <- job()
	}
}

// run has a job done by another goroutine, and then what it returns by the one that drains the results. It is false,
// and nothing is done, where too many jobs wait.
func (q *async) run(job func() (then func())) bool {
	if q.pending == maxJobs {
		return false
	}
	q.pending++
	q.jobs <- job
	return true
}

// drainResults does what is left to do of the jobs that are done.
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
