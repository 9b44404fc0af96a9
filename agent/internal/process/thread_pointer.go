package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/bpf/registers"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Offsets in a thread's control block. Its first word is its own address (System V ABI for x86-64, ELF Handling for
// Thread-Local Storage, 3.4.2); glibc's repeats it in the third word and has the thread's id further on (glibc,
// nptl/descr.h, struct pthread).
const (
	threadSelf  = 16
	threadID    = 0x2d0
	threadBlock = threadID + 4
	threadAlign = 64
)

// Limits of the search for the main thread's control block.
const (
	maxThreadMapping = 64 << 20  // bytes at the end of one mapping
	maxThreadSearch  = 256 << 20 // bytes of all
	threadChunk      = 1 << 20
)

// lister lists threads by a BPF program, which is loaded when it is first needed and stays.
var lister = sync.OnceValues(registers.Open)

// threadPointers returns the thread pointers (fs_base) of a process's threads by their ids. It needs what package
// registers needs.
func threadPointers(pid int) (map[int]uint64, error) {
	reader, err := lister()
	if err != nil {
		return nil, err
	}
	all, err := reader.List(pid)
	found := make(map[int]uint64, len(all))
	for _, t := range all {
		found[t.TID] = t.Registers.FSBase
	}
	return found, err
}

// searchMain searches memory for the thread pointer of the main thread, for users to whom the kernel does not say it.
func searchMain(pid int, mem io.ReaderAt, maps []procs.Mapping) (uint64, error) {
	tid := uint32(innerPID(fmt.Sprintf("/proc/%d/status", pid), pid))
	left := uint64(maxThreadSearch)
	// the dynamic linker maps the main thread's block right below itself: near the end
	for _, m := range slices.Backward(maps) {
		if !mayHoldThread(m) {
			continue
		}
		size := min(m.End-m.Start, maxThreadMapping, left)
		left -= size
		if at, ok := searchThread(mem, m.End-size, m.End, tid); ok {
			return at, nil
		}
	}
	return 0, errors.New("the main thread's control block was not found: without CAP_BPF and CAP_PERFMON, " +
		"only glibc is supported")
}

func mayHoldThread(m procs.Mapping) bool {
	return m.Write && !m.Exec && m.Inode == 0 &&
		(m.Path == "" || m.Path == "[heap]" || strings.HasPrefix(m.Path, "[anon:"))
}

// searchThread searches [low, high) from its end for the control block of a thread.
func searchThread(mem io.ReaderAt, low, high uint64, tid uint32) (uint64, bool) {
	buf := make([]byte, threadChunk+threadBlock)
	for end := high; end > low; {
		start := max(low, end-min(end, threadChunk))
		// a control block that begins in this chunk may end in the one above
		b := buf[:min(end+threadBlock, high)-start]
		if _, err := mem.ReadAt(b, int64(start)); err != nil {
			return 0, false
		}
		first, last := (start+threadAlign-1)&^(threadAlign-1), start+uint64(len(b))
		for at := first; at+threadBlock <= last; at += threadAlign {
			if isThread(b[at-start:], at, tid) {
				return at, true
			}
		}
		end = start
	}
	return 0, false
}

func isThread(b []byte, at uint64, tid uint32) bool {
	return binary.LittleEndian.Uint64(b) == at && binary.LittleEndian.Uint64(b[threadSelf:]) == at &&
		binary.LittleEndian.Uint32(b[threadID:]) == tid
}

// innerPID returns the id of a process or thread in its own pid namespace, which the C library stores. status is the
// path of its status file in /proc.
func innerPID(status string, pid int) int {
	b, err := os.ReadFile(status)
	if err != nil {
		return pid
	}
	return parseInnerPID(b, pid)
}

func parseInnerPID(status []byte, pid int) int {
	ids, _ := procs.StatusField(status, "NSpid")
	if len(ids) == 0 {
		return pid
	}
	n, err := strconv.Atoi(ids[len(ids)-1])
	if err != nil {
		return pid
	}
	return n
}
