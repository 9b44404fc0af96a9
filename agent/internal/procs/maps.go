// Package procs reads /proc: which processes run, what they execute and what they have mapped.
package procs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
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
	Reserved   bool   // may not even be read: there are addresses, but no memory
}

// File identifies the mapped file, whatever its directory.
func (m Mapping) File() FileID { return FileID{m.Device + " " + path.Base(m.FilePath()), m.Inode} }

// FilePath is the path without what the kernel appends to that of a deleted file.
func (m Mapping) FilePath() string { return strings.TrimSuffix(m.Path, " (deleted)") }

// FileID identifies a file. An overlay whose layers are on several file systems, and btrfs with several subvolumes,
// give all files one device in mappings: there two files of a process may have the same inode, so their names count,
// too.
type FileID struct {
	Device string // in mappings with the file's name, without its directory, which may differ between processes
	Inode  uint64
}

// Path returns the path from here to a file that a process has mapped.
func Path(pid int, m Mapping) string {
	return filepath.Join(Root(pid), m.FilePath())
}

// Maps reads the mappings of a process, sorted by address. With an error it returns those before it.
func Maps(pid int) (all []Mapping, err error) {
	err = EachMapping(pid, func(m Mapping) { all = append(all, m) })
	return all, err
}

var errLocked = fmt.Errorf("they cannot be read: the process has locked its memory for more than %v", fileTimeout)

// EachMapping calls f with the mappings of a process, by address, up to an error. It keeps none: a process may have
// tens of thousands, of which the caller may need few. A process may lock its memory for as long as it likes: then it
// is waited for like a file, and f is called no more.
func EachMapping(pid int, f func(Mapping)) error {
	var mu sync.Mutex
	ended := false
	_, err := within(accountFor(pid), func() (none struct{}, err error) {
		file, err := openProc(fmt.Sprintf("/proc/%d/maps", Living(pid)))
		if err != nil {
			return none, err
		}
		defer file.Close()
		return none, parseMaps(file, func(m Mapping) {
			mu.Lock()
			defer mu.Unlock()
			if !ended {
				f(m)
			}
		})
	}, func(struct{}) {})
	if errors.Is(err, ErrSlow) {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		return errLocked
	}
	return err
}

func parseMaps(r io.Reader, f func(Mapping)) error {
	var m Mapping
	n := 0
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if err := m.parse(lines.Bytes()); err != nil {
			return err
		}
		if n++; n > maxMappings {
			return fmt.Errorf("more than %d mappings", maxMappings)
		}
		f(m)
	}
	return lines.Err()
}

// parse reads a line such as
//
//	00400000-0527e000 r-xp 00001000 fe:00 1835048    /usr/bin/node
//
// What is the same as in the mapping before, which m is, takes no new memory.
func (m *Mapping) parse(line []byte) error {
	var words [5][]byte
	rest := line
	for i := range words {
		words[i], rest, _ = bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	}
	low, high, ok := bytes.Cut(words[0], []byte("-"))
	var err [4]error
	m.Start, err[0] = strconv.ParseUint(string(low), 16, 64)
	m.End, err[1] = strconv.ParseUint(string(high), 16, 64)
	m.Offset, err[2] = strconv.ParseUint(string(words[2]), 16, 64)
	m.Inode, err[3] = strconv.ParseUint(string(words[4]), 10, 64)
	for _, e := range err {
		ok = ok && e == nil
	}
	if !ok || m.End < m.Start || len(words[1]) < 3 {
		return fmt.Errorf("mapping %q: not a line of /proc/PID/maps", line)
	}
	m.Write, m.Exec = words[1][1] == 'w', words[1][2] == 'x'
	m.Reserved = string(words[1][:3]) == "---"
	if string(words[3]) != m.Device {
		m.Device = string(words[3])
	}
	if file := bytes.TrimLeft(rest, " "); string(file) != m.Path {
		m.Path = string(file)
	}
	return nil
}
