package walk

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/test/draw"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestLastObject: what follows an object of the heap may not be mapped. Each object that labels are read of, by a
// reference to it, is moved before such memory, and leads to the same labels.
func TestLastObject(t *testing.T) {
	p := bpftest.Load(t)
	for _, version := range draw.Share([]string{"22.23.3", "24.21.0", "26.10.0"}, 3, t.Name()) {
		for _, tracer := range []string{"opentelemetry", "datadog"} {
			t.Run(version+"/"+tracer, func(t *testing.T) {
				k, r := atRoute(t, p, version, tracer)
				count := k.counts(t, r.Pages)
				whole := k.once(t, count(r.Pages))
				moved := map[uint64]bool{}
				for _, at := range k.heapWords(&r.Recording, whole) {
					object := wordAt(r.Pages, at)
					size := k.sizeOf(r.Pages, object)
					if size == 0 {
						continue
					}
					moved[object] = true
					last := make([]byte, memory.PageSize)
					if _, err := r.Recording.ReadAt(last[memory.PageSize-size:], int64(object-1)); err != nil {
						t.Fatal(err)
					}
					pages := withWord(count(r.Pages), at, noPage+memory.PageSize-size+1)
					pages[noPage] = last
					got := k.once(t, pages)
					if diff := cmp.Diff(whole.labels, got.labels); diff != "" || got.flags != whole.flags {
						t.Errorf("0x%x of %d bytes, by the word at 0x%x: %v\n%s", object, size, at, got.flags, diff)
					}
				}
				t.Logf("%d objects", len(moved))
				if len(moved) < 3 {
					t.Errorf("%d objects were moved: the test is for nothing", len(moved))
				}
			})
		}
	}
}

// noPage is one that no recording has, nor the next one.
const noPage = 0x6000_0000_0000

// sizeOf is how many bytes an object of JavaScript has, by its hidden class; 0 where that is not recorded.
func (k *kernelWalk) sizeOf(pages map[uint64][]byte, object uint64) uint64 {
	class := recordedWord(pages, object-1) - 1
	typ := recordedWord(pages, class+uint64(k.config.V8.MapType)) & 0xffff
	if object&1 == 0 || typ < uint64(k.config.V8.FirstJsObject) {
		return 0
	}
	return recordedWord(pages, class+uint64(k.config.V8.InstanceSize)) & 0xff * 8
}

// recordedWord is a word of memory, 0 where that is not recorded.
func recordedWord(pages map[uint64][]byte, at uint64) uint64 {
	var b [8]byte
	r := memory.Recording{Pages: pages}
	if _, err := r.ReadAt(b[:], int64(at)); err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}
