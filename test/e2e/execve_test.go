package e2e

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx/report"
)

// rebornReport is a part of report.Report.
type rebornReport struct {
	Samples, Period int64
	Functions       []struct{ Name string }
	Stalls          []report.Stall
}

const (
	rebornTrace = "0af7651916cd43dd8448eb211c80319c"
	rebornBusy  = 750 * time.Millisecond // of CPU time, each service
)

// reborn is a recording of reborn.js.
type reborn struct {
	file string
	took map[string]time.Duration // for which each service was busy, by its own clock
}

// TestExecve: of a process that becomes another service each output has the samples of both, and none under the name of
// the other.
func TestExecve(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "first")
	t.Setenv("TRACE", rebornTrace)
	r := reborn{filepath.Join(t.TempDir(), "out.otlp"), map[string]time.Duration{}}
	r.record(t)
	t.Run("recording", r.recording)
	t.Run("pprof", r.pprof)
	t.Run("speedscope", r.speedscope)
	t.Run("cpuprofile", r.cpuProfile)
	t.Run("firefox", r.firefox)
	t.Run("trace", r.trace)
	t.Run("stalls", r.stalls)
}

func (r reborn) record(t *testing.T) {
	out := filepath.Join(t.TempDir(), "took")
	t.Setenv("OUT", out)
	said := run(t, "record", "-F", "199", "--label", "trace_id=trace", "-o", r.file, "--", node24(t),
		"../programs/reborn.js")
	if t.Logf("%s", said.Stderr); said.Code != 0 {
		t.Fatalf("hotspan ended with %d", said.Code)
	}
	for _, of := range readLines[struct {
		Service string
		Took    float64
	}](t, out) {
		r.took[of.Service] = time.Duration(of.Took * float64(time.Millisecond))
	}
}

// converted is what hotspan makes of the recording, by the extension of another format.
func (r reborn) converted(t *testing.T, extension string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "x"+extension)
	if said := run(t, "convert", r.file, file); said.Code != 0 {
		t.Fatal(said.Stderr)
	}
	return file
}

// reported is a report of the samples of a service, or of all.
func (r reborn) reported(t *testing.T, file string, args ...string) (of rebornReport) {
	t.Helper()
	printJSON(t, &of, append([]string{"report", "--json", file}, args...)...)
	return of
}

// printJSON reads what hotspan prints.
func printJSON(t *testing.T, to any, args ...string) {
	t.Helper()
	text, err := exec.Command(hotspan, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	readJSON(t, text, to)
}

func readJSON(t *testing.T, text []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
}

// only is the service that functions are of: first, second, both, or none.
func only(functions []string) string {
	first, second := slices.Contains(functions, "asFirst"), slices.Contains(functions, "asSecond")
	switch {
	case first && second:
		return "both"
	case first:
		return "first"
	case second:
		return "second"
	}
	return ""
}

func functionsOf(of rebornReport) (functions []string) {
	for _, f := range of.Functions {
		functions = append(functions, f.Name)
	}
	return functions
}

func (r reborn) recording(t *testing.T) {
	for _, service := range []string{"first", "second"} {
		of := r.reported(t, r.file, "--service", service)
		if took := time.Duration(of.Samples * of.Period); only(functionsOf(of)) != service || took < rebornBusy/4 {
			t.Errorf("%s has functions of %s in %v", service, only(functionsOf(of)), took)
		}
	}
}

// pprof has no times: to which process a sample belongs is not known.
func (r reborn) pprof(t *testing.T) {
	file := r.converted(t, ".pb.gz")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	pid := p.Sample[0].NumLabel["pid"][0]
	want := []string{
		fmt.Sprintf("process %d: service.name=first", pid), fmt.Sprintf("process %d: service.name=second", pid),
	}
	var got []string
	for _, c := range p.Comments {
		if strings.HasPrefix(c, "process ") { // also that nothing of it is not verified
			got = append(got, c)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if of := r.reported(t, file, "--service", "second"); of.Samples != 0 {
		t.Errorf("%d samples are said to be of one service", of.Samples)
	}
	if of := r.reported(t, file); only(functionsOf(of)) != "both" {
		t.Errorf("functions of %s", only(functionsOf(of)))
	}
}

func (r reborn) speedscope(t *testing.T) {
	var file struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Name    string
			Samples [][]int
		}
	}
	text, err := os.ReadFile(r.converted(t, ".speedscope.json"))
	if err != nil {
		t.Fatal(err)
	}
	readJSON(t, text, &file)
	var got []string
	for _, p := range file.Profiles {
		var functions []string
		for _, f := range slices.Concat(p.Samples...) {
			functions = append(functions, file.Shared.Frames[f].Name)
		}
		if service, _, _ := strings.Cut(p.Name, " "); only(functions) != "" {
			got = append(got, service+" has "+only(functions))
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"first has first", "second has second"}, got); diff != "" {
		t.Error(diff)
	}
}

func (r reborn) cpuProfile(t *testing.T) {
	var file struct {
		Nodes []struct {
			CallFrame struct{ FunctionName string }
		}
		Hotspan struct {
			Service string
			Samples int
		}
	}
	text, err := os.ReadFile(r.converted(t, ".cpuprofile"))
	if err != nil {
		t.Fatal(err)
	}
	readJSON(t, text, &file)
	var functions []string
	for _, n := range file.Nodes {
		functions = append(functions, n.CallFrame.FunctionName)
	}
	if of := only(functions); of == "" || of != file.Hotspan.Service {
		t.Errorf("%s has functions of %s", file.Hotspan.Service, of)
	}
}

// firefox groups threads by the pids in the file.
func (r reborn) firefox(t *testing.T) {
	f, err := os.Open(r.converted(t, ".firefox.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Threads []struct{ ProcessName, PID string }
	}
	readJSON(t, text, &file)
	pids := map[string]string{}
	for _, thread := range file.Threads {
		if name, ok := pids[thread.PID]; ok && name != thread.ProcessName {
			t.Errorf("%s and %s are both called %s", name, thread.ProcessName, thread.PID)
		}
		pids[thread.PID] = thread.ProcessName
	}
	if len(pids) != 2 {
		t.Errorf("processes are %v", pids)
	}
}

func (r reborn) trace(t *testing.T) {
	var of struct {
		Lanes []struct {
			Service string
			Bursts  []struct{ First, Last int64 }
		}
	}
	printJSON(t, &of, "trace", "--json", rebornTrace, r.file)
	begin, end := map[string]int64{}, map[string]int64{}
	for _, lane := range of.Lanes {
		for _, b := range lane.Bursts {
			end[lane.Service] = max(end[lane.Service], b.Last)
			if begin[lane.Service] == 0 || b.First < begin[lane.Service] {
				begin[lane.Service] = b.First
			}
		}
	}
	if begin["first"] == 0 || begin["second"] == 0 || end["first"] > begin["second"] {
		t.Errorf("lanes from %v to %v", begin, end)
	}
}

// stalls are of one process: each was busy in one turn of its loop, mostly of the same number.
func (r reborn) stalls(t *testing.T) {
	var got []string
	for _, s := range r.reported(t, r.file).Stalls {
		var functions []string
		for _, p := range slices.Concat(s.Calls, s.Path, s.Own) {
			functions = append(functions, p.Name)
		}
		got = append(got, only(functions))
		if took := r.took[only(functions)]; s.Length > int64(took+rebornBusy) {
			t.Errorf("a stall of %v in %s, which took %v", time.Duration(s.Length), only(functions), took)
		}
	}
	if slices.Sort(got); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("stalls of %q", got)
	}
}
