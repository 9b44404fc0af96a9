package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// inFlight is what hotspan inspect prints of requests in flight.
type inFlight struct {
	Requests []struct {
		Labels       map[string]any
		Stores       []struct{ Text string }
		OnlyPromises bool
		Waits        []wait
	}
	Others                                   []wait
	NotReadBytes, ChangedBytes, BeganOrEnded int
}

type wait struct {
	By, Kind, What, Function, File string
	DelayMS, SinceMS               float64
	Line                           int
}

// TestRequests: the requests that wait in a core, and in a process that runs, are those that the program says, each
// with what it waits for. Others have waited before, and what they had is still on the heap.
func TestRequests(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	script, err := filepath.Abs("testdata/requests.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions() {
		if options, ok := v.AsyncContextFrame(); ok {
			t.Run(v.Version, func(t *testing.T) { requestsOf(t, v.Version, append(options, script)...) })
		}
		t.Run(v.Version+" with async_hooks", func(t *testing.T) {
			requestsOf(t, v.Version, append(v.AsyncHooks(), script)...)
		})
	}
}

func requestsOf(t *testing.T, version string, arguments ...string) {
	t.Helper()
	script := arguments[len(arguments)-1]
	t.Run("died", func(t *testing.T) {
		live.NeedCores(t)
		dir := t.TempDir()
		checkRequests(t, dir, script, live.Core(t, version, append(arguments, dir, "abort")...))
	})
	t.Run("lives", func(t *testing.T) {
		dir := t.TempDir()
		p := live.Start(t, version, append(arguments, dir, "wait")...)
		defer syscall.Kill(p.PID, syscall.SIGKILL)
		checkRequests(t, dir, script, "-p", strconv.Itoa(p.PID))
	})
}

func checkRequests(t *testing.T, dir, script string, of ...string) {
	t.Helper()
	var said map[string][][]any
	text, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	var got inFlight
	err = errors.Join(err, json.Unmarshal(text, &said),
		inspect(&got, append(of, "requests", "--label", "tenant=tenant")...))
	if err != nil || len(said) < 10 {
		t.Fatalf("%v: %s", err, text)
	}
	want, have := map[string][]string{}, map[string][]string{}
	for tenant, waits := range said {
		for _, w := range waits {
			want[tenant] = append(want[tenant], fmt.Sprint(w...))
		}
		slices.Sort(want[tenant])
	}
	for _, q := range got.Requests {
		tenant, _ := q.Labels["tenant"].(string)
		if _, twice := have[tenant]; twice {
			t.Errorf("%s is there twice", tenant)
		}
		text := fmt.Sprintf("Request { tenant: '%s', notes: { of: '%[1]s' } }", tenant)
		if !strings.Contains(strings.Join(strings.Fields(fmt.Sprint(q.Stores)), " "), text) {
			t.Errorf("%s: stores %v", tenant, q.Stores)
		}
		other := slices.ContainsFunc(q.Waits, func(w wait) bool { return w.By != "promise" })
		if other == q.OnlyPromises {
			t.Errorf("%s: only promises: %v", tenant, q.OnlyPromises)
		}
		have[tenant] = textOf(q.Waits, script)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%d bytes changed, %d waits: %s", got.ChangedBytes, got.BeganOrEnded, diff)
	}
	if len(textOf(got.Others, script)) < 3 { // the server, and two that open a file
		t.Errorf("of no request: %+v", got.Others)
	}
}

// textOf is what the program would say. How functions of Node.js itself await each other it does not.
func textOf(waits []wait, script string) (out []string) {
	for _, w := range waits {
		if w.By == "promise" && w.File != script {
			continue
		}
		if w.By == "timer" && w.DelayMS > 0 {
			w.What = fmt.Sprint(w.DelayMS)
		}
		out = append(out, fmt.Sprint(w.By, w.Kind, w.What, w.Function, w.Line))
	}
	slices.Sort(out)
	return out
}

// TestRequestsBusy: in a process that makes and collects garbage all the time, requests that wait for ever are found
// with what they wait for, or their waits are counted as those that changed meanwhile; a look in which V8 moves little
// finds all. No wait has the labels of another request, or those of two.
func TestRequestsBusy(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	const requests, looks = 100, 8
	script, err := filepath.Abs("testdata/busy.js")
	if err != nil {
		t.Fatal(err)
	}
	list := versions()
	if !*all {
		list = list[len(list)-1:]
	}
	for _, v := range list {
		t.Run(v.Version, func(t *testing.T) {
			p := live.Start(t, v.Version, script)
			defer syscall.Kill(p.PID, syscall.SIGKILL)
			for range looks {
				hang, changed := lookAtBusy(t, p.PID)
				if hang == requests {
					return
				}
				if t.Logf("%d of %d, and %d waits began or ended", hang, requests, changed); hang+changed < requests {
					t.Errorf("%d requests that hang are not counted", requests-hang-changed)
				}
			}
			t.Errorf("not all were found in %d looks", looks)
		})
	}
}

// lookAtBusy returns how many requests are found that wait for ever, and how many waits are counted as changed.
func lookAtBusy(t *testing.T, pid int) (hang, changed int) {
	t.Helper()
	var got inFlight
	err := inspect(&got, "-p", strconv.Itoa(pid), "requests", "--label", "tenant=tenant", "--label", "n=n")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range got.Requests {
		tenant, _ := q.Labels["tenant"].(string)
		function := "quick"
		if strings.HasPrefix(tenant, "hangs") {
			function = "hangs"
			hang++
		}
		if tenant != fmt.Sprint(function, q.Labels["n"]) {
			t.Errorf("labels %v of stores %v", q.Labels, q.Stores)
		}
		for _, w := range q.Waits {
			if w.By == "promise" && w.Function != function && w.Function != "again" ||
				w.By == "timer" && (w.DelayMS == 10000000) != (function == "hangs") {
				t.Errorf("%s waits for %+v", tenant, w)
			}
		}
	}
	return hang, got.BeganOrEnded
}
