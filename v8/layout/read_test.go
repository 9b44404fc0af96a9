package layout

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
)

// code13 is v8::Isolate::GetCurrent of V8 13.6 as objdump prints it: mov %fs:0xffffffffffffff60,%rax; ret.
const code13 = "\x64\x48\x8b\x04\x25\x60\xff\xff\xff\xc3"

func v13() fake {
	return fake{machine: elf.EM_X86_64, rodata: "13.6.233.17-node.53\x00node.js/v24.21.0\x00", syms: map[string][]byte{
		"_ZN2v87Isolate10GetCurrentEv":               []byte(code13),
		"v8dbg_class_Map__instance_type__uint16_t":   int32Bytes(12),
		"v8dbg_SeqStringTag":                         nil,
		"v8dbg_prop_desc_size":                       int32Bytes(3),
		"v8dbg_class_JSObject__elements__Object":     int32Bytes(16),
		"v8dbg_TaggedSize":                           int32Bytes(8),
		"xv8dbg_class_String__length__int32_t":       int32Bytes(99), // the name's end is one of ours
		"v8dbg_class_String__length__int32_t_longer": int32Bytes(99),
	}}
}

func TestReadFake(t *testing.T) {
	l, err := Read(bytes.NewReader(v13().build()))
	if err != nil {
		t.Fatal(err)
	}
	if l.V8 != (Version{13, 6, 233, 17}) || l.Node != "24.21.0" {
		t.Errorf("versions %v and %q", l.V8, l.Node)
	}
	want := map[Field]string{
		IsolateTLS:           "-160 (-0xa0)", // machine code
		MapInstanceType:      "12",           // constant
		SeqStringTag:         "0",            // constant in .bss
		DescriptorsEntrySize: "24",           // scaled
		JSArrayLength:        "24",           // rule relative to a constant
		PositionsUnsigned:    "0",            // rule by version
		StringLength:         "unknown",
		KindMaglev:           "unknown", // relative to what is unknown
	}
	for f, w := range want {
		if got := l.Values[f].String(); got != w {
			t.Errorf("%s = %s, want %s", f, got, w)
		}
	}
	if l.At(StringLength) != -1 || l.At(SeqStringTag) != 0 || l.Has(StringLength) || !l.Has(SeqStringTag) {
		t.Errorf("At or Has confuses zero and unknown: %d %d", l.At(StringLength), l.At(SeqStringTag))
	}
	if l.At(NumFields) != -1 || l.Has(NumFields+1) {
		t.Error("a field out of range is known")
	}
}

func TestWithin(t *testing.T) {
	l := Layout{}
	l.Values[StringLength] = Value{N: 12, State: Known}
	for _, c := range []struct {
		low, high int
		fields    []Field
		named     string
	}{
		{0, 12, []Field{StringLength}, ""}, {12, 20, []Field{StringLength}, ""},
		{-1, 12, []Field{StringLength, IsolateCPED}, ""}, {13, 20, nil, ""},
		{0, 11, []Field{StringLength}, "String.length"}, {13, 20, []Field{StringLength}, "String.length"},
		{0, 20, []Field{StringLength, IsolateCPED}, "Isolate.cped"},
	} {
		if err := l.Within(c.low, c.high, c.fields...); (err != nil) != (c.named != "") ||
			err != nil && !strings.Contains(err.Error(), c.named) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestRequireNamesWhatIsMissing(t *testing.T) {
	f := v13()
	f.rodata = strings.Replace(f.rodata, "13.6", "11.3", 1)
	l, err := Read(bytes.NewReader(f.build()))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Require(SeqStringTag, MapInstanceType); err != nil {
		t.Errorf("all are known: %v", err)
	}
	err = l.Require(SeqStringTag, StringLength, IsolateCPED)
	want := "layout of V8 11.3.233.17: String.length is unknown, Isolate.cped does not exist in this V8"
	if err == nil || err.Error() != want {
		t.Errorf("Require: %v, want %s", err, want)
	}
}

// An unknown V8 is tried: constants hold, and so do the rules without an upper bound.
func TestUnknownVersionIsTried(t *testing.T) {
	f := v13()
	f.rodata = "31.4.1.5-node.9\x00"
	l, err := Read(bytes.NewReader(f.build()))
	if err != nil {
		t.Fatal(err)
	}
	got := []int{l.At(MapInstanceType), l.At(PositionsUnsigned), l.V8.Major}
	if diff := cmp.Diff([]int{12, 1, 31}, got); diff != "" || l.Node != "" {
		t.Errorf("node %q: %s", l.Node, diff)
	}
}

// Electron and others have another suffix; the integers of v8::internal::Version tell.
func TestVersionFromSymbols(t *testing.T) {
	f := v13()
	f.rodata = "14.2.231.9-electron.0\x00 13.6.1.1-node.x\x00 v13.6.233.17-node.53\x00"
	for i, n := range []int32{14, 2, 231, 9} {
		f.syms[versionSymbols[i]] = int32Bytes(n)
	}
	l, err := Read(bytes.NewReader(f.build()))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Version{14, 2, 231, 9}); l.V8 != want {
		t.Errorf("version %s, want %s", l.V8, want)
	}
}

// TestVersionsFromSymbols: where both versions are in variables, no texts are looked for.
func TestVersionsFromSymbols(t *testing.T) {
	f := v13()
	for i, n := range []int32{14, 2, 231, 9} {
		f.syms[versionSymbols[i]] = int32Bytes(n)
	}
	f.syms[symNodeVersion] = join(nil, uint32(26), uint32(0), uint32(3))
	l, err := Read(bytes.NewReader(f.build()))
	if err != nil || l.V8 != (Version{14, 2, 231, 9}) || l.Node != "26.0.3" {
		t.Errorf("V8 %v, Node %q, %v", l.V8, l.Node, err)
	}
	f.syms[symNodeVersion] = join(nil, uint32(26), int32(-1), uint32(3))
	l, err = Read(bytes.NewReader(f.build()))
	if err != nil || l.V8 != (Version{14, 2, 231, 9}) || l.Node != "24.21.0" {
		t.Errorf("V8 %v, Node %q, %v: want Node from the texts", l.V8, l.Node, err)
	}
}

func TestReadRefuses(t *testing.T) {
	arm, plain, compressed := v13(), v13(), v13()
	arm.machine = elf.EM_AARCH64
	plain.rodata = "13.6.233.17"
	compressed.syms["v8dbg_TaggedSize"] = int32Bytes(4)
	other := v13()
	maps.DeleteFunc(other.syms, func(name string, _ []byte) bool { return strings.HasPrefix(name, dbgPrefix) })
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"text":                {[]byte("#!/bin/sh\n"), ErrNotV8},
		"empty":               {nil, ErrNotV8},
		"arm64":               {arm.build(), ErrUnsupported},
		"no V8 version":       {plain.build(), ErrNotV8},
		"no V8, its version":  {other.build(), ErrNotV8},
		"pointer compression": {compressed.build(), ErrUnsupported},
	} {
		if _, err := Read(bytes.NewReader(c.file)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	self, err := os.Open("/proc/self/exe") // an ELF executable without V8
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	if _, err := Read(self); !errors.Is(err, ErrNotV8) {
		t.Errorf("this test's binary: %v", err)
	}
}

func TestContradictionsAreNoted(t *testing.T) {
	f := v13()
	f.syms["_ZN2v87Isolate9InContextEv"] = []byte("\x48\x83\xbf\x50\x01\x00\x00\x00\xc3")       // cmpq $0x0,0x150(%rdi)
	f.syms["Builtins_CEntry_Whatever"] = []byte("\x49\x89\xad\xc8\x00\x00\x00\xc3")             // mov %rbp,0xc8(%r13)
	f.syms["_ZN2v88internal4Heap10SetGCStateENS1_9HeapStateE"] = []byte("\x31\xc0\xc3\x90\x90") // xor %eax,%eax; ret
	l, err := Read(bytes.NewReader(f.build()))
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(l.Notes, "\n")
	if l.At(IsolateCEntryFP) != 0x148 ||
		!strings.Contains(notes, "Isolate.cEntryFP: machine code of Builtins_CEntry_Whatever says 0x148") {
		t.Errorf("machine code is to win over the rule, and say so: %#x\n%s", l.At(IsolateCEntryFP), notes)
	}
	if l.At(HeapGCState) != 0x220 || !strings.Contains(notes, "unexpected machine code") {
		t.Errorf("the rule is to serve where the code is strange, and say so: %#x\n%s", l.At(HeapGCState), notes)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(v13().build())
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := Read(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, ErrNotV8) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("error of no kind: %v", err)
			}
			return
		}
		if len(l.BytecodeSizes) > maxBytecodeSizes {
			t.Errorf("%d bytes of bytecode sizes", len(l.BytecodeSizes))
		}
		if err := l.Write(io.Discard); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	list := nodes.Versions()
	path, err := nodes.Path(list[len(list)-1].Version)
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(f); err != nil {
			b.Fatal(err)
		}
	}
}
