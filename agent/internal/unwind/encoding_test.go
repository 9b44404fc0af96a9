package unwind

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestEncodings reads functions whose addresses are written in each form, and compares with binutils.
func TestEncodings(t *testing.T) {
	for _, e := range []encoding{0, 2, 3, 4, 8, 0xa, 0xb, 0xc} {
		for _, e := range []encoding{e, e | relative} {
			data := encoded(e, 0x2345, 0x67)
			p, err := functions(data, framesAt, func(uint64, uint64) bool { return true })
			if err != nil {
				t.Errorf("%#x: %v", uint8(e), err)
				continue
			}
			got := []string{}
			for _, f := range p.functions {
				got = append(got, fmt.Sprintf("%x to %x", f.begin, f.begin+uint64(f.size)))
			}
			want := []string{}
			path := writeFile(t, withFrames(data, framesAt, elf.Prog64{}))
			readelf(t, "-wNf", path, func(line string) {
				if m := headRE.FindStringSubmatch(line); m != nil && m[2] != "" {
					want = append(want, fmt.Sprintf("%x to %x", hex(m[3]), hex(m[4])))
				}
			})
			if !slices.Equal(got, want) || len(want) != 1 || want[0] != "2345 to 23ac" {
				t.Errorf("%#x: %v, readelf says %v", uint8(e), got, want)
			}
		}
	}
	for _, e := range []encoding{1, 9, 5, 7, 0x20, 0x30, 0x40, 0x50, 0x9b, 0xff} {
		if _, err := functions(encoded(e, 0x2345, 0x67), framesAt, nil); err == nil {
			t.Errorf("encoding %#x is read", uint8(e))
		}
	}
}

const framesAt = 0x1000

// encoded is a section for one function. Its common entry has an indirect pointer to a personality before the encoding
// of the function's address, as those of C++ have.
func encoded(e encoding, begin, size uint64) []byte {
	data := entry(nil, slices.Concat([]byte{0, 0, 0, 0, 1}, []byte("zPLR\x00"), []byte{1, 0x78, 16},
		[]byte{7, 0x9b, 1, 2, 3, 4, 0x1b, byte(e)}, []byte{0x0c, 7, 8, 0x90, 1}))
	fde := binary.LittleEndian.AppendUint32(nil, uint32(len(data)+4))
	if e&relative != 0 {
		begin -= framesAt + uint64(len(data)) + 8
	}
	for _, n := range []uint64{begin, size} {
		fde = append(fde, binary.LittleEndian.AppendUint64(nil, n)[:e.size()]...)
	}
	return entry(data, append(fde, 4, 1, 2, 3, 4, 0x0e, 16)) // 4 bytes of augmentation: of the language's data
}

func TestMalformedEntries(t *testing.T) {
	sound := encoded(0x1b, 0x2345, 0x67)
	cie := 4 + int(sound[0])
	fde := sound[cie+4:]
	var many []byte
	for range maxCommon + 1 {
		many = append(many, sound...)
	}
	for _, tt := range []struct {
		name, want string
		data       []byte
	}{
		{"sound", "", sound},
		{"ends in its address", "cut off", entry(sound[:cie:cie], fde[:10])},
		{"ends in its augmentation", "cut off", entry(sound[:cie:cie], fde[:15])},
		{"refers to itself", "not a common entry", entry(nil, slices.Concat([]byte{4, 0, 0, 0}, fde[4:]))},
		{"refers to what is before the section", "common entry at -0x", entry(nil, fde)},
		{"common entries without end", "after 16384 others", many},
	} {
		_, err := functions(tt.data, framesAt, func(uint64, uint64) bool { return false })
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
