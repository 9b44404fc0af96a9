package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/analysis"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/screen"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/pprofx/report/window"
)

// recorded returns the snapshots of a file.
func recorded(t *testing.T, file string) (all []*pprofx.Snapshot) {
	t.Helper()
	err := new(recording.FilterFlags).EachRecorded(terminal.Console{}, []string{file}, func(s *pprofx.Snapshot) error {
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// printedTop is what top prints of the samples of a file.
func printedTop(t *testing.T, file string, flags tableFlags, columns int) string {
	t.Helper()
	var out bytes.Buffer
	ended := false
	flags.Interval = time.Second
	p := &topPrinter{tableFlags: flags, to: &out, columns: columns, stop: func() { ended = true }}
	p.soFar(agent.Progress{Samples: 100, WithJS: 100, Named: 99, Requests: 50, Labelled: 50, Lost: 3})
	for _, s := range recorded(t, file) {
		p.add(s)
	}
	if err := p.end(); err != nil || ended != (flags.Count == 1) {
		t.Errorf("%v, ended %v", err, ended)
	}
	return out.String()
}

// The same samples give the same numbers in top and in a report.
func TestTopEqualsReport(t *testing.T) {
	file := recordingtest.Ranking(t)
	var out bytes.Buffer
	v := analysis.Report{Files: []string{file}}
	v.JSON, v.Lines = true, 12
	if err := v.Run(&out, terminal.Console{}); err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := json.Unmarshal(out.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	line := printedTop(t, file, tableFlags{JSON: true, Count: 1}, 80)
	if err := json.Unmarshal([]byte(line), &got); err != nil || strings.Count(line, "\n") != 1 {
		t.Fatalf("%v: %s", err, line)
	}
	if so := got["soFar"].(map[string]any); so["lost"] != 3.0 || so["named"] != 99.0 {
		t.Errorf("so far: %v", so)
	}
	delete(got, "soFar")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTopPrint(t *testing.T) {
	file := recordingtest.Ranking(t)
	want := strings.TrimLeft(`
1.00 s of CPU in 100 samples of 1s, lost (ring buffer full 3)
gc 30 %, js 70 %
so far: 3 lost, all JavaScript named 99.0 %, samples in requests labelled 100.0 %
  %SELF    %tot  function                 line
 50.0 %  50.0 %  idle                     x/idle.js:3
 50.0 %  50.0 %  rank [2J                 …utes/ranking.js:7

`, "\n")
	if diff := cmp.Diff(want, printedTop(t, file, tableFlags{Lines: 12}, 60)); diff != "" {
		t.Error(diff)
	}
	want = strings.TrimLeft(`
1.00 s of CPU in 100 samples of 1s, lost (ring buffer full 3)
gc 30 %, js 70 %
so far: 3 lost, all JavaScript named 99.0 %, samples in requests labelled 100.0 %
     SELF   %SELF  route
   500 ms  50.0 %  (no route)
  … and 1 more

`, "\n")
	if diff := cmp.Diff(want, printedTop(t, file, tableFlags{Lines: 1, By: report.Routes}, 100)); diff != "" {
		t.Error(diff)
	}
}

// TestTopFrom: where there is room, a function of a package has the application's call.
func TestTopFrom(t *testing.T) {
	rows := []window.Row{{
		Part: report.Part{Name: "merge", File: "/srv/node_modules/lodash/lodash.js", Line: 5}, Own: 8, Total: 10,
		Classes: report.Counts{report.Native: 8},
		From:    &report.Place{Name: "withConfig", File: "/srv/app/config.js", Line: 3, Samples: 8},
	}}
	for columns, want := range map[int]string{
		119: "", 120: "  from withConfig app/config.js:3, native…",
		144: "  from withConfig app/config.js:3, native 100 %",
	} {
		table := topTable{&window.Table{Report: &report.Report{Period: 1e7, Samples: 10}}, window.Query{}, columns}
		got := table.rows(rows)[0]
		if !strings.HasSuffix(got, want) || strings.Contains(got, "from") != (want != "") {
			t.Errorf("%d columns: %q, want …%q", columns, got, want)
		}
	}
}

// shownTop is the screen of top on a terminal.
type shownTop struct {
	*testing.T
	term vt.MockTerm
	view *topView
	end  chan error
}

func showTop(t *testing.T, columns vt.Col) *shownTop {
	t.Helper()
	t.Setenv("COLUMNS", "")
	s := &shownTop{t, vt.NewMockTerm(vt.MockOptSize{X: columns, Y: 24}), newTopView("hotspan top of process 7",
		report.Functions, 10*time.Second), make(chan error, 1)}
	s.view.soFar(agent.Progress{WithJS: 100, Named: 99, Requests: 50, Labelled: 50, Lost: 3})
	for _, snapshot := range recorded(t, recordingtest.Ranking(t)) {
		s.view.add(snapshot)
	}
	go func() { s.end <- screen.Show(context.Background(), s.term, s.view, s.view.changed) }()
	s.shows("q quit")
	return s
}

func (s *shownTop) text() string {
	var b strings.Builder
	size := s.term.Backend().GetSize()
	for y := range size.Y {
		var row strings.Builder
		for x := range size.X {
			row.WriteString(s.term.GetCell(vt.Coord{X: x, Y: y}).C)
		}
		b.WriteString(strings.TrimRight(row.String(), " \x00") + "\n")
	}
	return b.String()
}

// shows waits until the screen has a text.
func (s *shownTop) shows(what string) {
	s.Helper()
	for range 1000 {
		if strings.Contains(s.text(), what) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.Fatalf("not in 5 s: %q on\n%s", what, s.text())
}

func (s *shownTop) press(keys string) { s.term.SendRaw([]byte(keys)) }

func TestTopScreen(t *testing.T) {
	s := showTop(t, 60)
	want := strings.TrimLeft(`
hotspan top of process 7
1.00 s of CPU in 100 samples of 1s, lost (ring buffer full
  3)
so far: 3 lost, all JavaScript named 99.0 %, samples in
  requests labelled 100.0 %
gc 30 %, js 70 %
  %SELF    %tot  trend    function            line
 50.0 %  50.0 %         █ idle                x/idle.js:3
 50.0 %  50.0 %         █ rank [2J            …/ranking.js:7
  0.0 %  50.0 %           sort
`, "\n")
	if diff := cmp.Diff(want, s.text()[:len(want)]); diff != "" {
		t.Error(diff)
	}
	s.term.SetSize(vt.Coord{X: 160, Y: 12})
	s.shows("     SELF   %SELF     total    %tot  trend    function                           line")
	s.shows("   500 ms  50.0 %    500 ms  50.0 %         █ rank [2J                           " +
		"routes/ranking.js:7       gc 60 %")
	s.shows("samples in requests labelled 100.0 %")
	s.press("q")
	if err := <-s.end; err != nil {
		t.Error(err)
	}
	var last bytes.Buffer
	newTopView("of nothing", report.Functions, time.Second).printLast(&last)
	if last.Len() > 0 {
		t.Errorf("of nothing: %s", &last)
	}
	s.view.printLast(&last)
	if text := last.String(); !strings.Contains(text, "routes/ranking.js:7") || strings.Contains(text, "q quit") {
		t.Errorf("the last state: %s", text)
	}
}

// COLUMNS makes the table narrower than the terminal.
func TestTopColumns(t *testing.T) {
	s := showTop(t, 160)
	s.shows("     SELF   %SELF     total")
	t.Setenv("COLUMNS", "60")
	s.press("S")
	s.shows("\n  %SELF    %tot  trend    function            line\n")
	s.press("q")
	<-s.end
}

// Each key does what the help says.
func TestTopKeys(t *testing.T) {
	s := showTop(t, 100)
	for _, step := range []struct{ keys, shows string }{
		{"s", "TOTAL    %TOT"},
		{"S1", "SELF   %SELF"},
		{"3", "FUNCTION"},
		{"2", "TOTAL"},
		{"g", "(no route)"},
		{"j\r", "> route /ranking"},
		{"/sor", "filter: sor_"},
		{"\r", `filter "sor" leaves out 1 rows`},
		{"c", "q quit"},
		{"\x7f", "(no route)"},
		{"g", "trace    "},
		{"t", "MainThread"},
		{"?", "Any key goes back."},
		{" ", "MainThread"},
		{"p", "PAUSED"},
		{"r", "0 ms of CPU in 0 samples"},
		{"+", "the rate cannot be changed"},
	} {
		if step.shows == "MainThread" {
			step.shows = "node"
		}
		s.press(step.keys)
		s.shows(step.shows)
	}
	if s.press("x"); strings.Contains(s.text(), "PAUSED") {
		t.Error("r does not end the pause")
	}
	s.press("\x03")
	if err := <-s.end; err != nil {
		t.Error(err)
	}
}

// While the screen is paused, samples go on to the window.
func TestTopPause(t *testing.T) {
	s := showTop(t, 100)
	s.shows("in 100 samples")
	s.press("p")
	s.shows("PAUSED")
	another := *recorded(t, recordingtest.Ranking(t))[0]
	s.view.add(&another)
	s.press("g")
	s.shows("(no route)")
	s.shows("in 100 samples")
	s.press("p")
	s.shows("in 200 samples")
	rates := make(chan int, 1)
	s.view.follow(99, func(n int) error { rates <- n; return nil })
	s.press("+")
	s.shows("198 Hz")
	if got := <-rates; got != 198 {
		t.Errorf("rate %d", got)
	}
	s.press("q")
	<-s.end
}

func TestHeldMessages(t *testing.T) {
	var out bytes.Buffer
	h := &heldMessages{to: &out}
	for _, text := range []string{"first\n", strings.Repeat("x", mostHeld), "last\n"} {
		if n, err := h.Write([]byte(text)); n != len(text) || err != nil {
			t.Error(n, err)
		}
	}
	h.print()
	if want := "first\n… and 65541 bytes more, which were not kept\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
