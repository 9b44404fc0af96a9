package otlp

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

// file returns three snapshots and a file of them.
func file(t testing.TB) (all []*pprofx.Snapshot, data []byte) {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, agent)
	for seed := range uint64(3) {
		s := randomSnapshot(seed, 300)
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all, b.Bytes()
}

func TestReader(t *testing.T) {
	want, data := file(t)
	r := NewReader(bytes.NewReader(data))
	for i, s := range want {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(flatten(s), flatten(got)); diff != "" {
			t.Fatalf("snapshot %d: %s", i, diff)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last: %v, want io.EOF", err)
	}
}

// Wherever a file is cut off, what was written whole before is there.
func TestReaderOfCutFile(t *testing.T) {
	_, data := file(t)
	ends := []int{0}
	for r := bytes.NewReader(data); r.Len() > 0; {
		one := NewReader(r)
		frame, err := readFrame(one.from)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, ends[len(ends)-1]+len(frame))
		r.Reset(data[ends[len(ends)-1]:])
	}
	if len(ends) != 4 || ends[3] != len(data) {
		t.Fatalf("frames end at %v of %d bytes", ends, len(data))
	}
	for cut := 0; cut < len(data); cut += 97 {
		whole := 0
		for whole+1 < len(ends) && ends[whole+1] <= cut {
			whole++
		}
		r := NewReader(bytes.NewReader(data[:cut]))
		read, err := 0, error(nil)
		for ; err == nil; read++ {
			_, err = r.Next()
		}
		atEnd := cut == ends[whole]
		if read-1 != whole || atEnd != errors.Is(err, io.EOF) || !atEnd != errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d: %d snapshots, want %d; %v", cut, read-1, whole, err)
		}
	}
}

func TestReaderOfDamagedFile(t *testing.T) {
	_, data := file(t)
	for at := 20; at < len(data)/3; at += 101 {
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x10
		if _, err := NewReader(bytes.NewReader(damaged)).Next(); err == nil {
			t.Errorf("byte %d changed: no error", at)
		}
	}
	for _, text := range []string{"hotspan", strings.Repeat("x", 100), "\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"} {
		if _, err := NewReader(strings.NewReader(text)).Next(); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The zstd program reads the frames, and a file of one is an OTLP message.
func TestFileIsZstd(t *testing.T) {
	data, err := Compress(randomSnapshot(1, 300), agent)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "one.zst")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	message, err := exec.Command("zstd", "-dc", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	var p profilespb.ProfilesData
	if err := proto.Unmarshal(message, &p); err != nil || len(p.ResourceProfiles) != 3 {
		t.Errorf("%d resources, %v", len(p.ResourceProfiles), err)
	}
}

func FuzzReader(f *testing.F) {
	frame, err := Compress(written(), agent)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(frame, frame...))
	f.Fuzz(func(_ *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		for {
			if _, err := r.Next(); err != nil {
				return
			}
		}
	})
}
