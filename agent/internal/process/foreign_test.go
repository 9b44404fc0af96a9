package process_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// foreign is memory of a process that shows its isolate as an add-on's: no script is a part of Node.js, and bytecode
// has no table of positions before an error was thrown.
type foreign struct {
	io.ReaderAt
	tables    map[uint64]bool // addresses of the references to them
	undefined uint64
}

func (m *foreign) ReadAt(p []byte, at int64) (int, error) {
	n, err := m.ReaderAt.ReadAt(p, at)
	copy(p, bytes.ReplaceAll(p[:n], []byte("node:"), []byte("file:")))
	for i := int(-at & 7); i+8 <= n; i += 8 {
		if m.tables[uint64(at)+uint64(i)] {
			binary.LittleEndian.PutUint64(p[i:], m.undefined)
		}
	}
	return n, err
}

// hide finds the tables of an isolate.
func (m *foreign) hide(t *testing.T, p *process.Process) {
	t.Helper()
	r, l := p.Heap(), p.Layout
	isolate, err := p.MainIsolate()
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.FindScripts(isolate)
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := r.Scripts(list, 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		infos, err := r.WordAt(uint64(s) - 1 + uint64(l.At(layout.ScriptInfos)))
		if err != nil {
			t.Fatal(err)
		}
		length, _ := r.WordAt(uint64(infos) - 1 + uint64(l.At(layout.FixedArrayLength)))
		for n := range length.Smi() {
			w, _ := r.WordAt(uint64(infos) - 1 + uint64(l.At(layout.FixedArrayData)) + uint64(8*n))
			if array, err := r.BytecodeOf(w.Strong()); err == nil && r.IsBytecode(array) {
				m.tables[uint64(array)-1+uint64(l.At(layout.BytecodeArrayPositions))] = true
			}
		}
	}
	if len(m.tables) < 100 {
		t.Fatalf("%d tables of positions", len(m.tables))
	}
}

// undefinedOf is undefined, which the isolate has for its async context before there is one.
func undefinedOf(t *testing.T, p *process.Process) uint64 {
	isolate, err := p.MainIsolate()
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Heap().WordAt(isolate + uint64(p.Layout.At(layout.IsolateCPED)))
	if err != nil || w == 0 {
		t.Fatalf("%#x, %v", uint64(w), err)
	}
	return uint64(w)
}

// TestVerifyForeign: an isolate that is none of Node.js contradicts nothing, and does not show that all is right.
func TestVerifyForeign(t *testing.T) {
	list := nodes.Thorough()
	n := live.Start(t, list[len(list)-1].Version, "--always-sparkplug", "-e", `
		process.stdin.on('end', () => process.exit()).resume();
		const busy = () => {
			for (const end = Date.now() + 20; Date.now() < end;);
			setImmediate(busy);
		};
		busy();
		console.error('ready')`)
	p, err := process.Open(n.PID, elffile.NewLayoutCache())
	if err != nil {
		t.Fatal(err)
	}
	memory := p.Memory
	verified := func() verify.Result {
		t.Helper()
		result, err := p.Verify()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	result := verified()
	for tries := 0; result.Partly && tries < 100; tries++ { // between two turns of the event loop it has no context
		result = verified()
	}
	if len(result.Wrong) > 0 || result.Partly {
		t.Fatalf("an isolate of Node.js: %+v", result)
	}
	m := &foreign{ReaderAt: memory, tables: map[uint64]bool{}, undefined: undefinedOf(t, p)}
	m.hide(t, p)
	p.Memory = m
	if result := verified(); len(result.Wrong) > 0 || !result.Partly {
		t.Errorf("another: %+v", result)
	}
	wrong := *p.Layout
	wrong.Values[layout.ScriptName].N += 8
	p.Memory, p.Layout = memory, &wrong
	if result := verified(); result.Off&verify.Names == 0 {
		t.Errorf("an isolate of Node.js with names of scripts in another place: %+v", result)
	}
}
