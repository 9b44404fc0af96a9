package target

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func page(b byte) []byte { return bytes.Repeat([]byte{b}, PageSize) }

func recording() *Recording {
	r := &Recording{About: []byte(`{"what":"a test"}`), Pages: map[uint64][]byte{
		0x1000: page(1), 0x2000: page(2), 0x7fff_0000_0000: page(7), 1<<64 - PageSize: page(0xff),
	}}
	r.Registers.IP, r.Registers.FSBase, r.Registers.General[RBP] = 1, 2, 3
	return r
}

func TestRecordingFile(t *testing.T) {
	var b bytes.Buffer
	if err := recording().Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRecording(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(recording(), got); diff != "" {
		t.Error(diff)
	}
}

func TestRecordingReadAt(t *testing.T) {
	for _, c := range []struct {
		at     int64
		n, got int
		bytes  string
	}{
		{0x1000, 2, 2, "\x01\x01"},
		{0x1fff, 3, 3, "\x01\x02\x02"},
		{0x2fff, 3, 1, "\x02"},
		{0xfff, 2, 0, ""},
		{0x5000, 1, 0, ""},
		{-1, 1, 1, "\xff"},
		{-1, 2, 1, "\xff"}, // it does not go on at 0
	} {
		b := make([]byte, c.n)
		n, err := recording().ReadAt(b, c.at)
		if n != c.got || string(b[:n]) != c.bytes || errors.Is(err, ErrNotRecorded) != (c.got < c.n) {
			t.Errorf("%d bytes at 0x%x: %q, %v, want %q", c.n, c.at, b[:n], err, c.bytes)
		}
	}
	if n, err := recording().Without(0x2000).ReadAt(make([]byte, 2), 0x1fff); n != 1 || err == nil {
		t.Errorf("without the page: %d, %v", n, err)
	}
}

// A recorder keeps the pages that were read, and no others.
func TestRecorder(t *testing.T) {
	r := &Recorder{Mem: recording()}
	for _, at := range []int64{0x1ffe, 0x5000, 0x2ffe, -4} {
		want, got := make([]byte, 4), make([]byte, 4)
		wantN, _ := recording().ReadAt(want, at)
		if n, _ := r.ReadAt(got, at); n != wantN || !bytes.Equal(want, got) {
			t.Errorf("0x%x: %x, want %x", at, got[:n], want[:wantN])
		}
	}
	if diff := cmp.Diff([]uint64{0x1000, 0x2000, 1<<64 - PageSize}, r.Addresses()); diff != "" {
		t.Error(diff)
	}
}

func TestReadRecordingRefuses(t *testing.T) {
	r := recording()
	var whole bytes.Buffer
	if err := r.Write(&whole); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 5, whole.Len() / 2, whole.Len() - 20} {
		if _, err := ReadRecording(bytes.NewReader(whole.Bytes()[:n])); err == nil ||
			!strings.HasPrefix(err.Error(), "recording: ") {
			t.Errorf("the first %d of %d bytes: %v", n, whole.Len(), err)
		}
	}
	r.Pages[0x3008] = page(3)
	var odd bytes.Buffer
	r.Write(&odd)
	if _, err := ReadRecording(&odd); err == nil || !strings.Contains(err.Error(), "0x3008") {
		t.Errorf("a page at an odd address: %v", err)
	}
}

func FuzzReadRecording(f *testing.F) {
	var b bytes.Buffer
	if err := recording().Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ReadRecording(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, at := range r.Addresses() {
			if n, err := r.ReadAt(make([]byte, PageSize), int64(at)); n != PageSize || err != nil {
				t.Fatalf("page 0x%x: %d, %v", at, n, err)
			}
		}
	})
}
