package sampler

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// replacing is this process, with the BPF program told that it has code of a file where it has reserved memory.
type replacing struct {
	*testing.T
	*Sampler
	code    uint64
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
	return &replacing{T: t, Sampler: s, code: reserve(t), process: bpf.Process{Id: 7}}
}

// tell tells the BPF program of mappings that were read at a time, of which the second one is of that kind.
func (r *replacing) tell(read int64, kind uint32) {
	r.Helper()
	p := &r.process
	p.Read, p.N_mappings = uint64(read), 3
	copy(p.Mappings[:], []bpf.Mapping{
		{Start: 0x1000, End: 0x2000, Kind: bpf.MappingNative},
		{Start: r.code + reserved/2, End: r.code + reserved/2 + 0x1000, Kind: kind},
		{Start: 1 << 46, End: 1<<46 + 0x1000, Kind: bpf.MappingGenerated},
	})
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

// want checks which kinds the mappings have in the BPF program: the second one that.
func (r *replacing) want(what string, second uint32, outdated bool) {
	r.Helper()
	var told bpf.Process
	if err := r.objects.Processes.Lookup(uint32(os.Getpid()), &told); err != nil {
		r.Fatal(err)
	}
	want := [3]uint32{bpf.MappingNative, second, bpf.MappingGenerated}
	for i, kind := range want {
		if told.Mappings[i].Kind != kind {
			r.Errorf("%s: mapping %d is %d, want %d", what, i, told.Mappings[i].Kind, kind)
		}
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
	first := Now()
	r.tell(first, bpf.MappingNative)
	reserve(t)
	r.want("other memory", bpf.MappingNative, false)
	second := r.replace()
	r.want("replaced", bpf.MappingGone, true)
	r.tell(first, bpf.MappingNative)
	r.want("read before", bpf.MappingGone, true)
	r.tell(second, bpf.MappingNative)
	r.want("read since", bpf.MappingNative, false)
	r.tell(second, bpf.MappingGone)
	r.replace()
	r.tell(second, bpf.MappingNative)
	r.want("replaced where code was", bpf.MappingGone, true)
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
