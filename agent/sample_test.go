package agent

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/firstsample"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/pprofx"
)

// TestFirstSample: the first named sample of a run counts from the start of hotspan, that of a process that starts
// later from when hotspan met it. A quick start is logged for those only who ask for more messages.
func TestFirstSample(t *testing.T) {
	const ms = int64(time.Millisecond)
	now := sampler.Now()
	for _, c := range []struct {
		name                             string
		begun, opened, ready, sampling   int64 // milliseconds before now
		level, after, reading, samplingS string
	}{
		{"slow", 900, 700, 400, 100, "INFO", `9\d\dms`, "300ms", "800ms"},
		{"quick", 250, 200, 150, 90, "DEBUG", `2[5-9]\dms`, "50ms", "160ms"},
		{"idle", 5250, 5200, 5150, 5090, "DEBUG", `5\.[23]\d*s`, "50ms", "160ms"},
		{"started later, slow", 60000, 500, 100, 59000, "INFO", `5\d\dms`, "400ms", ""},
		{"started later", 60000, 500, 400, 59000, "DEBUG", `5\d\dms`, "100ms", ""},
	} {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		a := &Agent{first: firstsample.Log{Log: log, Begun: now - c.begun*ms, Sampling: now - c.sampling*ms}}
		one := func() *target {
			return &target{Process: &process.Process{PID: 7}, opened: now - c.opened*ms, ready: now - c.ready*ms}
		}
		first := one()
		a.logFirstSample(first, symbolize.Result{JS: true, Unnamed: true})
		a.logFirstSample(first, symbolize.Result{})
		if out.Len() > 0 {
			t.Errorf("%s: a sample without names counts: %s", c.name, &out)
		}
		a.logFirstSample(first, symbolize.Result{JS: true})
		a.logFirstSample(first, symbolize.Result{JS: true})
		want := `level=` + c.level + ` msg="first named sample" pid=7 after=` + c.after +
			` "reading its files"=` + c.reading
		if c.samplingS != "" {
			want += ` "sampling began after"=` + c.samplingS
		}
		if got := out.String(); !regexp.MustCompile(want+"\n").MatchString(got) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
		a.logFirstSample(one(), symbolize.Result{JS: true})
		if n := strings.Count(out.String(), "\n"); (n == 2) != strings.HasPrefix(c.name, "started") {
			t.Errorf("%s: %d messages for two processes", c.name, n)
		}
	}
}

// TestMalformedHits: a record that is malformed is lost with all hits that it stands for; one of which nothing is known
// is one sample.
func TestMalformedHits(t *testing.T) {
	b, err := live.NewBuilders(time.Unix(0, 0), time.Second, pprofx.HitCount)
	if err != nil {
		t.Fatal(err)
	}
	a := &Agent{builder: b}
	of := &sampler.Sample{Sample: &bpf.Sample{Probe: 1, Others: 9}}
	for _, s := range []*sampler.Sample{of, {}, nil} {
		a.handle(sampler.Record{Sample: s}, sampler.ErrMalformed)
	}
	a.handle(sampler.Record{Lifecycle: &bpf.Lifecycle{}}, sampler.ErrMalformed)
	if n := b.Cut(1)[0].Lost[pprofx.LostMalformed]; n != 12 {
		t.Errorf("%d are lost, want 12", n)
	}
}

// TestMalformedEvent: after the end of a process that could not be decoded, hotspan finds out which has ended.
func TestMalformedEvent(t *testing.T) {
	a, pids := attached(t, 2)
	if err := a.start(); err != nil {
		t.Fatal(err)
	}
	end(t, pids[0])
	a.countLosses()
	if len(a.targets) != 2 {
		t.Fatal("something else has told that the process has ended")
	}
	a.handle(sampler.Record{Lifecycle: &bpf.Lifecycle{}}, sampler.ErrMalformed)
	a.countLosses()
	if a.targets[pids[0]] != nil || a.targets[pids[1]] == nil {
		t.Errorf("%d processes are profiled", len(a.targets))
	}
}
