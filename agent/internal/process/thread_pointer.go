package process

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

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

// mainThread searches memory for the thread pointer (fs_base) of the main thread. The kernel reports it only for a
// stopped thread; this search needs no stop.
func mainThread(pid int, mem io.ReaderAt, maps []procs.Mapping) (uint64, error) {
	tid := uint32(innerPID(fmt.Sprintf("/proc/%d/status", pid), pid))
	if at, ok := threadPointers(mem, maps, map[uint32]bool{tid: true})[tid]; ok {
		return at, nil
	}
	return 0, fmt.Errorf("the main thread's control block was not found: only glibc is supported")
}

// threadPointers finds the thread pointers of threads by their ids in their own pid namespace, which the C library
// stores.
func threadPointers(mem io.ReaderAt, maps []procs.Mapping, want map[uint32]bool) map[uint32]uint64 {
	found := map[uint32]uint64{}
	left := uint64(maxThreadSearch)
	// the dynamic linker maps the main thread's block right below itself: near the end
	for _, m := range slices.Backward(maps) {
		if !mayHoldThread(m) {
			continue
		}
		size := min(m.End-m.Start, maxThreadMapping, left)
		left -= size
		findThreads(mem, m.End-size, m.End, want, found)
		if len(found) == len(want) {
			break
		}
	}
	return found
}

func mayHoldThread(m procs.Mapping) bool {
	return m.Write && !m.Exec && m.Inode == 0 &&
		(m.Path == "" || m.Path == "[heap]" || strings.HasPrefix(m.Path, "[anon:"))
}

// findThreads searches [low, high) from its end until it has found all wanted threads.
func findThreads(mem io.ReaderAt, low, high uint64, want map[uint32]bool, found map[uint32]uint64) {
	buf := make([]byte, threadChunk+threadBlock)
	for end := high; end > low && len(found) < len(want); {
		start := max(low, end-min(end, threadChunk))
		// a control block that begins in this chunk may end in the one above
		b := buf[:min(end+threadBlock, high)-start]
		if _, err := mem.ReadAt(b, int64(start)); err != nil {
			return
		}
		first, last := (start+threadAlign-1)&^(threadAlign-1), start+uint64(len(b))
		for at := first; at+threadBlock <= last; at += threadAlign {
			tid := binary.LittleEndian.Uint32(b[at-start+threadID:])
			if want[tid] && found[tid] == 0 && isThread(b[at-start:], at, tid) {
				found[tid] = at
			}
		}
		end = start
	}
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
