package symbolize

import "time"

// period is how long, in nanoseconds, a cache keeps what is not used: once at least, and twice at most.
const period = int64(time.Minute)

// aged is a cache that forgets what is not used any more, so that it holds what runs now, and not all that ever ran.
type aged[K comparable, V any] struct {
	most          int // entries in each map
	recent, older map[K]V
	since         int64 // when recent was begun, as sampler.Now
}

func newAged[K comparable, V any](most int) aged[K, V] {
	return aged[K, V]{most: most, recent: map[K]V{}}
}

func (a *aged[K, V]) get(key K, now int64) (V, bool) {
	v, ok := a.recent[key]
	if ok {
		return v, true
	}
	if v, ok = a.older[key]; ok {
		a.put(key, v, now)
	}
	return v, ok
}

func (a *aged[K, V]) put(key K, value V, now int64) {
	if len(a.recent) >= a.most || now-a.since > period {
		a.recent, a.older, a.since = map[K]V{}, a.recent, now
	}
	a.recent[key] = value
}

// len is the number of entries; those that were used in both periods count twice.
func (a *aged[K, V]) len() int { return len(a.recent) + len(a.older) }

func (a *aged[K, V]) forget() { a.recent, a.older = map[K]V{}, nil }
