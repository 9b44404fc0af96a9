// Command nolines takes the lines of the source out of a BPF object: which line each instruction is of, and the texts
// of these lines. Only the verifier's log would tell them. They are two fifths of the object, and take time at each
// start: they are parsed, written anew for the kernel, and checked there. The format is that of
// https://docs.kernel.org/bpf/btf.html#btf-ext-section.
package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"regexp"

	"github.com/cilium/ebpf/btf"
)

func main() {
	for _, name := range os.Args[1:] {
		file, err := os.ReadFile(name)
		if err == nil {
			file, err = withoutLines(file)
		}
		if err == nil {
			err = os.WriteFile(name, file, 0o644)
		}
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

// Where the header of .BTF.ext has the offset and the length of the lines, and the length of a section's header and of
// a line there; where that of .BTF has the offset of the texts.
const (
	headerLength           = 4
	linesOffset            = 16
	linesLength            = 20
	sectionHeader, oneLine = 8, 16
	textsOffset            = 16
)

// withoutLines returns an object without lines. What it does not need any more is zeros: all else stays where it is.
func withoutLines(before []byte) ([]byte, error) {
	file := bytes.Clone(before)
	types, err := section(file, ".BTF")
	if err != nil {
		return nil, err
	}
	ext, err := section(file, ".BTF.ext")
	if err != nil {
		return nil, err
	}
	number := binary.LittleEndian.Uint32
	texts := types[number(types[headerLength:])+number(types[textsOffset:]):]
	lines := ext[number(ext[headerLength:])+number(ext[linesOffset:]):][:number(ext[linesLength:])]
	if len(lines) < 4 || number(lines) != oneLine {
		return nil, errors.New("it has no lines")
	}
	binary.LittleEndian.PutUint32(ext[linesLength:], 4) // the length of a line, and no line
	for rest := lines[4:]; len(rest) > 0; {
		n := number(rest[4:])
		for rest = rest[sectionHeader:]; n > 0; n-- {
			clearText(texts[number(rest[4:]):]) // the file
			clearText(texts[number(rest[8:]):])
			rest = rest[oneLine:]
		}
	}
	clear(lines[4:])
	return file, same(before, file)
}

func section(file []byte, name string) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	s := f.Section(name)
	if s == nil {
		return nil, fmt.Errorf("no section %s", name)
	}
	return file[s.Offset:][:s.Size], nil
}

func clearText(b []byte) { clear(b[:bytes.IndexByte(b, 0)]) }

// same compares the types of two objects: a text may be that of a line and a name.
func same(before, now []byte) error {
	b, err := btf.LoadSpecFromReader(bytes.NewReader(before))
	if err != nil {
		return err
	}
	n, err := btf.LoadSpecFromReader(bytes.NewReader(now))
	if err != nil {
		return err
	}
	var all [2]bytes.Buffer
	for i, spec := range []*btf.Spec{b, n} {
		for t, err := range spec.All() {
			if err != nil {
				return err
			}
			fmt.Fprintf(&all[i], "%+8v\n", t)
		}
	}
	address := regexp.MustCompile(`:[0-9a-f]{8,}\b`)
	if !bytes.Equal(address.ReplaceAll(all[0].Bytes(), nil), address.ReplaceAll(all[1].Bytes(), nil)) {
		return errors.New("a line is the name of a type, too")
	}
	return nil
}
