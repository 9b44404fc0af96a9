package kernelbtf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// Load loads a program that is attached to a BTF tracepoint or lists something, as ebpf.NewProgram does, which would
// read all of the kernel's types to find the id of one. It gives the kernel no BTF of the program, so that may have no
// global functions but itself. maps are what its instructions name. The error does not have the verifier's reasons.
func (k *Kernel) Load(spec *ebpf.ProgramSpec, maps map[string]*ebpf.Map) (*ebpf.Program, error) {
	target, ok := k.targets[targetOf(spec)]
	if !ok {
		return nil, fmt.Errorf("load %s: the kernel has no %s", spec.Name, spec.AttachTo)
	}
	code, err := k.link(spec.Instructions, maps)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", spec.Name, err)
	}
	license := append([]byte(spec.License), 0)
	a := loadAttr{
		kind: uint32(spec.Type), count: uint32(len(code) / asm.InstructionSize), attachType: uint32(spec.AttachType),
		instructions: address(code), license: address(license), flags: spec.Flags, target: target,
	}
	copy(a.name[:len(a.name)-1], spec.Name)
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_LOAD, uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a))
	runtime.KeepAlive(code)
	runtime.KeepAlive(license)
	runtime.KeepAlive(maps)
	if errno != 0 {
		return nil, fmt.Errorf("load %s: %w", spec.Name, errno)
	}
	return ebpf.NewProgramFromFD(int(fd))
}

// targetOf is the name of that type.
func targetOf(spec *ebpf.ProgramSpec) string {
	switch spec.AttachType {
	case ebpf.AttachTraceRawTp:
		return tracePrefix + spec.AttachTo
	case ebpf.AttachTraceIter:
		return iterPrefix + spec.AttachTo
	}
	return ""
}

// link returns the machine code of instructions, with the kernel's offsets in it and with the maps.
func (k *Kernel) link(of asm.Instructions, maps map[string]*ebpf.Map) ([]byte, error) {
	of = slices.Clone(of)
	var relocations []*btf.CORERelocation
	var at []*asm.Instruction
	for i := range of {
		in := &of[i]
		if r := btf.CORERelocationMetadata(in); r != nil {
			relocations, at = append(relocations, r), append(at, in)
		}
		if name := in.Reference(); in.IsLoadFromMap() && name != "" {
			if maps[name] == nil {
				return nil, fmt.Errorf("there is no map %s", name)
			}
			if err := in.AssociateMap(maps[name]); err != nil {
				return nil, err
			}
		}
	}
	noID := func(btf.Type) (btf.TypeID, error) { return 0, errors.New("it asks for the id of a type of its own") }
	found, err := btf.CORERelocate(relocations, []*btf.Spec{k.Types}, binary.LittleEndian, noID)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if err := found[i].Apply(at[i]); err != nil {
			return nil, err
		}
	}
	var code bytes.Buffer
	err = of.Marshal(&code, binary.LittleEndian)
	return code.Bytes(), err
}

// loadAttr is what bpf(2) is given for BPF_PROG_LOAD. (Linux: include/uapi/linux/bpf.h, union bpf_attr)
type loadAttr struct {
	kind, count           uint32
	instructions, license uint64
	_                     [4]uint32 // the verifier's log
	_                     uint32
	flags                 uint32
	name                  [16]byte
	_, attachType         uint32
	_, _                  uint32 // BTF of the program
	_                     uint64
	_, _                  uint32
	_                     uint64
	_, target             uint32
}

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(&b[0]))) }
