package e2e

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// read returns what is in a file, without gzip.
func read(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	from := io.Reader(f)
	if strings.HasSuffix(name, ".gz") {
		if from, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// readPprof reads the number of samples, and that the other value is as many periods.
func readPprof(t *testing.T, name string) shownCounts {
	t.Helper()
	return readPprofValues(t, name, func(p *profile.Profile, s *profile.Sample) int64 {
		if s.Value[1] != s.Value[0]*p.Period {
			t.Errorf("%d samples of %d ns", s.Value[0], s.Value[1])
		}
		return s.Value[0]
	})
}

// readPprofTime reads the second value.
func readPprofTime(t *testing.T, name string) shownCounts {
	t.Helper()
	return readPprofValues(t, name, func(_ *profile.Profile, s *profile.Sample) int64 { return s.Value[1] })
}

func readPprofValues(t *testing.T, name string, value func(*profile.Profile, *profile.Sample) int64) shownCounts {
	t.Helper()
	p, err := profile.ParseUncompressed(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	out := shownCounts{}
	for _, s := range p.Sample {
		to := shown{PID: int(s.NumLabel["pid"][0]), TID: int(s.NumLabel["thread_id"][0])}
		var labels, stack []string
		for key, values := range s.NumLabel {
			if key != "pid" && key != "thread_id" {
				labels = append(labels, fmt.Sprint(key, "=", values[0]))
			}
		}
		for key, values := range s.Label {
			switch key {
			case "thread_name":
				to.Thread = values[0]
			case "vm_state":
				to.State = values[0]
			default:
				labels = append(labels, key+"="+values[0])
			}
		}
		for _, l := range s.Location {
			for _, line := range l.Line {
				file := line.Function.Filename
				if file == "" && l.Mapping != nil && l.Mapping.File != "[v8]" {
					file = l.Mapping.File
				}
				stack = append(stack, at(line.Function.Name, file, int(line.Line), int(line.Column)))
			}
		}
		slices.Sort(labels)
		to.Labels, to.Stack = strings.Join(labels, " "), strings.Join(stack, "\n")
		out[to] += int(value(p, s))
	}
	return out
}

// leafFirst turns a stack around.
func leafFirst(stack []string) string {
	slices.Reverse(stack)
	return strings.Join(stack, "\n")
}

func readCollapsed(t *testing.T, name string) shownCounts {
	t.Helper()
	out := shownCounts{}
	for line := range strings.Lines(string(read(t, name))) {
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.Atoi(strings.TrimSpace(line[at:]))
		if err != nil {
			t.Fatal(err)
		}
		frames := strings.Split(line[:at], ";")
		out[shown{Thread: frames[0], Stack: leafFirst(frames[1:])}] += n
	}
	return out
}

var (
	perfEvent = regexp.MustCompile(`^(\S+) +(\d+)/(\d+) .*cpu-clock:`)
	perfFrame = regexp.MustCompile(`^\s+[0-9a-f]+ (.*) \(\S*\)$`)
)

func readPerf(t *testing.T, name string) shownCounts {
	t.Helper()
	out := shownCounts{}
	for _, event := range strings.Split(strings.TrimSuffix(string(read(t, name)), "\n\n"), "\n\n") {
		lines := strings.Split(event, "\n")
		m := perfEvent.FindStringSubmatch(lines[0])
		if m == nil {
			t.Fatalf("no event: %s", event)
		}
		to := shown{Thread: m[1]}
		to.PID, _ = strconv.Atoi(m[2])
		to.TID, _ = strconv.Atoi(m[3])
		var stack []string
		for _, line := range lines[1:] {
			stack = append(stack, perfFrame.FindStringSubmatch(line)[1])
		}
		to.Stack = strings.Join(stack, "\n")
		out[to]++
	}
	return out
}

// threadName is the end of a thread's name in speedscope: the kernel's name, process and thread.
var threadName = regexp.MustCompile(`^(?:\S+ )?(\S*) (\d+)/(\d+)$`)

func readSpeedscope(t *testing.T, name string) shownCounts {
	t.Helper()
	var file struct {
		Shared struct {
			Frames []struct {
				Name, File string
				Line, Col  int
			}
		}
		Profiles []struct {
			Name    string
			Samples [][]int
			Weights []int64
		}
	}
	if err := json.Unmarshal(read(t, name), &file); err != nil {
		t.Fatal(err)
	}
	out := shownCounts{}
	for _, p := range file.Profiles {
		m := threadName.FindStringSubmatch(p.Name)
		if m == nil {
			t.Fatalf("thread %q", p.Name)
		}
		to := shown{Thread: m[1]}
		to.PID, _ = strconv.Atoi(m[2])
		to.TID, _ = strconv.Atoi(m[3])
		for i, s := range p.Samples {
			if len(s) == 0 {
				continue // a gap
			}
			var stack []string
			for _, f := range s {
				f := file.Shared.Frames[f]
				stack = append(stack, at(f.Name, f.File, f.Line, f.Col))
			}
			to.Stack = leafFirst(stack)
			out[to] += int(math.Round(float64(p.Weights[i]) * 499 / 1e9))
		}
	}
	return out
}

// firefoxFile is the part of a file for Firefox Profiler that has the samples.
type firefoxFile struct {
	Libs   []struct{ Path string }
	Shared struct {
		StringArray   []string
		Sources       struct{ Filename []int }
		ResourceTable struct{ Lib []int }
		FuncTable     struct {
			Name, Resource []int
			Source         []*int
		}
		FrameTable struct {
			Func         []int
			Line, Column []int // null is 0
		}
		StackTable struct{ Frame, PrefixOffset []int }
	}
	Threads []struct {
		Name    string
		PID     string
		TID     int
		Samples struct {
			Stack  []*int
			Weight []int
		}
	}
}

func readFirefox(t *testing.T, name string) shownCounts {
	t.Helper()
	var file firefoxFile
	if err := json.Unmarshal(read(t, name), &file); err != nil {
		t.Fatal(err)
	}
	tables, out := file.Shared, shownCounts{}
	frame := func(i int) string {
		f, from := tables.FrameTable.Func[i], ""
		if r := tables.FuncTable.Resource[f]; r >= 0 {
			from = file.Libs[tables.ResourceTable.Lib[r]].Path
		}
		if s := tables.FuncTable.Source[f]; s != nil {
			from = tables.StringArray[tables.Sources.Filename[*s]]
		}
		return at(tables.StringArray[tables.FuncTable.Name[f]], from, tables.FrameTable.Line[i],
			tables.FrameTable.Column[i])
	}
	for _, thread := range file.Threads {
		pid, _ := strconv.Atoi(thread.PID)
		for i, s := range thread.Samples.Stack {
			if s == nil {
				continue // a gap
			}
			var stack []string
			for i := *s; ; i -= tables.StackTable.PrefixOffset[i] {
				stack = append(stack, frame(tables.StackTable.Frame[i]))
				if tables.StackTable.PrefixOffset[i] == 0 {
					break
				}
			}
			to := shown{PID: pid, TID: thread.TID, Thread: thread.Name, Stack: strings.Join(stack, "\n")}
			out[to] += thread.Samples.Weight[i]
		}
	}
	return out
}
