package viewers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// reused has two processes with the pid 7, one after the other: the second has more samples.
func reused(t *testing.T) []*pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(start, 10e6)
	if err != nil {
		t.Fatal(err)
	}
	for _, service := range []string{"first", "second"} {
		at := map[string]int64{"first": 0, "second": 50}[service]
		b.SetProcess(7, pprofx.Process{Service: service})
		of := &pprofx.Frame{Function: "of " + service}
		b.Add(sample(at+10, 7, of))
		b.Add(sample(at+20, 8, of))
		if service == "second" {
			b.Add(sample(at+30, 7, of))
		}
		b.EndProcess(7, start+(at+40)*1e6)
	}
	return b.CutByProcess(start + 100e6)
}

func decoded(t *testing.T, format pprofx.Format, to any) {
	t.Helper()
	var file bytes.Buffer
	text := written(t, NewWriter(&file, format), &file, reused(t)...)
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatal(err)
	}
}

// TestSpeedscopeReusedPID: each thread has the name of the process that it was of.
func TestSpeedscopeReusedPID(t *testing.T) {
	var file struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Name    string
			Samples [][]int
		}
	}
	decoded(t, Speedscope, &file)
	var got []string
	for _, p := range file.Profiles {
		for _, stack := range slices.Concat(p.Samples...) {
			got = append(got, p.Name+": "+file.Shared.Frames[stack].Name)
		}
	}
	want := []string{
		"second t7 7/7: of second", "second t7 7/7: of second", "first t7 7/7: of first", "first t8 7/8: of first",
		"second t8 7/8: of second",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCPUProfileReusedPID: the file has a thread of one of the processes, and counts the others.
func TestCPUProfileReusedPID(t *testing.T) {
	var file struct {
		Nodes []struct {
			CallFrame struct{ FunctionName string }
		}
		Hotspan cpuProfileNote
	}
	decoded(t, CPUProfile, &file)
	for _, n := range file.Nodes {
		if n.CallFrame.FunctionName == "of first" {
			t.Error("a function of the other process")
		}
	}
	if note := file.Hotspan; note.Service != "second" || note.Samples != 2 || note.OtherThreads != 3 {
		t.Errorf("%+v", note)
	}
}

// TestFirefoxReusedPID: the processes have pids of their own, by which the viewer tells them apart.
func TestFirefoxReusedPID(t *testing.T) {
	var file struct {
		Threads []struct {
			ProcessName, PID string
			TID              int
			Samples          struct{ Length int }
		}
	}
	decoded(t, Firefox, &file)
	var got []string
	for _, thread := range file.Threads {
		got = append(got, fmt.Sprintf("%s %s/%d", thread.ProcessName, thread.PID, thread.TID))
	}
	want := []string{"second 7.1/7", "first 7/7", "first 7/8", "second 7.1/8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
