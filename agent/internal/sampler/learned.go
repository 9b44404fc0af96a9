package sampler

import (
	"errors"
	"slices"
	"sync"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// maxLearned is how many entries of one map a process may have: objects of a program have some hundred hidden classes,
// but classes of resources come and go with the collections.
const maxLearned = 2048

// learned is a BPF map of what the agent has learned of processes, with bpf.Process.Id in its keys. The kernel keeps
// memory for the entries that there are. The oldest of a process make room for its new ones, and all go when it ends.
// What is learned of files is kept in the same way, by the slot of their unwind rules. It is safe for concurrent use.
type learned[K comparable] struct {
	entries *ebpf.Map
	mu      sync.Mutex
	keys    map[uint32][]K // by process, the oldest first
	ended   [64]uint32     // the last processes that were forgotten: an answer may come too late
	n       int            // how many were
}

func newLearned[K comparable](m *ebpf.Map) *learned[K] {
	return &learned[K]{entries: m, keys: map[uint32][]K{}}
}

// put adds an entry of a process, or updates it. Of a process that has ended it adds none.
func (l *learned[K]) put(process uint32, key K, value any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if process != 0 && slices.Contains(l.ended[:], process) {
		return nil
	}
	if len(l.keys[process]) >= maxLearned {
		l.dropOldest(process)
	}
	err := l.entries.Update(key, value, ebpf.UpdateNoExist)
	switch {
	case errors.Is(err, ebpf.ErrKeyExist):
		return l.entries.Update(key, value, ebpf.UpdateExist)
	case errors.Is(err, unix.E2BIG):
		l.dropOldest(l.largest())
		err = l.entries.Update(key, value, ebpf.UpdateNoExist)
	}
	if err == nil {
		l.keys[process] = append(l.keys[process], key)
	}
	return err
}

// putFirst adds the entries of a process that has none, in one system call: all of them, or none.
func (l *learned[K]) putFirst(process uint32, keys []K, values any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(keys) > maxLearned {
		return unix.E2BIG
	}
	l.keys[process] = slices.Clone(keys)
	_, err := l.entries.BatchUpdate(keys, values, nil)
	if err != nil {
		l.remove(process)
	}
	return err
}

// len is the number of entries.
func (l *learned[K]) len() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, keys := range l.keys {
		n += len(keys)
	}
	return n
}

// largest is the process with most entries.
func (l *learned[K]) largest() (process uint32) {
	most := -1
	for id, keys := range l.keys {
		if len(keys) > most {
			process, most = id, len(keys)
		}
	}
	return process
}

func (l *learned[K]) dropOldest(process uint32) {
	keys := l.keys[process]
	if len(keys) == 0 {
		return
	}
	_ = l.entries.Delete(keys[0])
	l.keys[process] = append(keys[:0], keys[1:]...)
}

// has reports whether a process has entries.
func (l *learned[K]) has(process uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys[process]) > 0
}

// forget removes the entries of a process that has ended.
func (l *learned[K]) forget(process uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(process)
	l.ended[l.n%len(l.ended)] = process
	l.n++
}

// clear removes the entries of a file. Its slot may become another file's.
func (l *learned[K]) clear(slot uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(slot)
}

func (l *learned[K]) remove(process uint32) {
	for _, key := range l.keys[process] {
		_ = l.entries.Delete(key)
	}
	delete(l.keys, process)
}
