package sourcemaps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// TestBuilds: a map that is written while it is read is read again, and one that never comes to rest is not used. What
// another machine's clock says of a file delays nothing.
func TestBuilds(t *testing.T) {
	m, p, said := mapper(t)
	m.unchanged = 75 * time.Millisecond // four times as long without a file of the script
	dir := t.TempDir()
	file := filepath.Join(dir, "x.js.map")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
	script := functions.MappedScript{Script: &heap.Script{Name: filepath.Join(dir, "x.js")}, URL: text("x.js.map")}
	write("half of a m")
	number := p.Add(script)
	write(aMap)
	if <-m.script[number].done; m.Stats().Loaded != 1 {
		t.Fatalf("%+v: %s", m.Stats(), said)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				write(aMap + strings.Repeat(" ", n))
			}
		}
	}()
	write(aMap + "\n")
	script.Script.LineOffset++
	known := add(m, p, script)
	close(stop)
	<-stopped
	if known.script.Map != nil || m.Stats().Broken != 1 || !strings.Contains(said.String(), errBuilds.Error()) {
		t.Errorf("%+v: %s", m.Stats(), said)
	}
	m.unchanged = unchangedFor
	now := time.Now()
	for at, most := range map[time.Time]time.Duration{
		now: unchangedFor, now.Add(-unchangedFor): 0, now.Add(time.Second): unchangedFor + time.Second,
		now.Add(time.Hour): 0,
	} {
		last := version{changed: unix.NsecToTimespec(at.UnixNano())}
		if wait := m.changing(pair{last, last}); wait > most || wait < most-time.Second/2 && most > 0 {
			t.Errorf("%v of now: waits %v", at.Sub(now), wait)
		}
	}
}
