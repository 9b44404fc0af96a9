package otlp

import (
	"testing"

	"google.golang.org/protobuf/proto"
)

func TestCount(t *testing.T) {
	for _, rows := range []int{0, 1, 3, 400} {
		s := randomSnapshot(uint64(rows), rows)
		m := Profiles(s, agent)
		message, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		want := Counts{int64(len(m.ResourceProfiles)), int64(rows)}
		if got, err := Count(message); got != want || err != nil {
			t.Errorf("%d rows: %+v, %v, want %+v", rows, got, err, want)
		}
		if got, err := Count(message[:len(message)-1]); err == nil {
			t.Errorf("%d rows, cut off: %+v", rows, got)
		}
	}
}

func FuzzCount(f *testing.F) {
	message, err := proto.Marshal(Profiles(randomSnapshot(1, 20), agent))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(message)
	f.Fuzz(func(t *testing.T, message []byte) {
		if got, err := Count(message); err == nil && (got.Profiles < 0 || got.Samples > int64(len(message)/8)) {
			t.Errorf("%+v of %d bytes", got, len(message))
		}
	})
}

func BenchmarkCount(b *testing.B) {
	message, err := proto.Marshal(Profiles(busySnapshot(), agent))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Count(message); err != nil {
			b.Fatal(err)
		}
	}
}
