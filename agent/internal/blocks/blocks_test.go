package blocks

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// written has a block for each key, with the key itself and a text in it.
func written(keys ...uint64) []byte {
	var w Writer
	for _, k := range keys {
		w.Begin(k)
		w.Data = binary.AppendUvarint(w.Data, k)
		w.Data = binary.AppendVarint(w.Data, -int64(k))
		w.Data = append(binary.AppendUvarint(w.Data, 4), "text"...)
	}
	return w.AppendTo(nil)
}

func opened(b []byte) (*Table, error) { return Open(bytes.NewReader(b), int64(len(b))) }

func TestBlocks(t *testing.T) {
	keys := []uint64{3, 5, 900, 1 << 40}
	encoded := written(keys...)
	table, err := opened(encoded)
	if err != nil || table.Len() != len(keys) {
		t.Fatalf("%v, want %d blocks", err, len(keys))
	}
	for range 2 {
		for i, k := range keys {
			b, err := table.Read(i)
			if err != nil || table.Key(i) != k {
				t.Fatalf("block %d: key %d, %v", i, table.Key(i), err)
			}
			r := NewRecords(b)
			n, minus, text := r.Number(), r.Signed(), r.Bytes(r.Number())
			if n != k || minus != -int64(k) || string(text) != "text" || r.Left() != 0 || r.Cut() {
				t.Errorf("block %d: %d, %d, %q", i, n, minus, text)
			}
			if r.Number() != 0 || r.Signed() != 0 || r.Bytes(1) != nil || !r.Cut() {
				t.Error("something behind the last record")
			}
		}
		table.Move(strings.NewReader(string(encoded)))
	}
	for key, want := range map[uint64]int{0: -1, 2: -1, 3: 0, 4: 0, 5: 1, 899: 1, 900: 2, 1 << 50: 3} {
		if got := table.Find(key); got != want {
			t.Errorf("Find(%d) = %d, want %d", key, got, want)
		}
	}
	if table, err := opened(written()); err != nil || table.Find(1) != -1 {
		t.Errorf("no blocks: %v", err)
	}
}

func TestDamagedBlocks(t *testing.T) {
	good := written(3, 5, 900)
	for size := range good {
		if _, err := opened(good[:size]); err == nil {
			t.Errorf("%d of %d bytes are enough", size, len(good))
		}
	}
	for name, b := range map[string][]byte{
		"same keys": written(3, 3), "falling keys": written(5, 3), "more bytes": append(slices.Clone(good), 0),
	} {
		if _, err := opened(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(written(3, 5, 900), uint64(5))
	f.Fuzz(func(t *testing.T, b []byte, key uint64) {
		table, err := opened(b)
		if err != nil {
			return
		}
		if i := table.Find(key); i >= 0 && table.Key(i) > key {
			t.Errorf("Find(%d) is a block from %d on", key, table.Key(i))
		}
		for i := range table.Len() {
			if block, err := table.Read(i); err != nil || len(block) > len(b) {
				t.Errorf("block %d: %d bytes of %d, %v", i, len(block), len(b), err)
			}
		}
	})
}
