package labels

import "github.com/hotspan/hotspan/pprofx"

// maxLabelSets bounds the sets of labels that are kept, twice. Those with ids come once or a few times while their
// request lasts; to decode one again takes some microseconds.
const maxLabelSets = 1 << 10

// labelSets caches sets of labels by the context bytes from which they were decoded. It forgets those that were not met
// for longest. The zero value is empty.
type labelSets struct{ recent, older map[string]labelSet }

// labelSet is what samples of a request have. start is as Process.RequestStart returns it. Where nothing is present the
// bytes only ask for something to be learned.
type labelSet struct {
	labels  []pprofx.Label
	start   int64
	present bool
}

func (s *labelSets) get(context []byte) (labelSet, bool) {
	if set, ok := s.recent[string(context)]; ok { // allocates no string
		return set, true
	}
	set, ok := s.older[string(context)]
	if ok {
		s.keep(string(context), set)
	}
	return set, ok
}

func (s *labelSets) keep(context string, set labelSet) {
	if s.recent == nil || len(s.recent) >= maxLabelSets {
		s.recent, s.older = map[string]labelSet{}, s.recent
	}
	s.recent[context] = set
}

// len is how many there are; those that were met again lately count twice.
func (s *labelSets) len() int { return len(s.recent) + len(s.older) }
