package wasm

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what is read of one module of WebAssembly. V8's own are 1 GiB for a module and a million functions.
const (
	maxModule      = 1 << 30
	maxSections    = 1 << 12
	maxNameSection = 32 << 20
	maxImports     = 1 << 20
	maxBodies      = 1 << 20
)

// Module is what the bytes of a module say, from which V8 compiled it: names are in its name section, which
// compilers write unless they are told to strip it. (WebAssembly core specification, "Binary Format" and "Name
// Section")
type Module struct {
	Name     string         // empty where the module has none
	names    map[int]string // of functions
	imported int            // functions that are imported: they come first
	bodies   []uint32       // offset of each other function's body in the module; nil until it is asked for
	address  uint64         // of the NativeModule
	wire     [2]uint64      // where the bytes are: address and size
	code     section
	proofs   []proof
}

// Size is how many bytes it takes, roughly, once the bodies of its functions have been found: each has at least two.
func (m *Module) Size() int {
	n := 4 * int(min(m.code.size/2, maxBodies))
	for _, name := range m.names {
		n += 48 + len(name)
	}
	return n
}

// proof is a piece of a module's bytes, by which it is recognised.
type proof struct {
	at    uint64
	bytes []byte
}

// section is the content of a section, by its offset in the module.
type section struct{ at, size uint64 }

// ReadModule reads the NativeModule at an address.
func ReadModule(r *heap.Reader, address uint64) (*Module, error) {
	m := &Module{address: address}
	var err error
	if m.wire, err = wireBytes(r, address); err != nil {
		return nil, err
	}
	if err := m.sections(r); err != nil {
		return nil, fmt.Errorf("module 0x%x: %w", address, err)
	}
	if err := m.spread(r); err != nil {
		return nil, err
	}
	return m, nil
}

// wireBytes follows the pointer from a NativeModule to the vector of its bytes.
func wireBytes(r *heap.Reader, module uint64) (wire [2]uint64, err error) {
	vector, err := r.WordAt(module + uint64(r.Layout().At(layout.WasmModuleBytes)))
	if err != nil {
		return wire, err
	}
	b, err := r.Bytes(uint64(vector), 16)
	if err != nil {
		return wire, err
	}
	wire = [2]uint64{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
	if wire[1] < 8 || wire[1] > maxModule {
		return wire, fmt.Errorf("module 0x%x: %d bytes", module, wire[1])
	}
	return wire, nil
}

// Same reports whether m still is what it was: a module is freed, and its place used again. What names it is
// compared, or at least the beginning of that, and some pieces: a stripped module has no names.
func (m *Module) Same(r *heap.Reader) bool {
	wire, err := wireBytes(r, m.address)
	if err != nil || wire != m.wire {
		return false
	}
	for _, p := range m.proofs {
		if b, err := r.Bytes(m.wire[0]+p.at, len(p.bytes)); err != nil || !bytes.Equal(b, p.bytes) {
			return false
		}
	}
	return true
}

// What is kept to recognise a module: so much of its name section, and so many pieces, evenly spread from its first
// byte to its last. Few, since their pages may be swapped out: V8 itself reads them only while it compiles.
const (
	maxProof  = 4096
	pieces    = 4
	pieceSize = 1024
)

// spread keeps the pieces of a module; a small one is kept whole.
func (m *Module) spread(r *heap.Reader) error {
	n := min(m.wire[1], pieceSize)
	for i := range uint64(pieces) {
		at := (m.wire[1] - n) * i / (pieces - 1)
		b, err := r.Bytes(m.wire[0]+at, int(n))
		if err != nil {
			return fmt.Errorf("module 0x%x: %w", m.address, err)
		}
		m.proofs = append(m.proofs, proof{at, b})
	}
	return nil
}

// sections goes through a module, reads what it imports and its names, and keeps where its code is.
func (m *Module) sections(r *heap.Reader) error {
	c := wire{r: r, base: m.wire[0], size: m.wire[1]}
	if magic := c.take(8); !bytes.Equal(magic, []byte("\x00asm\x01\x00\x00\x00")) {
		return fmt.Errorf("begins with % x, which is no WebAssembly", magic)
	}
	for range maxSections {
		if c.at >= c.size || c.err != nil {
			break
		}
		id, s := c.u8(), section{}
		s.size = uint64(c.u32())
		s.at = c.at
		if s.size > c.size-min(s.at, c.size) {
			return fmt.Errorf("section %d of %d bytes at %d is cut off", id, s.size, s.at)
		}
		switch id {
		case 0:
			m.custom(r, s)
		case 2:
			m.imported = m.imports(r, s)
		case 10:
			m.code = s
		}
		c.at = s.at + s.size
	}
	return c.err
}

// custom reads a section if it is the first one that has names.
func (m *Module) custom(r *heap.Reader, s section) {
	c := m.wireOf(r, s)
	if m.names != nil || c.u32() != 4 || string(c.take(4)) != "name" {
		return
	}
	m.names = map[int]string{}
	b := c.take(min(c.size-c.at, maxNameSection))
	m.proofs = append(m.proofs, proof{c.at - uint64(len(b)), bytes.Clone(b[:min(len(b), maxProof)])})
	m.Name = decodeNames(string(b), m.names)
}

func (m *Module) wireOf(r *heap.Reader, s section) *wire {
	return &wire{r: r, base: m.wire[0], at: s.at, size: s.at + s.size}
}

// Imported is the number of functions that the module imports; -1 where that is not known.
func (m *Module) Imported() int { return m.imported }

// FunctionName is the name of a function in V8's manner: what the name section says, else the function's index.
func (m *Module) FunctionName(index int) string {
	if name := m.names[index]; name != "" {
		return name
	}
	return fmt.Sprintf("wasm-function[%d]", index)
}

// Body is the offset in the module of a function's body.
func (m *Module) Body(r *heap.Reader, index int) (offset int, ok bool) {
	if m.bodies == nil {
		m.bodies = m.functionBodies(r)
	}
	i := index - m.imported
	if m.imported < 0 || i < 0 || i >= len(m.bodies) {
		return 0, false
	}
	return int(m.bodies[i]), true
}

func (m *Module) functionBodies(r *heap.Reader) []uint32 {
	c := m.wireOf(r, m.code)
	out := []uint32{}
	for n := min(c.u32(), maxBodies); n > 0 && c.err == nil; n-- {
		size := uint64(c.u32())
		if c.err == nil {
			out = append(out, uint32(c.at))
		}
		c.at += size
	}
	return out
}

// imports counts the functions that a module imports; -1 where it has imports of an unknown kind.
func (m *Module) imports(r *heap.Reader, s section) int {
	c := m.wireOf(r, s)
	functions := 0
	n := c.u32()
	if n > maxImports {
		return -1
	}
	for ; n > 0; n-- {
		c.at += uint64(c.u32()) // module
		c.at += uint64(c.u32()) // field
		if c.skipImport() {
			functions++
		}
		if c.err != nil {
			return -1
		}
	}
	return functions
}
