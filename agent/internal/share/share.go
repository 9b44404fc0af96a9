// Package share divides what is scarce among those who want it, so that nobody has all of it.
package share

import "sync"

// Shares count what each has. They are safe for concurrent use.
type Shares[K comparable] struct {
	part float64

	mu        sync.Mutex
	most, all int
	of        map[K]int
}

// New makes Shares of most in all. Each may have a part, such as 0.5, of what the others leave, and one at least.
func New[K comparable](most int, part float64) *Shares[K] {
	return &Shares[K]{most: most, part: part, of: map[K]int{}}
}

// SetMost changes how much there is in all. What is taken stays.
func (s *Shares[K]) SetMost(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = most
}

// Take takes n more for one, or nothing if that is more than its share.
func (s *Shares[K]) Take(who K, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.of[who]
	left := s.most - s.all + own // by others
	if own+n > max(int(float64(left)*s.part), 1) || n > s.most-s.all {
		return false
	}
	s.all += n
	s.of[who] = own + n
	return true
}

// Give gives n back that one has.
func (s *Shares[K]) Give(who K, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all -= n
	if s.of[who] -= n; s.of[who] == 0 {
		delete(s.of, who)
	}
}

// All is what all of them have.
func (s *Shares[K]) All() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}
