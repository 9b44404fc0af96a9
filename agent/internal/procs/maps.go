// Package procs reads /proc: which processes run, what they execute and what they have mapped.
package procs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxMappings bounds the lines of one /proc/PID/maps. The kernel's default limit is 65,530 mappings.
const maxMappings = 1 << 18

// Mapping is one line of /proc/PID/maps.
type Mapping struct {
	Start, End uint64 // addresses, [Start, End)
	Offset     uint64 // in the file, in bytes
	Exec       bool   // may be executed
	Inode      uint64 // 0 = no file
	Device     string // such as "fe:00"
	Path       string // as the process sees it, or a name such as "[vdso]"; empty for none
	Write      bool   // may be written
}

// File identifies the mapped file, whatever its name.
func (m Mapping) File() FileID { return FileID{m.Device, m.Inode} }

// FileID identifies a file by device and inode.
type FileID struct {
	Device string
	Inode  uint64
}

// Path returns the path from here to a file that a process has mapped.
func Path(pid int, m Mapping) string {
	return filepath.Join(Root(pid), strings.TrimSuffix(m.Path, " (deleted)"))
}

// Maps reads the mappings of a process, sorted by address. With an error it returns those before it.
func Maps(pid int) ([]Mapping, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", Living(pid)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseMaps(f)
}

// mappingsAtOnce is room for those of most processes: a slice that grew to tens of thousands would leave several times
// as much memory to the garbage collector.
const mappingsAtOnce = 1 << 10

func parseMaps(r io.Reader) ([]Mapping, error) {
	var parts [][]Mapping
	n, last, before := 0, make([]Mapping, 0, mappingsAtOnce), Mapping{}
	all := func() []Mapping { return slices.Concat(append(parts, last)...) }
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		m, err := parseMapping(lines.Text())
		if err != nil {
			return all(), err
		}
		if n++; n > maxMappings {
			return all(), fmt.Errorf("more than %d mappings", maxMappings)
		}
		m.shareText(&before)
		if len(last) == cap(last) {
			parts, last = append(parts, last), make([]Mapping, 0, mappingsAtOnce)
		}
		last, before = append(last, m), m
	}
	return all(), lines.Err()
}

// shareText keeps the text of the mapping before where it is the same, so that the line need not stay in memory: a
// process may have tens of thousands of mappings.
func (m *Mapping) shareText(before *Mapping) {
	if m.Device == before.Device {
		m.Device = before.Device
	}
	if m.Path == before.Path {
		m.Path = before.Path
	}
}

// parseMapping reads a line such as
//
//	00400000-0527e000 r-xp 00001000 fe:00 1835048    /usr/bin/node
func parseMapping(line string) (Mapping, error) {
	var m Mapping
	var words [5]string
	rest := line
	for i := range words {
		words[i], rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	}
	low, high, ok := strings.Cut(words[0], "-")
	var err [4]error
	m.Start, err[0] = strconv.ParseUint(low, 16, 64)
	m.End, err[1] = strconv.ParseUint(high, 16, 64)
	m.Offset, err[2] = strconv.ParseUint(words[2], 16, 64)
	m.Inode, err[3] = strconv.ParseUint(words[4], 10, 64)
	for _, e := range err {
		ok = ok && e == nil
	}
	if !ok || m.End < m.Start || len(words[1]) < 3 {
		return m, fmt.Errorf("mapping %q: not a line of /proc/PID/maps", line)
	}
	m.Write, m.Exec = words[1][1] == 'w', words[1][2] == 'x'
	m.Device = words[3]
	m.Path = strings.TrimLeft(rest, " ")
	return m, nil
}
