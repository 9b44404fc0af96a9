package sampler

// ThreadNames keep the names of threads, of which most samples have one that was seen before. They are not safe for
// concurrent use. Make them with make.
type ThreadNames map[[16]int8]string

// maxThreadNames bounds the names that are kept of one process.
const maxThreadNames = 1024

// Of returns the name of the sampled thread.
func (n ThreadNames) Of(s *Sample) string {
	if name, ok := n[s.Comm]; ok {
		return name
	}
	name := s.ThreadName()
	if len(n) < maxThreadNames {
		n[s.Comm] = name
	}
	return name
}
