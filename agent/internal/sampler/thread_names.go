package sampler

import "strings"

// ThreadNames keep the names of threads, of which most samples have one that was seen before. They are not safe for
// concurrent use. Make them with make.
type ThreadNames map[[16]int8]string

// maxThreadNames bounds the names that are kept of one process.
const maxThreadNames = 1024

// Of returns the name of the sampled thread. Node.js calls the main thread MainThread, from 26 on node-MainThread.
// Linux names a new thread like the one that starts it, so those of add-ons have that name too, unless they set one.
func (n ThreadNames) Of(s *Sample) string {
	name := n.asSet(s)
	if s.Tid != s.Pid && strings.HasSuffix(name, "MainThread") {
		return name + " (another)"
	}
	return name
}

// asSet returns the name that the kernel has of the sampled thread.
func (n ThreadNames) asSet(s *Sample) string {
	if name, ok := n[s.Comm]; ok {
		return name
	}
	name := s.ThreadName()
	if len(n) < maxThreadNames {
		n[s.Comm] = name
	}
	return name
}
