package functions

import (
	"testing"
	"time"
)

// Where there was no code is looked at again soon, and then ever more seldom.
func TestMissesLastLonger(t *testing.T) {
	m := misses{}
	want := []time.Duration{8, 16, 32, 64, 128, 256, 256}
	for _, milliseconds := range want {
		m.add(5)
		last := m[5]
		if last.lasts != milliseconds*time.Millisecond || !m.has(5) || m.has(6) {
			t.Fatalf("%+v, want %d ms", last, milliseconds)
		}
		last.at = last.at.Add(-last.lasts)
		m[5] = last
		if m.has(5) {
			t.Errorf("still missed after %v", last.lasts)
		}
	}
	for pc := range uint64(2 * maxMisses) {
		m.add(pc)
	}
	if len(m) > maxMisses {
		t.Errorf("%d misses are kept", len(m))
	}
}
