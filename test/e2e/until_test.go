package e2e

import (
	"strings"
	"testing"
	"time"
)

// until waits until something holds, for a minute at most: on a busy machine everything takes longer. If it does not,
// the test ends with what said returns.
func until(t *testing.T, holds func() bool, said func() string) {
	t.Helper()
	const most = time.Minute
	for end := time.Now().Add(most); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", most, said())
		}
	}
}

// await waits until a process has written a text so many times.
func (b *buffer) await(t *testing.T, text string, times int) {
	t.Helper()
	until(t, func() bool { return strings.Count(b.String(), text) >= times }, func() string {
		return text + " in " + b.String()
	})
}

// untilEnough has try make a recording, and others of 2, 4 and 8 times the length until one is enough to judge by: what
// a program does in a time, and how many samples it has, depends on how much of the CPUs it gets. A test that has
// failed makes no more of them.
func untilEnough(t *testing.T, try func(times int) (enough bool)) {
	t.Helper()
	for times := 1; !try(times) && !t.Failed() && times < 8; times *= 2 {
		t.Logf("too little to judge by: recording again, %d times as long", 2*times)
	}
}
