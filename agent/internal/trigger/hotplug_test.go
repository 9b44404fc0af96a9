package trigger

import (
	"os"
	"testing"
	"time"
)

// TestWatchCPUs has the kernel send events of a CPU and of another device, as it does when one comes online.
func TestWatchCPUs(t *testing.T) {
	woken := make(chan struct{}, 9)
	h, err := WatchCPUs(func() { woken <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if h.Changed() {
		t.Error("a CPU has changed before any event")
	}
	for _, device := range []string{"virtual/mem/null", "system/cpu/cpu0"} {
		if err := os.WriteFile("/sys/devices/"+device+"/uevent", []byte("change"), 0); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-woken:
	case <-time.After(time.Minute):
		t.Fatal("the event of a CPU wakes nobody")
	}
	if !h.Changed() || h.Changed() {
		t.Error("a change is not reported once")
	}
	if len(woken) > 0 {
		t.Error("the event of another device wakes, too")
	}
}
