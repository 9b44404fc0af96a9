package jobs

import "time"

// Schedule lists when to read a process again that has just started: its libraries are mapped one after the other.
type Schedule []time.Time

// AfterStart returns the times at which to read a process that has started now: until 3 s after it.
func AfterStart(now time.Time) Schedule {
	var s Schedule
	for _, after := range []time.Duration{1, 5, 10, 20, 50, 150, 400, 1000, 3000} {
		s = append(s, now.Add(after*time.Millisecond))
	}
	return s
}

// Next is the next time; zero: there is none.
func (s Schedule) Next() time.Time {
	if len(s) == 0 {
		return time.Time{}
	}
	return s[0]
}

// Due reports whether the next time has passed, and removes it.
func (s *Schedule) Due(now time.Time) bool {
	if len(*s) == 0 || now.Before((*s)[0]) {
		return false
	}
	*s = (*s)[1:]
	return true
}

// Earliest returns the first of two times. Zero is never.
func Earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
