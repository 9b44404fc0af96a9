package otlp

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/jsonl"
)

func marshal(t testing.TB, p *profilespb.ProfilesData) []byte {
	t.Helper()
	data, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecode(t *testing.T) {
	for seed := range uint64(10) {
		want := randomSnapshot(seed, 300)
		got, err := Decode(marshal(t, Profiles(want, Agent{})))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(flatten(want), flatten(got)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		header := func(s *pprofx.Snapshot) any {
			processes := map[int]pprofx.Process{}
			for pid, p := range s.Processes {
				slices.SortFunc(p.Attributes, func(a, b pprofx.Label) int { return strings.Compare(a.Key, b.Key) })
				processes[pid] = p
			}
			lost := maps.Clone(s.Lost)
			return []any{s.Start, s.End, s.Period, lost, processes}
		}
		want.Processes[3] = pprofx.Process{} // nothing is known of it
		if diff := cmp.Diff(header(want), header(got)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// Hits of probes are no samples of CPU time, and stay that.
func TestHits(t *testing.T) {
	s := randomSnapshot(1, 100)
	s.Measure, s.Period = pprofx.HitCount, 0
	s.LabelSets = append(s.LabelSets, []pprofx.Label{{Key: pprofx.ProbeLabel, Str: "syscall:read"}})
	s.Rows[0].Labels = int32(len(s.LabelSets) - 1)
	for i := range s.Rows {
		s.Rows[i].Others = int32(i % 5)
	}
	encoded := Profiles(s, Agent{})
	p, texts := encoded.ResourceProfiles[0].ScopeProfiles[0].Profiles[0], encoded.Dictionary.StringTable
	for _, v := range []*profilespb.ValueType{p.SampleType, p.PeriodType} {
		if got := [2]string{texts[v.TypeStrindex], texts[v.UnitStrindex]}; got != [2]string{"hits", "count"} {
			t.Errorf("type %q", got)
		}
	}
	if !slices.Contains(texts, pprofx.ProbeLabel) || p.Period != 1 {
		t.Errorf("the label of the probe has another name, or the period is %d", p.Period)
	}
	got, err := Decode(marshal(t, encoded))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flatten(s), flatten(got)); diff != "" || got.Measure != pprofx.HitCount || got.Period != 0 {
		t.Errorf("measure %v, period %d: %s", got.Measure, got.Period, diff)
	}
	for _, sample := range p.Samples {
		sample.Values = nil // as versions have written that knew of no others
	}
	if got, err = Decode(marshal(t, encoded)); err != nil || got.Hits() >= s.Hits() {
		t.Errorf("%v", err)
	}
	p.Samples[0].Values = []int64{-1}
	if _, err := Decode(marshal(t, encoded)); err == nil {
		t.Error("no error for less than no hits")
	}
}

// Hits that stand for themselves alone have times and no values: Pyroscope takes one value of a sample at most.
func TestSingleHits(t *testing.T) {
	s := randomSnapshot(1, 100)
	s.Measure, s.Period = pprofx.HitCount, 0
	encoded := Profiles(s, Agent{})
	for _, sample := range encoded.ResourceProfiles[0].ScopeProfiles[0].Profiles[0].Samples {
		if len(sample.Values) > 0 || len(sample.TimestampsUnixNano) == 0 {
			t.Fatalf("%v at %v", sample.Values, sample.TimestampsUnixNano)
		}
	}
	got, err := Decode(marshal(t, encoded))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flatten(s), flatten(got)); diff != "" {
		t.Error(diff)
	}
}

// Values keep the hits that they are of, where these are not one.
func TestValuesOfHits(t *testing.T) {
	s := randomSnapshot(1, 100)
	s.Measure, s.Period = pprofx.HitBytes, 1
	for i := range s.Rows {
		s.Rows[i].Weight, s.Rows[i].Others = int64(1e6+i), int32(i%5-1)
	}
	got, err := Decode(marshal(t, Profiles(s, Agent{})))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flatten(s), flatten(got)); diff != "" {
		t.Error(diff)
	}
}

// Waits keep their lengths, each at its time.
func TestWaits(t *testing.T) {
	s := randomSnapshot(1, 100)
	s.Measure, s.Period = pprofx.OffCPU, 1
	for i := range s.Rows {
		s.Rows[i].Weight = int64(1e6 + i)
	}
	encoded := Profiles(s, Agent{})
	p, texts := encoded.ResourceProfiles[0].ScopeProfiles[0].Profiles[0], encoded.Dictionary.StringTable
	v := p.SampleType
	if got := [2]string{texts[v.TypeStrindex], texts[v.UnitStrindex]}; got != [2]string{"off_cpu", "nanoseconds"} {
		t.Errorf("type %q", got)
	}
	// Pyroscope adds up waits that have no period, and refuses others. Parca asks for the message.
	if v := p.PeriodType; v == nil || v.TypeStrindex != 0 || v.UnitStrindex != 0 || p.Period != 0 {
		t.Errorf("period %d of %v", p.Period, v)
	}
	got, err := Decode(marshal(t, encoded))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flatten(s), flatten(got)); diff != "" || got.Measure != pprofx.OffCPU || got.Period != 1 {
		t.Errorf("measure %v, period %d: %s", got.Measure, got.Period, diff)
	}
	p.Samples[0].Values = p.Samples[0].Values[1:]
	if _, err := Decode(marshal(t, encoded)); err == nil {
		t.Error("no error for a time without a length")
	}
	texts[p.SampleType.TypeStrindex] = "joules" // which a newer hotspan may measure
	if got, err := Decode(marshal(t, encoded)); !errors.Is(err, pprofx.ErrUnknownName) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is decoded and encoded again has the same samples, and each profile its ID.
func TestIDsSurviveDecoding(t *testing.T) {
	ids := func(p *profilespb.ProfilesData) (all []string) {
		for _, r := range p.ResourceProfiles {
			all = append(all, string(r.ScopeProfiles[0].Profiles[0].ProfileId))
		}
		return all
	}
	seen := map[string]bool{}
	for seed := range uint64(10) {
		s := randomSnapshot(seed, 300)
		for i := range s.Rows {
			s.Rows[i].Time = s.Start + int64(i/4) // several at one time
		}
		first := Profiles(s, agent)
		again, err := Decode(marshal(t, first))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ids(first), ids(Profiles(again, Agent{}))); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		for _, m := range messages(s, agent, processes(s, ""), 10_000) {
			for _, id := range ids(m) {
				if seen[id] || len(id) != 16 {
					t.Errorf("ID %x twice, or not of 16 bytes", id)
				}
				seen[id] = true
			}
		}
	}
}

func TestDecodeLossesWithoutRows(t *testing.T) {
	want := &pprofx.Snapshot{Start: 5, End: 9, Period: 1, Lost: map[pprofx.LostReason]int64{pprofx.LostExited: 3}}
	got, err := Decode(marshal(t, Profiles(want, agent)))
	if err != nil || len(got.Rows) != 0 || got.Start != 5 || got.End != 9 || !maps.Equal(got.Lost, want.Lost) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A snapshot without times has counts instead, and comes back without times.
func TestDecodeUntimed(t *testing.T) {
	want := randomSnapshot(4, 300)
	want.Untimed = true
	for i := range want.Rows {
		want.Rows[i].Time = want.Start
	}
	message := Profiles(want, Agent{})
	var n int64
	for _, r := range message.ResourceProfiles {
		for _, s := range r.ScopeProfiles[0].Profiles[0].Samples {
			n += s.Values[0]
			if len(s.TimestampsUnixNano) > 0 || len(s.Values) != 1 {
				t.Fatalf("%v", s)
			}
		}
	}
	got, err := Decode(marshal(t, message))
	if err != nil || n != 300 || !got.Untimed {
		t.Fatalf("%d samples, %v: %+v", n, err, got)
	}
	lines := func(s *pprofx.Snapshot) []string {
		var b bytes.Buffer
		if err := jsonl.Write(&b, s); err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(strings.Lines(b.String()))
	}
	if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
		t.Error(diff)
	}
	sample := message.ResourceProfiles[0].ScopeProfiles[0].Profiles[0].Samples[0]
	for value, says := range map[int64]string{-1: "-1 times", 1 << 40: "at most 8388608 samples without a time"} {
		sample.Values[0] = value
		if _, err := Decode(marshal(t, message)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	message.ResourceProfiles[0].ScopeProfiles[0].Profiles[0].SampleType = nil
	if _, err := Decode(marshal(t, message)); err == nil || !strings.Contains(err.Error(), "not a count of samples") {
		t.Error(err)
	}
}

func TestDecodeErrors(t *testing.T) {
	profile := func(p *profilespb.ProfilesData, i int) *profilespb.Profile {
		return p.ResourceProfiles[i].ScopeProfiles[0].Profiles[0]
	}
	first := func(p *profilespb.ProfilesData) *profilespb.Profile { return profile(p, 0) }
	for want, change := range map[string]func(*profilespb.ProfilesData){
		"no profile":          func(p *profilespb.ProfilesData) { p.ResourceProfiles = nil },
		"stack 1000000 of":    func(p *profilespb.ProfilesData) { first(p).Samples[0].StackIndex = 1_000_000 },
		"link -1 of":          func(p *profilespb.ProfilesData) { first(p).Samples[0].LinkIndex = -1 },
		"attribute 99999 of":  func(p *profilespb.ProfilesData) { first(p).Samples[0].AttributeIndices[0] = 99999 },
		"different intervals": func(p *profilespb.ProfilesData) { profile(p, 1).TimeUnixNano++ },
		"before start": func(p *profilespb.ProfilesData) {
			p.ResourceProfiles = p.ResourceProfiles[:1]
			first(p).DurationNano = 1<<63 + 5
		},
		"location 7777 of": func(p *profilespb.ProfilesData) {
			p.Dictionary.StackTable[1].LocationIndices[0] = 7777
		},
		"function 7777 of": func(p *profilespb.ProfilesData) {
			p.Dictionary.LocationTable[1].Lines[0].FunctionIndex = 7777
		},
		"string 7777 of": func(p *profilespb.ProfilesData) {
			p.Dictionary.FunctionTable[1].NameStrindex = 7777
		},
		"mapping 7777 of": func(p *profilespb.ProfilesData) {
			p.Dictionary.LocationTable[1].MappingIndex = 7777
		},
		"more than 16777216 frames in": manyFrames,
	} {
		p := Profiles(randomSnapshot(2, 40), agent)
		change(p)
		if _, err := Decode(marshal(t, p)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Decode([]byte("not a message")); err == nil {
		t.Error("text: no error")
	}
}

// manyFrames is a message of kilobytes that says the same of millions of frames.
func manyFrames(p *profilespb.ProfilesData) {
	l := p.Dictionary.LocationTable[1]
	for len(l.Lines) < 5000 {
		l.Lines = append(l.Lines, l.Lines[0])
	}
	stack := p.Dictionary.StackTable[1]
	stack.LocationIndices = make([]int32, 5000)
	for i := range stack.LocationIndices {
		stack.LocationIndices[i] = 1
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(marshal(f, Profiles(written(), agent))) // a large one makes each try slow
	f.Fuzz(func(t *testing.T, message []byte) {
		s, err := Decode(message)
		if err != nil {
			return
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := jsonl.Write(&b, s); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(marshal(t, Profiles(s, agent))); err != nil {
			t.Errorf("what was encoded again: %v", err)
		}
	})
}
