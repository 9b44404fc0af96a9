package agent

// control does what takes long, such as reading the files that a new process runs, beside the samples: what they refer
// to in a process must be read within milliseconds.
type control struct {
	jobs    chan func() (then func())
	results chan func()
	pending int // jobs without a result
}

// maxJobs bounds the jobs that wait. Each is a process that has started, or one whose mappings have changed.
const maxJobs = 4096

func newControl() control {
	return control{jobs: make(chan func() func(), maxJobs), results: make(chan func(), maxJobs)}
}

// work does the jobs, one after the other, until there will be no more.
func (c *control) work() {
	for job := range c.jobs {
		c.results <- job()
	}
}

// later has a job done by another goroutine, and then what it returns by this one.
func (a *Agent) later(job func() (then func())) {
	if a.control.pending == maxJobs {
		a.log.Warn("too many processes start at a time, one is not looked at")
		return
	}
	a.control.pending++
	a.control.jobs <- job
}

// settle takes the results that there are.
func (a *Agent) settle() {
	for {
		select {
		case then := <-a.control.results:
			a.control.pending--
			then()
		default:
			return
		}
	}
}
