package sampler

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// replacing is this process, with the BPF program told that it has code of a file where it has reserved memory.
type replacing struct {
	*testing.T
	*Sampler
	code    uint64
	files   int // how many have code there
	process bpf.Process
}

const reserved = 1 << 20 // bytes

func newReplacing(t *testing.T) *replacing {
	t.Helper()
	s, err := Open(Config{RingBytes: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &replacing{T: t, Sampler: s, code: reserve(t), files: 1, process: bpf.Process{Id: 7}}
}

// tell tells the BPF program of mappings that were read at a time, of which those there are of that kind.
func (r *replacing) tell(read int64, kind uint32) {
	r.Helper()
	p := &r.process
	mappings := []bpf.Mapping{
		{Start: 0x1000, End: 0x2000, Kind: bpf.MappingNative},
		{Start: 0x2000, End: 0x3000, Kind: bpf.MappingGenerated},
	}
	for i := range r.files {
		at := r.code + uint64(i)*0x2000
		mappings = append(mappings, bpf.Mapping{Start: at, End: at + 0x1000, Kind: kind})
	}
	p.Read, p.N_mappings = uint64(read), uint32(copy(p.Mappings[:], mappings))
	if err := r.SetProcess(os.Getpid(), p); err != nil {
		r.Fatal(err)
	}
}

// replace puts other memory there, and returns a time after that.
func (r *replacing) replace() int64 {
	r.Helper()
	before := Now()
	if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, uintptr(r.code), reserved, 0); errno != 0 {
		r.Fatal(errno)
	}
	if again := reserve(r); again != r.code {
		r.Fatalf("the kernel has found 0x%x, not 0x%x again", again, r.code)
	}
	if at := r.Replaced(&r.process); at < before || at > Now() || !r.Outdated(&r.process) {
		r.Errorf("replaced at %d, after %d; outdated: %v", at, before, r.Outdated(&r.process))
	}
	return Now()
}

// want checks which kinds the mappings have in the BPF program.
func (r *replacing) want(what string, outdated bool, want ...uint32) {
	r.Helper()
	var told bpf.Process
	if err := r.objects.Processes.Lookup(uint32(os.Getpid()), &told); err != nil {
		r.Fatal(err)
	}
	var got []uint32
	for _, m := range told.Mappings[:told.N_mappings] {
		got = append(got, m.Kind)
	}
	if !slices.Equal(got, want) {
		r.Errorf("%s: mappings are %v, want %v", what, got, want)
	}
	if got := r.Outdated(&r.process); got != outdated {
		r.Errorf("%s: outdated: %v", what, got)
	}
}

// TestReplaced: the BPF program notices that a process gets memory where it was told that code is. That place does not
// count until it is told again of mappings that were read since, and is watched for as long as it is told that code was
// there.
func TestReplaced(t *testing.T) {
	r := newReplacing(t)
	const native, v8, gone = bpf.MappingNative, bpf.MappingGenerated, bpf.MappingGone
	first := Now()
	r.tell(first, native)
	reserve(t)
	r.want("other memory", false, native, v8, native)
	second := r.replace()
	r.want("replaced", true, native, v8, gone)
	r.tell(first, native)
	r.want("read before", true, native, v8, gone)
	r.tell(second, native)
	r.want("read since", false, native, v8, native)
	r.tell(second, gone)
	r.replace()
	r.tell(second, native)
	r.want("replaced where code was", true, native, v8, gone)
}

// TestManyReplaced: where memory was given out that had the code of many files, no code counts until it is told again.
func TestManyReplaced(t *testing.T) {
	r := newReplacing(t)
	const native, v8, gone = bpf.MappingNative, bpf.MappingGenerated, bpf.MappingGone
	first := Now()
	r.files = 3
	r.tell(first, native)
	second := r.replace()
	r.want("three files", true, native, v8, gone, gone, gone)
	r.files = 4
	r.tell(second, native)
	third := r.replace()
	r.want("four files", true)
	r.tell(second, native)
	r.want("read before", true, gone, v8, gone, gone, gone, gone)
	r.tell(third, native)
	r.want("read since", false, native, v8, native, native, native, native)
}

// reserve gets memory anywhere.
func reserve(t testing.TB) uint64 {
	t.Helper()
	b, err := unix.MmapPtr(-1, 0, nil, reserved, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(uintptr(b))
}
