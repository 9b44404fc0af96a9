package otlp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hotspan/hotspan/pprofx"
)

// flat is one row with nothing interned.
type flat struct {
	Row    pprofx.Row // but Stack, Labels and Thread
	Thread string
	Frames []pprofx.Frame
	Labels []pprofx.Label
}

// flatten writes a snapshot's rows out.
func flatten(s *pprofx.Snapshot) []flat {
	var all []flat
	for _, r := range s.Rows {
		f := flat{Row: r, Thread: s.Threads[r.Thread], Labels: slices.Clone(s.LabelSets[r.Labels])}
		f.Row.Stack, f.Row.Labels, f.Row.Thread = 0, 0, 0
		for _, i := range s.Stacks[r.Stack] {
			f.Frames = append(f.Frames, *s.Frames[i])
		}
		all = append(all, f)
	}
	return sorted(all)
}

func sorted(all []flat) []flat {
	slices.SortFunc(all, func(a, b flat) int {
		if c := cmp.Compare(a.Row.Time, b.Row.Time); c != 0 {
			return c
		}
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	return all
}

// decode reads messages as a receiver that knows profiles.proto and the package's documentation.
func decode(messages ...pprofile.Profiles) []flat {
	var all []flat
	for _, m := range messages {
		d := receiver{m.Dictionary()}
		for _, rp := range m.ResourceProfiles().All() {
			pid, _ := rp.Resource().Attributes().Get("process.pid")
			for _, p := range rp.ScopeProfiles().At(0).Profiles().All() {
				for _, f := range d.samples(p) {
					f.Row.PID = int32(pid.Int())
					all = append(all, f)
				}
			}
		}
	}
	return sorted(all)
}

// receiver reads messages by pdata, as a Collector does.
type receiver struct{ tables pprofile.ProfilesDictionary }

func (d receiver) str(i int32) string { return d.tables.StringTable().At(int(i)) }

func (d receiver) samples(p pprofile.Profile) (all []flat) {
	for _, s := range p.Samples().All() {
		for _, t := range s.TimestampsUnixNano().All() {
			f := d.sample(s)
			f.Row.Time = int64(t)
			all = append(all, f)
		}
	}
	return all
}

func (d receiver) sample(s pprofile.Sample) flat {
	f := flat{Row: pprofx.Row{Stop: pprofx.StopRoot}}
	for _, i := range d.tables.StackTable().At(int(s.StackIndex())).LocationIndices().All() {
		f.Frames = append(f.Frames, d.location(d.tables.LocationTable().At(int(i)))...)
	}
	for _, i := range s.AttributeIndices().All() {
		d.sampleAttribute(&f, d.tables.AttributeTable().At(int(i)))
	}
	if l := d.tables.LinkTable().At(int(s.LinkIndex())); s.LinkIndex() != 0 {
		f.Labels = append(f.Labels, pprofx.Label{Key: "trace_id", Str: l.TraceID().String()},
			pprofx.Label{Key: "span_id", Str: l.SpanID().String()})
	}
	slices.SortFunc(f.Labels, func(a, b pprofx.Label) int { return strings.Compare(a.Key, b.Key) })
	return f
}

func (d receiver) sampleAttribute(f *flat, a pprofile.KeyValueAndUnit) {
	v := a.Value()
	switch key := d.str(a.KeyStrindex()); key {
	case "thread.name":
		f.Thread = v.Str()
	case "thread.id":
		f.Row.TID = int32(v.Int())
	case "cpu.logical_number":
		f.Row.CPU = uint16(v.Int())
	case "hotspan.loop_turn":
		f.Row.Turn = uint32(v.Int())
	case "hotspan.request_start":
		f.Row.Start = v.Int()
	case "hotspan.stop":
		for f.Row.Stop.String() != v.Str() {
			f.Row.Stop++
		}
	case "hotspan.vm_state":
		for f.Row.State.String() != v.Str() {
			f.Row.State++
		}
	default:
		l := pprofx.Label{Key: strings.TrimPrefix(key, "process.context.label."), Unit: d.str(a.UnitStrindex())}
		if v.Type() == pcommon.ValueTypeInt {
			l.Num = v.Int()
		} else {
			l.Str = v.Str()
		}
		f.Labels = append(f.Labels, l)
	}
}

func (d receiver) location(l pprofile.Location) []pprofx.Frame {
	mapping := d.tables.MappingTable().At(int(l.MappingIndex()))
	attrs := d.attributes(l.AttributeIndices())
	var frames []pprofx.Frame
	lines := l.Lines()
	if lines.Len() == 0 { // an address without a name
		lines = pprofile.NewLineSlice()
		lines.AppendEmpty()
	}
	for i, n := range lines.All() {
		function := d.tables.FunctionTable().At(int(n.FunctionIndex()))
		frames = append(frames, pprofx.Frame{
			Function: d.str(function.NameStrindex()), File: d.str(function.FilenameStrindex()),
			Line: int(n.Line()), Column: int(n.Column()),
			Kind: kindOf(attrs), Tier: tierOf(attrs), Inlined: i+1 < lines.Len(),
			Module:  d.str(mapping.FilenameStrindex()),
			BuildID: d.attributes(mapping.AttributeIndices())["process.executable.build_id.gnu"],
			Address: l.Address(),
		})
	}
	return frames
}

func (d receiver) attributes(indices pcommon.Int32Slice) map[string]string {
	all := map[string]string{}
	for _, i := range indices.All() {
		a := d.tables.AttributeTable().At(int(i))
		all[d.str(a.KeyStrindex())] = a.Value().AsString()
	}
	return all
}

func kindOf(attrs map[string]string) pprofx.Kind {
	type names struct{ frameType, kind string }
	return map[names]pprofx.Kind{
		{"v8js", ""}: pprofx.JS, {"v8js", "builtin"}: pprofx.Builtin, {"v8js", "regexp"}: pprofx.Regexp,
		{"wasm", ""}: pprofx.Wasm, {"native", ""}: pprofx.Native, {"kernel", ""}: pprofx.Kernel,
		{"jit", ""}: pprofx.JIT, {"", "marker"}: pprofx.Marker,
	}[names{attrs["profile.frame.type"], attrs["hotspan.frame.kind"]}]
}

func tierOf(attrs map[string]string) pprofx.Tier {
	return map[string]pprofx.Tier{"ignition": pprofx.Ignition, "sparkplug": pprofx.Sparkplug,
		"maglev": pprofx.Maglev, "turbofan": pprofx.TurboFan}[attrs["hotspan.frame.tier"]]
}
