// Package bpf is the kernel half of the profiler: the BPF program, its maps, and the types of their keys and values.
// The compiled objects are committed, that of the profiler also compressed: building hotspan needs no C compiler.
package bpf

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf/kernelbtf"
)

//go:generate sh generate.sh

// Probes says which programs take samples at probes, or of waits. Without any, or beside them, that of the timer does.
type Probes struct{ Uprobes, Uretprobes, Syscalls, SyscallEnds, Tracepoints, Waits, Timer bool }

// leftOut returns which programs are not loaded: the kernel takes a tenth of a second for each.
func (p Probes) leftOut() (names []string) {
	for name, wanted := range map[string]bool{
		hotspanProgHotspanSample:     p == Probes{} || p.Timer,
		hotspanProgHotspanUprobe:     p.Uprobes,
		hotspanProgHotspanUretprobe:  p.Uretprobes,
		hotspanProgHotspanSyscall:    p.Syscalls,
		hotspanProgHotspanSyscallEnd: p.SyscallEnds,
		hotspanProgHotspanTracepoint: p.Tracepoints,
		hotspanProgHotspanSwitch:     p.Waits,
		hotspanProgHotspanWakeup:     p.Waits,
		hotspanProgHotspanCallEnd:    p.Waits,
		hotspanProgHotspanFaultEnd:   p.Waits,
	} {
		if !wanted {
			names = append(names, name)
		}
	}
	return names
}

// SampledRecords is how many addresses of records are kept, a power of two: those of some seconds, which is longer than
// what has them waits before it looks.
const SampledRecords = 1 << 13

// Loader loads the programs, first those that notice what processes do. Before a method has returned the
// Objects lack its programs.
type Loader struct {
	objects   *Objects
	spec      *ebpf.CollectionSpec
	with      ebpf.CollectionOptions
	lifecycle map[string]*ebpf.ProgramSpec
}

// Create creates the BPF maps. ringBytes is the size of the ring buffer in bytes, a power of two of at least a page;
// sampledRecords is whether there is room for those. The caller closes the Objects, which have maps only until the
// programs are loaded: the kernel takes a tenth of a second to verify each of those that take samples. On other
// processors than x86-64 it is an error: the programs read the registers of that one.
func Create(ringBytes uint32, sampledRecords bool, probes Probes) (o *Objects, load *Loader, err error) {
	if err := checkArchitecture(runtime.GOARCH); err != nil {
		return nil, nil, err
	}
	go kernelbtf.Read() // Lifecycle needs it
	spec, err := loadSpec(probes.leftOut()...)
	if err != nil {
		return nil, nil, err
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, nil, err
	}
	spec.Maps["scratches"].MaxEntries = uint32(cpus)
	spec.Maps["events"].MaxEntries = ringBytes
	if sampledRecords {
		spec.Maps[hotspanMapSampledRecords].MaxEntries += SampledRecords // the first entry has none
	}
	if probes.Waits {
		spec.Maps[hotspanMapWaiting].MaxEntries = MaxWaiting
	}
	MapTables(spec)
	programs := spec.Programs
	spec.Programs = nil // not to be copied
	only := spec.Copy()
	spec.Programs = programs
	created, err := ebpf.NewCollection(only)
	if err != nil {
		return nil, nil, fmt.Errorf("create the BPF maps: %w", err)
	}
	defer created.Close()
	with := ebpf.CollectionOptions{MapReplacements: maps.Clone(created.Maps)}
	o = new(Objects)
	if err := created.Assign(&o.hotspanMaps); err != nil {
		return nil, nil, fmt.Errorf("create the BPF maps: %w", err)
	}
	spec.Variables = nil             // the mirrors are generated from them
	for name := range created.Maps { // theirs
		delete(spec.Maps, name)
		delete(with.MapReplacements, name)
	}
	lifecycle := map[string]*ebpf.ProgramSpec{}
	for _, name := range []string{hotspanProgHotspanExec, hotspanProgHotspanExit, hotspanProgHotspanMap} {
		lifecycle[name] = spec.Programs[name]
		delete(spec.Programs, name)
	}
	return o, &Loader{o, spec, with, lifecycle}, nil
}

// Lifecycle loads the programs that report the exec and exit of processes, and notice when code is replaced. They are
// small.
func (l *Loader) Lifecycle() error {
	if kernel, err := kernelbtf.Read(); err == nil {
		l.with.Programs.KernelTypes = kernel.Types
		if l.tracing(kernel) == nil {
			return nil
		}
	}
	only := l.spec.Copy() // it takes longer, and the error says more
	only.Programs = l.lifecycle
	return l.load(only)
}

// tracing is Lifecycle by what is known of the kernel's types.
func (l *Loader) tracing(kernel *kernelbtf.Kernel) error {
	loaded := map[string]*ebpf.Program{}
	for name, spec := range l.lifecycle {
		p, err := kernel.Load(spec, l.with.MapReplacements)
		if err != nil {
			for _, p := range loaded {
				p.Close()
			}
			return err
		}
		loaded[name] = p
	}
	o := l.objects
	o.HotspanExec, o.HotspanExit = loaded[hotspanProgHotspanExec], loaded[hotspanProgHotspanExit]
	o.HotspanMap = loaded[hotspanProgHotspanMap]
	return nil
}

// Sampling loads the programs that take samples. Call it after Lifecycle.
func (l *Loader) Sampling() error { return l.load(l.spec) }

func (l *Loader) load(spec *ebpf.CollectionSpec) error {
	loaded, err := ebpf.NewCollectionWithOptions(spec, l.with)
	if err != nil {
		return fmt.Errorf("load the BPF program: %w", explain(err))
	}
	defer loaded.Close()
	programs := reflect.ValueOf(&l.objects.hotspanPrograms).Elem()
	for field, program := range programs.Fields() {
		if p := loaded.DetachProgram(field.Tag.Get("ebpf")); p != nil {
			program.Set(reflect.ValueOf(p))
		}
	}
	return nil
}

// MapTables has the sampler write unwind rules into mapped memory, in a sixtieth of the time that updates take.
func MapTables(spec *ebpf.CollectionSpec) { spec.Maps["tables"].InnerMap.Flags |= unix.BPF_F_MMAPABLE }

func checkArchitecture(goarch string) error {
	if goarch != "amd64" {
		return fmt.Errorf("hotspan samples x86-64 only; this is %s", goarch)
	}
	return nil
}

// explain shortens the log of the verifier to its last lines.
func explain(err error) error {
	var v *ebpf.VerifierError
	if errors.As(err, &v) && len(v.Log) > 4 {
		v.Log = v.Log[len(v.Log)-4:]
	}
	return err
}
