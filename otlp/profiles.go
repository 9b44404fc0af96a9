// Package otlp encodes snapshots as OTLP profiles (opentelemetry.proto.profiles.v1development) and sends them over
// gRPC or HTTP.
//
// Each process is a resource with one profile, or with Config.ProfilePer one for each value of a label: sample type
// samples/count, period type cpu/nanoseconds. Rows that differ only in time become one sample with several timestamps
// and no values, so each timestamp counts as one sample. Of an Untimed snapshot, rows become one sample without
// timestamps, whose value is how many they are.
//
// These names are not in OpenTelemetry's semantic conventions:
//
//	hotspan.lost.REASON    profile: number of samples, of all processes, that are in no profile of the snapshot;
//	                       REASON is a pprofx.LostReason. Every profile of a snapshot has it: count it once per
//	                       snapshot, not once per profile.
//	hotspan.vm_state       sample: VM state js, gc, compiler, external or idle; absent for other
//	hotspan.loop_turn      sample: pprofx.Row.Turn, a number; absent for 0
//	hotspan.hits           sample: how many hits of a probe it stands for; absent for one
//	hotspan.request_start  sample: pprofx.Row.Start, a number of nanoseconds; absent for 0
//	hotspan.stop           sample: pprofx.StopReason of an incomplete stack; absent for root
//	hotspan.left_out       sample: pprofx.LeftOutLabel, labels that are left out because there were too many sets
//	hotspan.frame.kind     location: builtin, regexp or marker; else profile.frame.type says it
//	hotspan.frame.tier     location: the V8 compiler: ignition, sparkplug, maglev or turbofan
//	process.context.label.KEY  sample: the application's label KEY, if KEY has no namespace or one of this package's
package otlp

import (
	"maps"
	"path"
	"slices"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

// lostKey comes before a pprofx.LostReason in the attributes of profiles.
const lostKey = "hotspan.lost."

// Profiles encodes s as one message of any size, the process with most samples first. A snapshot without rows becomes
// one profile without samples, which has the losses. s must pass its Check. Profiles is safe for concurrent use.
//
// Keys and values of resources are inline, not references into the dictionary: every receiver can read them, while
// Pyroscope and Parca know no references there (autumn 2026).
func Profiles(s *pprofx.Snapshot, by Agent) *profilespb.ProfilesData {
	return encode(s, by, processes(s, ""))
}

// Encode returns the marshalled message of Profiles, which Decode reads. The error is that of the snapshot's Check.
func Encode(s *pprofx.Snapshot, by Agent) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	return proto.Marshal(Profiles(s, by))
}

// withoutProfiles is a message that says nothing: a resource without profiles. Parca and Pyroscope refuse one without a
// resource or without a dictionary.
func withoutProfiles(by Agent) *profilespb.ProfilesData {
	return &profilespb.ProfilesData{
		ResourceProfiles: []*profilespb.ResourceProfiles{newResource(common(by), by)},
		Dictionary:       newDictionary(0, 0).tables,
	}
}

func encode(s *pprofx.Snapshot, by Agent, all []process) *profilespb.ProfilesData {
	e := newEncoder(s)
	out := &profilespb.ProfilesData{Dictionary: e.dict.tables}
	for i, p := range all {
		if i == 0 || p.pid != all[i-1].pid {
			attributes := resource(by, p.pid, s.Processes[int(p.pid)])
			out.ResourceProfiles = append(out.ResourceProfiles, newResource(attributes, by))
		}
		e.add(out.ResourceProfiles[len(out.ResourceProfiles)-1], p)
	}
	if len(all) == 0 {
		out.ResourceProfiles = append(out.ResourceProfiles, newResource(common(by), by))
		e.add(out.ResourceProfiles[0], process{})
	}
	return out
}

// attributes collects the attributes of a resource. The last value of a key wins.
type attributes map[string]*commonpb.AnyValue

func (a attributes) text(key, value string) {
	if value != "" {
		a[valid(key)] = text(valid(value))
	}
}

func (a attributes) list() []*commonpb.KeyValue {
	var out []*commonpb.KeyValue
	for _, key := range slices.Sorted(maps.Keys(a)) {
		out = append(out, &commonpb.KeyValue{Key: key, Value: a[key]})
	}
	return out
}

func common(by Agent) attributes {
	all := attributes{}
	for _, key := range slices.Sorted(maps.Keys(by.Attributes)) {
		all[valid(key)] = text(valid(by.Attributes[key]))
	}
	return all
}

// resource returns the attributes of a process. Unknown ones are absent.
func resource(by Agent, pid int32, p pprofx.Process) attributes {
	all := common(by)
	all["process.pid"] = number(int64(pid))
	all.text("service.name", p.Service)
	all.text("container.id", p.Container)
	all.text("process.executable.path", p.Executable)
	if p.Executable != "" {
		all.text("process.executable.name", path.Base(p.Executable))
	}
	for _, l := range p.Attributes {
		if l.Str != "" {
			all.text(l.Key, l.Str)
		} else {
			all[valid(l.Key)] = number(l.Num)
		}
	}
	return all
}

func newResource(of attributes, by Agent) *profilespb.ResourceProfiles {
	return &profilespb.ResourceProfiles{
		Resource: &resourcepb.Resource{Attributes: of.list()},
		ScopeProfiles: []*profilespb.ScopeProfiles{{
			Scope: &commonpb.InstrumentationScope{Name: "hotspan", Version: valid(by.Version)},
		}},
	}
}

// add adds a profile to its resource.
func (e *encoder) add(to *profilespb.ResourceProfiles, p process) {
	scope := to.ScopeProfiles[0]
	scope.Profiles = append(scope.Profiles, e.profile(to.Resource.Attributes, p))
}

func (e *encoder) profile(of []*commonpb.KeyValue, p process) *profilespb.Profile {
	s := e.snapshot
	measure, unit := s.Measure.String(), s.Measure.Unit()
	sample, sampleUnit := measure, unit
	if s.Measure == pprofx.CPUTime {
		sample, sampleUnit = s.Measure.Samples(), "count" // of a Period each
	}
	period := &profilespb.ValueType{TypeStrindex: e.dict.str(measure), UnitStrindex: e.dict.str(unit)}
	each := max(s.Period, 1)
	if s.Measure == pprofx.OffCPU { // as OpenTelemetry's eBPF profiler has it: Pyroscope knows waits by that
		period, each = &profilespb.ValueType{}, 0
	}
	to := &profilespb.Profile{
		ProfileId:    e.id(of, p.rows),
		TimeUnixNano: uint64(s.Start),
		DurationNano: uint64(s.End - s.Start),
		SampleType:   &profilespb.ValueType{TypeStrindex: e.dict.str(sample), UnitStrindex: e.dict.str(sampleUnit)},
		PeriodType:   period,
		Period:       each,
		Samples:      e.samples(p.rows),
	}
	if p.of.key != "" {
		to.AttributeIndices = append(to.AttributeIndices, e.dict.attr(p.of))
	}
	for _, reason := range s.LostReasons() {
		lost := attr{key: lostKey + reason.String(), num: s.Lost[reason], number: true, unit: "{sample}"}
		to.AttributeIndices = append(to.AttributeIndices, e.dict.attr(lost))
	}
	return to
}
