package sampler

import "strings"

// ThreadNames keep the names of threads, of which most samples have one that was seen before. They are not safe for
// concurrent use. Make them with make.
type ThreadNames map[threadName]string

// threadName is the name that the kernel has of a thread.
type threadName struct {
	comm [16]int8
	main bool // it is the main thread's
}

// maxThreadNames bounds the names that are kept of one process.
const maxThreadNames = 1024

// Of returns the name of the sampled thread. Node.js calls the main thread MainThread, from 26 on node-MainThread.
// Linux names a new thread like the one that starts it, so those of add-ons have that name too, unless they set one.
func (n ThreadNames) Of(s *Sample) string {
	key := threadName{s.Comm, s.Tid == s.Pid}
	if name, ok := n[key]; ok {
		return name
	}
	name := s.ThreadName()
	if !key.main && strings.HasSuffix(name, "MainThread") {
		name += " (another)"
	}
	if len(n) < maxThreadNames {
		n[key] = name
	}
	return name
}
