package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/cilium/ebpf"
)

// object is a BPF program or map in the kernel.
type object struct {
	kind string // prog or map
	id   uint32
}

var objectID = regexp.MustCompile(`(?m)^(prog|map)_id:\s+(\d+)$`)

// objectsOf returns the programs and maps that processes have open, of all processes for the pattern "*".
func objectsOf(pid string) map[object]bool {
	out := map[object]bool{}
	files, _ := filepath.Glob("/proc/" + pid + "/fdinfo/*")
	for _, name := range files {
		text, _ := os.ReadFile(name) // nothing, if it is closed by now
		for _, m := range objectID.FindAllStringSubmatch(string(text), -1) {
			id, _ := strconv.ParseUint(m[2], 10, 32)
			out[object{m[1], uint32(id)}] = true
		}
	}
	return out
}

// objects lists all programs and maps of the kernel, with their names.
func objects() (map[object]string, error) {
	out := map[object]string{}
	for id, err := ebpf.ProgramGetNextID(0); ; id, err = ebpf.ProgramGetNextID(id) {
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		if p, err := ebpf.NewProgramFromID(id); err == nil { // else it has gone
			info, err := p.Info()
			if err == nil {
				out[object{"prog", uint32(id)}] = info.Name
			}
			p.Close()
		}
	}
	for id, err := ebpf.MapGetNextID(0); ; id, err = ebpf.MapGetNextID(id) {
		if errors.Is(err, os.ErrNotExist) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if m, err := ebpf.NewMapFromID(id); err == nil {
			info, err := m.Info()
			if err == nil {
				out[object{"map", uint32(id)}] = info.Name
			}
			m.Close()
		}
	}
}

// kernelObjects knows what hotspan loads, and what was there before it.
type kernelObjects struct {
	before map[object]string
	names  map[string]bool // of what hotspan loads
}

// learn takes the names of what a running hotspan has loaded. It may open its timers before it loads them.
func (k *kernelObjects) learn(p *profiler) error {
	before := 0
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		loaded := objectsOf(strconv.Itoa(p.Process.Pid))
		all, err := objects()
		if err != nil {
			return err
		}
		k.names = map[string]bool{}
		for o := range loaded {
			k.names[all[o]] = true
		}
		delete(k.names, "")
		if len(k.names) >= 10 && len(k.names) == before {
			return nil
		}
		before = len(k.names)
		if time.Now().After(end) {
			return fmt.Errorf("hotspan has loaded only %d BPF objects that have names: %v", len(k.names), k.names)
		}
	}
}

// goneTimeout is how long the kernel may take to free objects that no process has.
const goneTimeout = 20 * time.Second

// left returns an error if there are objects as hotspan loads them that no process has open.
func (k *kernelObjects) left() error {
	for end := time.Now().Add(goneTimeout); ; time.Sleep(20 * time.Millisecond) {
		all, err := objects() // first: what is loaded since then cannot be in it
		if err != nil {
			return err
		}
		open := objectsOf("*")
		maps.DeleteFunc(all, func(o object, name string) bool {
			_, old := k.before[o]
			return old || open[o] || !k.names[name]
		})
		if len(all) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("left in the kernel: %v", slices.Sorted(maps.Values(all)))
		}
	}
}

// entriesOf counts the entries of the BPF maps of hotspan, by the names of the maps. Maps whose size does not depend on
// how many they have are left out.
func entriesOf(p *profiler) map[string]int {
	out := map[string]int{}
	for o := range objectsOf(strconv.Itoa(p.Process.Pid)) {
		if o.kind != "map" {
			continue
		}
		m, err := ebpf.NewMapFromID(ebpf.MapID(o.id))
		if err != nil { // it has gone
			continue
		}
		if info, err := m.Info(); err == nil {
			switch m.Type() {
			case ebpf.Hash:
				out[info.Name] += keys(m)
			case ebpf.ArrayOfMaps:
				out[info.Name] += inner(m)
			}
		}
		m.Close()
	}
	return out
}

// keys counts the keys of a map. One that loses keys meanwhile may be counted from its beginning again.
func keys(m *ebpf.Map) (n int) {
	key, err := m.NextKeyBytes(nil)
	for ; err == nil && key != nil && n < int(m.MaxEntries()); n++ {
		key, err = m.NextKeyBytes(key)
	}
	return n
}

// inner counts the maps in an array of maps.
func inner(m *ebpf.Map) (n int) {
	for i := range m.MaxEntries() {
		var id ebpf.MapID
		if m.Lookup(i, &id) == nil {
			n++
		}
	}
	return n
}
