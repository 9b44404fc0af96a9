package sampler

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// openMaps are the BPF maps of this program, with the unwind tables in them: those of an agent, and beside them those
// of each profile that somebody asks it for.
var openMaps = struct {
	sync.Mutex
	all map[*bpf.Objects]openTables
}{all: map[*bpf.Objects]openTables{}}

type openTables struct {
	*tableSlots
	beside bool
}

func addMaps(o *bpf.Objects, tables *tableSlots, beside bool) {
	openMaps.Lock()
	defer openMaps.Unlock()
	openMaps.all[o] = openTables{tables, beside}
}

// removeMaps is called before the maps are closed.
func removeMaps(o *bpf.Objects) {
	openMaps.Lock()
	defer openMaps.Unlock()
	delete(openMaps.all, o)
}

// MapBytes returns how much memory the BPF maps of all Samplers of this program take, less those with Config.Beside, in
// bytes: the kernel's count, and the unwind tables, which it does not count with the map that has them. It takes some
// system calls for each map, and may be called from any goroutine.
func MapBytes() int64 { return mapBytes(false) }

// MapBytesBeside returns how much those with Config.Beside take, as MapBytes does for the others.
func MapBytesBeside() int64 { return mapBytes(true) }

func mapBytes(beside bool) (sum int64) {
	openMaps.Lock()
	defer openMaps.Unlock()
	for o, tables := range openMaps.all {
		if tables.beside != beside {
			continue
		}
		sum += tables.bytes()
		for _, m := range o.Maps() {
			if info, err := m.Info(); err == nil {
				n, _ := info.Memlock()
				sum += int64(n)
			}
		}
	}
	return sum
}

// inKernel is the time that the BPF programs of all Samplers of this program have taken, in nanoseconds.
var inKernel atomic.Int64

// InKernel returns how much time the BPF programs of all Samplers of this program had taken when their Counters were
// read last, those included that are closed. It may be called from any goroutine.
func InKernel() time.Duration { return time.Duration(inKernel.Load()) }

// kernelTime is how much of it one Sampler has counted, in nanoseconds.
type kernelTime uint64

// count counts the time that the Sampler's BPF program has taken since the last call.
func (t *kernelTime) count(soFar uint64) {
	inKernel.Add(int64(soFar - uint64(*t)))
	*t = kernelTime(soFar)
}
