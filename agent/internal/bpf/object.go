package bpf

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/klauspost/compress/zstd"
)

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

// loadSpec reads the BPF object.
func loadSpec() (*ebpf.CollectionSpec, error) {
	file, err := object()
	if err != nil {
		return nil, fmt.Errorf("decompress the BPF object: %w", err)
	}
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("read the BPF object: %w", err)
	}
	return spec, nil
}
