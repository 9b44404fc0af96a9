package bpf

import (
	"bytes"
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/klauspost/compress/zstd"
)

// ErrNotSupported says that the kernel lacks something of BPF, or that it seems so: a system call was refused.
var ErrNotSupported = ebpf.ErrNotSupported

// compressed is the BPF object as compress/ writes it, a quarter of its size. The generated loader, which nothing
// calls, has it as it is: the linker leaves that out.
//
//go:embed hotspan_bpfel.o.zst
var compressed []byte

// object returns the BPF object. It takes 0.4 ms.
func object() ([]byte, error) {
	decompressor, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer decompressor.Close()
	return decompressor.DecodeAll(compressed, nil)
}

// loadSpec reads the BPF object, but for some programs.
func loadSpec(leftOut ...string) (*ebpf.CollectionSpec, error) {
	file, err := object()
	if err != nil {
		return nil, fmt.Errorf("decompress the BPF object: %w", err)
	}
	var spec *ebpf.CollectionSpec
	if err = hide(file, leftOut); err == nil {
		spec, err = ebpf.LoadCollectionSpecFromReader(bytes.NewReader(file))
	}
	if err != nil {
		return nil, fmt.Errorf("read the BPF object: %w", err)
	}
	for _, name := range leftOut { // others are in their sections
		delete(spec.Programs, name)
	}
	return spec, nil
}

// hide has cilium/ebpf not see the sections that have only programs which are left out: of each program that it reads,
// it copies all functions, 13,000 instructions of 80 bytes. They are hidden as sections without code.
func hide(file []byte, programs []string) error {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return err
	}
	all, err := f.Symbols()
	if err != nil {
		return err
	}
	hidden := map[elf.SectionIndex]bool{}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			before, met := hidden[s.Section]
			hidden[s.Section] = (before || !met) && slices.Contains(programs, s.Name)
		}
	}
	const headers, flags, size = 0x28, 8, 64 // where the file has its section headers, and one its flags (ELF-64)
	for i, hide := range hidden {
		if at := binary.LittleEndian.Uint64(file[headers:]) + uint64(i)*size + flags; hide {
			binary.LittleEndian.PutUint64(file[at:], uint64(f.Sections[i].Flags&^elf.SHF_EXECINSTR))
		}
	}
	return nil
}
