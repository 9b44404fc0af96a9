package wasm

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
)

// Pieces of modules, by the core specification: sizes are below 128, so that each is one byte.
func part(id byte, content ...string) string {
	s := strings.Join(content, "")
	return string([]byte{id, byte(len(s))}) + s
}

func named(s string) string { return string(rune(len(s))) + s }

const magic = "\x00asm\x01\x00\x00\x00"

// imports of two functions, among a table of a typed reference, a memory with a maximum, a global and a tag.
var imports = part(2, "\x06", named("m"), named("f"), "\x00\x05", named("m"), named("t"),
	"\x01\x63\x81\x01\x01\x02\x03",
	named("m"), named("mem"), "\x02\x01\x01\x80\x02", named("m"), named("g"), "\x03\x7f\x00", named("m"), named("tag"),
	"\x04\x00\x01",
	named(""), named("g2"), "\x00\x01")

var (
	code     = part(10, "\x02", "\x03abc", "\x02de")
	nameList = part(0, named("name"), part(0, named("mod")),
		part(1, "\x03\x00", named("f"), "\x02", named("函数"), "\x03", named("a::<b>")), part(2, "locals"))
)

// inMemory puts a module into memory behind the NativeModule that has it.
func inMemory(module string) (*image, uint64) {
	m := &image{}
	native := m.Put(make([]heap.Word, 64)...)
	vector := m.Put(0, heap.Word(len(module)))
	m.Set(vector, 0, heap.Word(heaptest.Base+len(m.B)))
	m.Set(native, 0xf0/8, vector-1)
	m.B = append(m.B, module...)
	return m, uint64(native) - 1
}

func TestModule(t *testing.T) {
	type module struct {
		Name      string
		Imported  int
		Functions []string
		Bodies    []int
	}
	long := strings.Repeat("x", 100)
	at := len(magic+imports) + 3
	for name, c := range map[string]struct {
		bytes string
		want  module
	}{
		"whole": {magic + imports + code + nameList, module{"mod", 2,
			[]string{"f", "wasm-function[1]", "函数", "a::<b>", "wasm-function[4]"}, []int{-1, -1, at + 1, at + 5, -1}}},
		"without names": {magic + code, module{"", 0,
			[]string{"wasm-function[0]", "wasm-function[1]", "wasm-function[2]", "wasm-function[3]",
				"wasm-function[4]"},
			[]int{len(magic) + 4, len(magic) + 8, -1, -1, -1}}},
		"names before, and again": {magic + part(0, named("name"), part(1, "\x01\x01", named("one"))) +
			part(0, named("other"), long) + nameList,
			module{"", 0, []string{"wasm-function[0]", "one", "wasm-function[2]", "wasm-function[3]",
				"wasm-function[4]"}, []int{-1, -1, -1, -1, -1}}},
		"not UTF-8, and cut off": {magic +
			part(0, named("name"), part(1, "\x7f\x00", named("a\xffb"), "\x01", "\x30abc")),
			module{"", 0, []string{"a\ufffdb", "wasm-function[1]", "wasm-function[2]", "wasm-function[3]",
				"wasm-function[4]"}, []int{-1, -1, -1, -1, -1}}},
		"an import of an unknown kind": {magic + part(2, "\x01", named("m"), named("f"), "\x09") + code + nameList,
			module{"mod", -1, []string{"f", "wasm-function[1]", "函数", "a::<b>", "wasm-function[4]"},
				[]int{-1, -1, -1, -1, -1}}},
	} {
		mem, native := inMemory(c.bytes)
		r := heap.NewReader(mem, testLayout())
		m, err := ReadModule(r, native)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := module{Name: m.Name, Imported: m.Imported()}
		for i := range 5 {
			body, ok := m.Body(r, i)
			if !ok {
				body = -1
			}
			got.Functions, got.Bodies = append(got.Functions, m.FunctionName(i)), append(got.Bodies, body)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestBadModules(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"", "0 bytes"},
		{"\x00elf\x01\x00\x00\x00", "no WebAssembly"},
		{magic + "\x0a\x20abc", "cut off"},
		{magic + "\x00\xff\xff\xff\xff\xff", "more than 32 bits"},
	} {
		mem, native := inMemory(c.bytes)
		if _, err := ReadModule(heap.NewReader(mem, testLayout()), native); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.bytes, err, c.want)
		}
	}
}

// A module's place that is used for another module of the same size is noticed: by what names its functions, and of one
// without names by its bytes, all of them if it is small.
func TestSameModule(t *testing.T) {
	function := "\x03abc"
	body := strings.Repeat(function, 5000)
	size := len(body) + 2
	long := magic + string([]byte{10, byte(size&127 | 128), byte(size>>7&127 | 128), byte(size >> 14)}) +
		"\x88\x27" + body
	for name, c := range map[string]struct{ bytes, from, to string }{
		"another name":      {magic + imports + code + nameList, "a::<b>", "z::<b>"},
		"without names":     {magic + imports + code, "abc", "abd"},
		"other imports":     {magic + imports + code, "mem", "men"},
		"other sizes":       {magic + imports + code, "\x02\x03abc\x02de", "\x02\x02abc\x03de"},
		"other long code":   {long, strings.Repeat(function, 5000), strings.Repeat("bc\x03a", 5000)},
		"another last byte": {long, function + "\x00", "\x03abd\x00"},
	} {
		mem, native := inMemory(c.bytes + "\x00\x00") // an empty section
		r := heap.NewReader(mem, testLayout())
		m, err := ReadModule(r, native)
		if err != nil || !m.Same(r) {
			t.Errorf("%s: %v: not the same", name, err)
			continue
		}
		changed := strings.Replace(string(mem.B), c.from, c.to, 1)
		if changed == string(mem.B) {
			t.Fatalf("%s: the same bytes", name)
		}
		mem.B = []byte(changed)
		if m.Same(r) {
			t.Errorf("%s: said to be the same module", name)
		}
	}
}

func TestLongNamesSayThatTheyAreCut(t *testing.T) {
	for _, n := range []int{maxName - 1, maxName, maxName + 1} {
		want := strings.Repeat("n", min(n, maxName))
		if n > maxName {
			want += "…"
		}
		if got := cut(strings.Repeat("n", n)); got != want {
			t.Errorf("%d characters: %q", n, got)
		}
	}
}

// tree puts nodes into memory and gives the address of the word that points to the root.
func tree(m *image, nodes ...[5]heap.Word) uint64 {
	root := m.Put(0)
	first := heap.Word(heaptest.Base + len(m.B))
	for _, n := range nodes { // left and right are numbers of nodes from 1 on
		child := func(w heap.Word) heap.Word {
			if w == 0 {
				return 0
			}
			return first + (w-1)*56
		}
		m.Put(0, 0, child(n[0]), child(n[1]), n[2], n[3], n[4])
	}
	m.Set(root, 0, first)
	return uint64(root) - 1
}

func TestGreatest(t *testing.T) {
	m := &image{}
	r := heap.NewReader(m, testLayout())
	root := tree(m, [5]heap.Word{2, 3, 50}, [5]heap.Word{0, 4, 20}, [5]heap.Word{0, 0, 80}, [5]heap.Word{0, 0, 30})
	for key, want := range map[uint64]uint64{20: 20, 29: 20, 30: 30, 49: 30, 50: 50, 79: 50, 80: 80, 1 << 40: 80} {
		if got, err := greatest(r, root, key); err != nil || got.key != want {
			t.Errorf("%d: %d, %v, want %d", key, got.key, err, want)
		}
	}
	if _, err := greatest(r, root, 19); err == nil {
		t.Error("a key below all others is found")
	}
	m.Reads = 0
	round := tree(m, [5]heap.Word{1, 1, 50}) // its own child
	if _, err := greatest(r, round, 60); err != nil || m.Reads > 2*maxTreeDepth {
		t.Errorf("a tree without end: %v, %d reads", err, m.Reads)
	}
}

func FuzzModule(f *testing.F) {
	for _, s := range []string{"", magic, magic + imports + code + nameList, magic + code, magic +
		"\x02\x05\xff\xff\xff\xff\x0f", magic + nameList + nameList} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		mem, native := inMemory(string(b))
		r := heap.NewReader(mem, testLayout())
		m, err := ReadModule(r, native)
		if err != nil {
			return
		}
		for i := range 3 {
			m.FunctionName(i)
			if at, ok := m.Body(r, i); ok && at > len(b) {
				t.Fatalf("body of function %d at %d of %d", i, at, len(b))
			}
		}
		if len(m.names) > len(b) || len(m.bodies) > len(b) || mem.Reads > 8*len(b)+100 || !m.Same(r) {
			t.Fatalf("%d names, %d bodies, %d reads of %d bytes", len(m.names), len(m.bodies), mem.Reads, len(b))
		}
	})
}

// The tables of a WasmCode lie in a row: traps, relocation info, positions, inlining.
func TestTables(t *testing.T) {
	m := &image{}
	inlining := string([]byte{7, 0, 0, 0, 0, (40 + 1) << 1, 0, 0, 0, 0, 0, 0, 0})    // as V8 13.6 wrote it
	tailCall := string([]byte{8, 0, 0, 0, 1, (50 + 1) << 1, 0, 0, 0x80, 0, 0, 0, 0}) // in inlining 0
	// At offset 4 of the code: offset 10 of the function's own body; at 9: offset 5 of an inlined one's, in inlining 0;
	// at 14: offset 6 of one that this has called last.
	positions := vlq(5) + vlq((10+1)<<1) + vlq(5) + vlq((5+1)<<1+1<<31-(10+1)<<1) + vlq(5) + vlq(1<<1+1<<31)
	at := heaptest.Base + len(m.B)
	m.B = append(m.B, "trap"+"reloc"+positions+inlining+tailCall...)
	head := make([]byte, headSize)
	binary.LittleEndian.PutUint64(head[0x18:], uint64(at))
	for offset, n := range map[int]int{0x20: 100, 0x24: 5, 0x28: len(positions), 0x2c: 26, 0x34: 4, 0x38: 3} {
		binary.LittleEndian.PutUint32(head[offset:], uint32(n))
	}
	object := heaptest.Base + len(m.B)
	m.B = append(m.B, head...)
	r := heap.NewReader(m, testLayout())
	c, err := readCode(r, uint64(object))
	if err != nil || c.Index != 3 || !c.Same(r) {
		t.Fatalf("%+v, %v", c, err)
	}
	tables, err := c.Tables(r)
	if err != nil {
		t.Fatal(err)
	}
	for offset, want := range map[int][]Call{
		3: {{3, -1}}, 4: {{3, 10}}, 8: {{3, 10}}, 9: {{7, 5}, {3, 40}}, 14: {{8, 6}, {3, 40}},
	} {
		if diff := cmp.Diff(want, tables.Calls(c.Index, offset)); diff != "" {
			t.Errorf("offset %d: %s", offset, diff)
		}
	}
	m.B[object-heaptest.Base+0x38]++
	if c.Same(r) {
		t.Error("the code is another function's, and is said to be the same")
	}
}

// vlq writes a number of a position table. The first code offset counts from -1.
func vlq(n int64) string {
	return string(binary.AppendUvarint(nil, uint64(n<<1^n>>63)))
}
