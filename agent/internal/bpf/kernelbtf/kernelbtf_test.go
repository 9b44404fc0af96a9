package kernelbtf

import (
	"os"
	"testing"

	"github.com/cilium/ebpf/btf"
	"github.com/google/go-cmp/cmp"
)

// TestTypes: the structs have the members, at the places and with the sizes, that cilium/ebpf reads.
func TestTypes(t *testing.T) {
	k, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	all, err := btf.LoadKernelSpec()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"no_such_struct"}, structs...) {
		var one, other *btf.Struct
		if err, want := k.Types.TypeByName(name, &one), all.TypeByName(name, &other); (err == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", name, err, want)
		} else if err == nil {
			if one.Size != other.Size {
				t.Errorf("%s: %d bytes, want %d", name, one.Size, other.Size)
			}
			if diff := cmp.Diff(shape(t, other, 0), shape(t, one, 0)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
	}
}

type member struct {
	Name         string
	At, Bits     btf.Bits
	Kind         string
	Size, Length int
	Members      []member
}

// shape is what a struct and those in it are made of.
func shape(t *testing.T, of btf.Type, depth int) (out []member) {
	var members []btf.Member
	switch of := btf.UnderlyingType(of).(type) {
	case *btf.Struct:
		members = of.Members
	case *btf.Union:
		members = of.Members
	case *btf.Array:
		return []member{{Length: int(of.Nelems), Members: shape(t, of.Type, depth+1)}}
	}
	if depth > maxDepth {
		t.Fatal("too deep")
	}
	for _, m := range members {
		size, err := btf.Sizeof(m.Type)
		if err != nil {
			t.Fatal(err)
		}
		kind := "integer"
		switch u := btf.UnderlyingType(m.Type).(type) {
		case *btf.Pointer:
			kind = "pointer"
		case *btf.Enum:
			kind = "enum"
		case *btf.Int:
			kind += u.Encoding.String()
		}
		out = append(out, member{
			Name: m.Name, At: m.Offset, Bits: m.BitfieldSize, Kind: kind, Size: size,
			Members: shape(t, m.Type, depth+1),
		})
	}
	return out
}

// FuzzTypes: what is no BTF is an error, and never more.
func FuzzTypes(f *testing.F) {
	number := &btf.Int{Name: "int", Size: 4}
	b, err := btf.NewBuilder([]btf.Type{&btf.Struct{Name: "inode", Size: 8, Members: []btf.Member{
		{Name: "a", Type: &btf.Array{Type: number, Index: number, Nelems: 2}},
	}}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := b.Marshal(nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = parse(raw) })
}

func BenchmarkTypes(b *testing.B) {
	if _, err := os.Stat(path); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		if _, err := read(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAll(b *testing.B) {
	for b.Loop() {
		if _, err := btf.LoadKernelSpec(); err != nil {
			b.Fatal(err)
		}
	}
}
