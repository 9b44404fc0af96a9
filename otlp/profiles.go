// Package otlp encodes snapshots as OTLP profiles (opentelemetry.proto.profiles.v1development) and sends them over
// gRPC.
//
// Each process is a resource with one profile: sample type samples/count, period type cpu/nanoseconds. Rows that differ
// only in time become one sample with several timestamps and no values, so each timestamp counts as one sample.
//
// These names are not in OpenTelemetry's semantic conventions:
//
//	hotspan.lost.REASON    profile: number of samples, of all processes, that are in no profile of the snapshot;
//	                       REASON is a pprofx.LostReason. Every profile of a snapshot has it: count it once per
//	                       agent and time.
//	hotspan.vm_state       sample: VM state js, gc, compiler, external or idle; absent for other
//	hotspan.stop           sample: pprofx.StopReason of an incomplete stack; absent for root
//	hotspan.left_out       sample: pprofx.LeftOutLabel, labels that are left out because there were too many sets
//	hotspan.frame.kind     location: builtin, regexp or marker; else profile.frame.type says it
//	hotspan.frame.tier     location: the V8 compiler: ignition, sparkplug, maglev or turbofan
//	process.context.label.KEY  sample: the application's label KEY, if KEY has no namespace or one of this package's
package otlp

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"path"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// Profiles encodes s as one message of any size, the process with most samples first. A snapshot without rows becomes
// one profile without samples, which has the losses. s must pass its Check. Profiles is safe for concurrent use.
func Profiles(s *pprofx.Snapshot, by Agent) pprofile.Profiles {
	return encode(s, by, processes(s))
}

// process is the rows of one process, as indices into Snapshot.Rows.
type process struct {
	pid  int32
	rows []int32
}

func processes(s *pprofx.Snapshot) []process {
	rows := map[int32][]int32{}
	for i := range s.Rows {
		pid := s.Rows[i].PID
		rows[pid] = append(rows[pid], int32(i))
	}
	var all []process
	for pid, r := range rows {
		all = append(all, process{pid, r})
	}
	slices.SortFunc(all, func(a, b process) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), cmp.Compare(a.pid, b.pid))
	})
	return all
}

func encode(s *pprofx.Snapshot, by Agent, all []process) pprofile.Profiles {
	out := pprofile.NewProfiles()
	e := newEncoder(s, out.Dictionary())
	for _, p := range all {
		to := out.ResourceProfiles().AppendEmpty()
		resource(to.Resource().Attributes(), by, p.pid, s.Processes[int(p.pid)])
		e.scope(to.ScopeProfiles().AppendEmpty(), by, p.rows)
	}
	if len(all) == 0 {
		to := out.ResourceProfiles().AppendEmpty()
		common(to.Resource().Attributes(), by)
		e.scope(to.ScopeProfiles().AppendEmpty(), by, nil)
	}
	return out
}

func common(to pcommon.Map, by Agent) {
	for _, key := range slices.Sorted(maps.Keys(by.Attributes)) {
		to.PutStr(valid(key), valid(by.Attributes[key]))
	}
}

// resource sets the resource attributes of a process. Unknown ones are absent.
func resource(to pcommon.Map, by Agent, pid int32, p pprofx.Process) {
	common(to, by)
	to.PutInt("process.pid", int64(pid))
	known := func(key, value string) {
		if value != "" {
			to.PutStr(key, valid(value))
		}
	}
	known("service.name", p.Service)
	known("container.id", p.Container)
	known("process.executable.path", p.Executable)
	if p.Executable != "" {
		known("process.executable.name", path.Base(p.Executable))
	}
	for _, l := range p.Attributes {
		if l.Str != "" {
			known(l.Key, l.Str)
		} else {
			to.PutInt(valid(l.Key), l.Num)
		}
	}
}

func (e *encoder) scope(to pprofile.ScopeProfiles, by Agent, rows []int32) {
	to.Scope().SetName("hotspan")
	to.Scope().SetVersion(valid(by.Version))
	e.profile(to.Profiles().AppendEmpty(), rows)
}

func (e *encoder) profile(to pprofile.Profile, rows []int32) {
	s := e.snapshot
	to.SetProfileID(newID())
	to.SetTime(pcommon.Timestamp(s.Start))
	to.SetDurationNano(uint64(s.End - s.Start))
	to.SampleType().SetTypeStrindex(e.dict.str("samples"))
	to.SampleType().SetUnitStrindex(e.dict.str("count"))
	to.PeriodType().SetTypeStrindex(e.dict.str("cpu"))
	to.PeriodType().SetUnitStrindex(e.dict.str("nanoseconds"))
	to.SetPeriod(s.Period)
	for _, reason := range s.LostReasons() {
		lost := attr{key: "hotspan.lost." + reason.String(), num: s.Lost[reason], number: true, unit: "{sample}"}
		to.AttributeIndices().Append(e.dict.attr(lost))
	}
	e.samples(to.Samples(), rows)
}

// newID returns a random ID, by which a receiver may recognize a profile that was sent twice.
func newID() (id pprofile.ProfileID) {
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return id
}
