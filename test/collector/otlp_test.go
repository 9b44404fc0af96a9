package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// longestLine caps a message in the file exporter's file.
const longestLine = 64 << 20

func readMessages(t *testing.T, path string) []pprofile.Profiles {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []pprofile.Profiles
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		strict := &pprofile.JSONUnmarshaler{DisallowUnknownFields: true}
		message, err := strict.UnmarshalProfiles(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, message)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// fromOTLP counts samples by what they are, in the words of fromPprof.
func fromOTLP(messages []pprofile.Profiles) map[string]int64 {
	counts := map[string]int64{}
	for _, m := range messages {
		d := dictionary{m.Dictionary()}
		for _, rp := range m.ResourceProfiles().All() {
			pid, _ := rp.Resource().Attributes().Get("process.pid")
			for _, s := range rp.ScopeProfiles().At(0).Profiles().At(0).Samples().All() {
				counts[d.sample(pid.Int(), s)] += int64(s.TimestampsUnixNano().Len())
			}
		}
	}
	return counts
}

type dictionary struct{ tables pprofile.ProfilesDictionary }

func (d dictionary) str(i int32) string { return d.tables.StringTable().At(int(i)) }

func (d dictionary) attributes(indices pcommon.Int32Slice) map[string]string {
	all := map[string]string{}
	for _, i := range indices.All() {
		a := d.tables.AttributeTable().At(int(i))
		all[d.str(a.KeyStrindex())] = a.Value().AsString() + d.str(a.UnitStrindex())
	}
	return all
}

// pprofNames are the attributes that a label of pprof says in another word.
var pprofNames = map[string]string{"thread.name": "thread_name", "thread.id": "thread_id",
	"hotspan.vm_state": "vm_state"}

var notInPprof = []string{"cpu.logical_number", "hotspan.stop", "hotspan.loop_turn", "hotspan.request_start"}

func (d dictionary) sample(pid int64, s pprofile.Sample) string {
	labels := map[string]string{"pid": fmt.Sprint(pid), "vm_state": "other"}
	for key, value := range d.attributes(s.AttributeIndices()) {
		if slices.Contains(notInPprof, key) {
			continue
		}
		if name := pprofNames[key]; name != "" {
			key = name
		}
		labels[strings.TrimPrefix(key, "process.context.label.")] = value
	}
	if link := d.tables.LinkTable().At(int(s.LinkIndex())); s.LinkIndex() != 0 {
		labels["trace_id"], labels["span_id"] = link.TraceID().String(), link.SpanID().String()
	}
	var frames []string
	for _, i := range d.tables.StackTable().At(int(s.StackIndex())).LocationIndices().All() {
		frames = append(frames, d.location(d.tables.LocationTable().At(int(i)))...)
	}
	return text(frames, labels)
}

func (d dictionary) location(l pprofile.Location) []string {
	attrs := d.attributes(l.AttributeIndices())
	kind := attrs["hotspan.frame.kind"]
	if kind == "" {
		kind = strings.TrimPrefix(attrs["profile.frame.type"], "v8")
	}
	mapping := d.tables.MappingTable().At(int(l.MappingIndex()))
	build := d.attributes(mapping.AttributeIndices())["process.executable.build_id.gnu"]
	var frames []string
	lines := l.Lines()
	if lines.Len() == 0 { // an address without a name
		lines = pprofile.NewLineSlice()
		lines.AppendEmpty()
	}
	for _, n := range lines.All() {
		f := d.tables.FunctionTable().At(int(n.FunctionIndex()))
		frames = append(frames, frame(kind, d.str(f.NameStrindex()), d.str(f.FilenameStrindex()), n.Line(), n.Column(),
			d.str(mapping.FilenameStrindex()), build, l.Address()))
	}
	return frames
}

func frame(kind, function, file string, line, column int64, module, buildID string, address uint64) string {
	return fmt.Sprintf("%s:%s %s:%d:%d %s(%s)+%#x", kind, function, file, line, column, module, buildID, address)
}

// text is a sample in a form that can be compared and read.
func text(frames []string, labels map[string]string) string {
	var pairs []string
	for key, value := range labels {
		pairs = append(pairs, key+"="+value)
	}
	slices.Sort(pairs)
	return strings.Join(frames, "\n  ") + "\n" + strings.Join(pairs, " ")
}
