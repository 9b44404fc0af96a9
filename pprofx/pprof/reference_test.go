package pprof

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

var cpuTime = &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}

// sampleTexts are the samples of a profile as google/pprof reads it: each with its stack and labels, and how many rows
// it is.
func sampleTexts(p *profile.Profile, period int64) map[string]int64 {
	all := map[string]int64{}
	var time, rows int64
	for _, s := range p.Sample {
		time += s.Value[1]
		n := (time+period/2)/period - rows
		rows += n
		if n > 0 {
			all[locationsText(s.Location)+labelsText(s)] += n
		}
	}
	return all
}

func locationsText(stack []*profile.Location) string {
	var b strings.Builder
	for _, l := range stack {
		f := pprofx.Frame{Function: "[unknown]", Kind: pprofx.Native}
		if m := l.Mapping; m != nil {
			f.Module, f.BuildID = m.File, m.BuildID
			if m.File != "" && m.File[0] != '[' {
				f.Function = "[" + filepath.Base(m.File) + "]"
			}
		}
		lines := l.Line
		if len(lines) == 0 {
			lines = []profile.Line{{Function: &profile.Function{}}}
		}
		for i, line := range lines {
			f := f
			if line.Function.Name != "" {
				f.Function = line.Function.Name
			}
			f.File, f.Line, f.Column = line.Function.Filename, int(max(line.Line, 0)), int(max(line.Column, 0))
			f.Inlined = i+1 < len(lines)
			f.Kind = guessKind(&f)
			if kind, name, ok := strings.Cut(line.Function.SystemName, ":"); ok && name == f.Function {
				_ = f.Kind.UnmarshalText([]byte(kind))
			}
			place(&f, l.Address)
			fmt.Fprintf(&b, "%+v\n", f)
		}
	}
	return b.String()
}

func labelsText(s *profile.Sample) string {
	var row pprofx.Row
	thread, values := "", map[string]string{}
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(s.NumLabel))) { // the first of two has the last word
		list, unit := s.NumLabel[key], ""
		if units := s.NumUnit[key]; len(units) > 0 && (units[0] != zeroUnit || list[0] != 0) {
			unit = units[0]
		}
		one := len(list) == 1 && list[0] >= 0 && list[0] <= math.MaxInt32
		switch {
		case key == keyPID && one:
			row.PID = int32(list[0])
		case key == keyThreadID && one:
			row.TID = int32(list[0])
		case len(list) == 1:
			values[ownKey(key)] = fmt.Sprintf("%d %q", list[0], unit)
		default:
			values[ownKey(key)] = fmt.Sprintf("%q", strings.Trim(fmt.Sprint(list), "[]"))
		}
	}
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(s.Label))) {
		list := s.Label[key]
		switch {
		case key == keyThreadName:
			thread = list[0]
		case key == keyVMState && row.State.UnmarshalText([]byte(list[0])) == nil:
		case strings.Join(list, ", ") == "":
			values[ownKey(key)] = `0 ""`
		default:
			values[ownKey(key)] = fmt.Sprintf("%q", strings.Join(list, ", "))
		}
	}
	return fmt.Sprint(row.PID, row.TID, row.State, thread, values)
}

// rowTexts are the rows of a snapshot, as sampleTexts has them.
func rowTexts(s *pprofx.Snapshot) map[string]int64 {
	all := map[string]int64{}
	for _, r := range s.Rows {
		var b strings.Builder
		for _, i := range s.Stacks[r.Stack] {
			fmt.Fprintf(&b, "%+v\n", *s.Frames[i])
		}
		values := map[string]string{}
		for _, l := range s.LabelSets[r.Labels] {
			values[l.Key] = fmt.Sprintf("%d %q", l.Num, l.Unit)
			if l.Str != "" {
				values[l.Key] = fmt.Sprintf("%q", l.Str)
			}
		}
		all[b.String()+fmt.Sprint(r.PID, r.TID, r.State, s.Threads[r.Thread], values)]++
	}
	return all
}

// randomProfile has ids, references and values of all kinds, and few of what is not allowed.
func randomProfile(r *rand.Rand) *profile.Profile {
	text := func() string {
		return pprofxtest.Pick(r, "", "a", "main", "js:main", "native:a", "/srv/app.js", "[kernel]", "caf\xc3", "cpu",
			"count")
	}
	id := func(i int) uint64 {
		return pprofxtest.Pick(r, uint64(i+1), uint64(i+1), uint64(1000-i), 1<<40+uint64(i), uint64(r.IntN(40)))
	}
	number := func() int64 {
		return pprofxtest.Pick(r, 0, 1, 7, 3, 300, 1<<31, -1, r.Int64())
	}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, cpuTime},
		PeriodType: cpuTime, Period: 10,
		TimeNanos: r.Int64N(100), DurationNanos: r.Int64N(100), Comments: []string{"lost: 3 late", text()},
		DropFrames: text(), DocURL: text(),
	}
	dense := r.IntN(3) > 0 // most are as writers number them
	for i := range r.IntN(4) {
		p.Mapping = append(p.Mapping, &profile.Mapping{ID: id(i), File: text(), BuildID: text(), HasFunctions: true})
	}
	for i := range 1 + r.IntN(6) {
		p.Function = append(p.Function, &profile.Function{
			ID: id(i), Name: text(), SystemName: text(), Filename: text(), StartLine: number()})
	}
	for i := range 1 + r.IntN(9) {
		l := &profile.Location{ID: id(i), Address: uint64(number())}
		if len(p.Mapping) > 0 && r.IntN(2) == 0 {
			l.Mapping = pprofxtest.Pick(r, p.Mapping...)
		}
		for range r.IntN(4) {
			f := pprofxtest.Pick(r, p.Function...)
			l.Line = append(l.Line, profile.Line{Function: f, Line: number(), Column: number()})
		}
		p.Location = append(p.Location, l)
	}
	if dense {
		numberDensely(p)
	}
	for range r.IntN(30) {
		s := &profile.Sample{Value: []int64{r.Int64N(4), r.Int64N(40)}, Label: map[string][]string{},
			NumLabel: map[string][]int64{}, NumUnit: map[string][]string{}}
		for range r.IntN(6) {
			s.Location = append(s.Location, pprofxtest.Pick(r, p.Location...))
		}
		for range r.IntN(6) {
			key := pprofxtest.Pick(r, "pid", "thread_id", "thread_name", "vm_state", "tenant", "label.pid", text())
			if r.IntN(2) == 0 {
				s.Label[key] = append(s.Label[key], pprofxtest.Pick(r, "js", "gc", text()))
				continue
			}
			s.NumLabel[key] = append(s.NumLabel[key], number())
			s.NumUnit[key] = append(s.NumUnit[key], pprofxtest.Pick(r, "", "bytes", "count"))
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func numberDensely(p *profile.Profile) {
	for i, m := range p.Mapping {
		m.ID = uint64(i + 1)
	}
	for i, f := range p.Function {
		f.ID = uint64(i + 1)
	}
	for i, l := range p.Location {
		l.ID = uint64(i + 1)
	}
}

// shuffled returns a message whose fields have another order: that of fields of one number stays.
func shuffled(r *rand.Rand, message []byte) []byte {
	byNumber := map[protowire.Number][][]byte{}
	var order []protowire.Number
	for len(message) > 0 {
		number, _, n := protowire.ConsumeField(message)
		byNumber[number] = append(byNumber[number], message[:n])
		order, message = append(order, number), message[n:]
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var out []byte
	for _, number := range order {
		out = append(out, byNumber[number][0]...)
		byNumber[number] = byNumber[number][1:]
	}
	return out
}

// broken returns a message with a few other bytes, or without its end.
func broken(r *rand.Rand, message []byte) []byte {
	message = slices.Clone(message)
	for range r.IntN(4) {
		message[r.IntN(len(message))] = byte(r.IntN(256))
	}
	if r.IntN(4) == 0 {
		message = message[:r.IntN(len(message))]
	}
	return message
}

// compareWithGoogle compares what is read of an uncompressed profile with what google/pprof reads. It returns whether
// both have read it.
func compareWithGoogle(t *testing.T, file []byte) bool {
	t.Helper()
	if bytes.HasPrefix(file, []byte("\x1f\x8b")) { // it is compressed
		return false
	}
	p, want := profile.ParseUncompressed(file)
	if want == nil {
		want = p.CheckValid()
	}
	in, _ := unzipped(bytes.NewReader(file), maxBytes)
	m, got := readMessage(in)
	if got == nil {
		got = m.check()
	}
	// of a varint with more than 64 bits google/pprof takes 64
	if (got == nil) != (want == nil) && !strings.Contains(fmt.Sprint(got), "overflow") {
		t.Errorf("%q: got %v, google/pprof says %v", file, got, want)
	}
	if got != nil || want != nil {
		return false
	}
	s, err := Read(bytes.NewReader(file))
	if err != nil {
		return false // of what is asked beyond the format
	}
	if len(s.Rows) > 10_000 || len(p.SampleType) != 2 || p.SampleType[1].Type != "cpu" ||
		p.SampleType[1].Unit != cpuTime.Unit || p.Period != s.Period {
		return false // not of sampleTexts
	}
	if diff := cmp.Diff(sampleTexts(p, s.Period), rowTexts(s)); diff != "" {
		t.Errorf("%q: %s", file, diff)
	}
	if s.Start != p.TimeNanos || s.End != p.TimeNanos+p.DurationNanos {
		t.Errorf("[%d, %d), want %d for %d", s.Start, s.End, p.TimeNanos, p.DurationNanos)
	}
	return true
}

// Random profiles, as google/pprof writes them, in another order and broken: what it reads is what Read reads, and
// what it refuses is refused.
func TestReadLikeGoogle(t *testing.T) {
	var read, refused int
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 5))
		var zipped bytes.Buffer
		if err := randomProfile(r).Write(&zipped); err != nil {
			t.Fatal(err)
		}
		zip, err := gzip.NewReader(&zipped)
		if err != nil {
			t.Fatal(err)
		}
		file, err := io.ReadAll(zip)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range [][]byte{file, shuffled(r, file), broken(r, file)} {
			if compareWithGoogle(t, file) {
				read++
			} else {
				refused++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if read < 800 || refused < 500 {
		t.Errorf("%d read, %d refused", read, refused)
	}
}

func FuzzReadLikeGoogle(f *testing.F) {
	for seed := range uint64(20) {
		var file bytes.Buffer
		_ = randomProfile(rand.New(rand.NewPCG(seed, 5))).WriteUncompressed(&file)
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) { compareWithGoogle(t, file) })
}
