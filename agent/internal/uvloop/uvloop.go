// Package uvloop finds the event loop of libuv that a thread runs, and where libuv counts its turns. A turn is what
// the loop does between two waits for events: in Node.js one callback or many, with all that they call.
//
// The loop is a struct whose address uv_run has on the thread's stack. It is known by what libuv's public headers say
// of it (include/uv.h, include/uv/unix.h): four lists that begin and end in it, and the descriptor of an epoll
// instance. libuv counts since 1.45: Node 18.18.0 to 18.18.1, and from 20.3 on.
package uvloop

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hotspan/hotspan/v8/target"
)

// ErrNone says that no loop was found that counts its turns.
var ErrNone = errors.New("no event loop of libuv 1.45 or later")

// Offsets in uv_loop_t, in bytes.
const (
	internalFields = 40
	backendFD      = 64
	loopSize       = 136 // of what is read
)

// lists are the circular lists in uv_loop_t: handles, pending callbacks, watchers, finished work.
var lists = []int{16, 72, 88, 120}

// Offsets in libuv's own part of a loop, uv__loop_internal_fields_t (src/uv-common.h), in bytes.
const (
	turnsAt    = 8
	reservedAt = 32 // words that are 0; libuv before 1.45 has a lock there, and ends within them
	reserved   = 13
	fieldsSize = reservedAt + 8*reserved
)

const (
	// maxStack bounds the stack that is searched, in bytes: JavaScript may use 984 KiB, and uv_run is below it.
	maxStack  = 1 << 20
	chunkSize = 4 << 10 // a page
	// maxPointers bounds how many words are taken for the address of a loop.
	maxPointers = 1 << 14
	maxTurns    = 1 << 48
)

// Find returns the address of the count of turns, 8 bytes, of the loop that a thread of a process runs. sp is the
// thread's stack pointer in a sample whose stack has uv_run once, and back is where that returns to. The error is
// ErrNone.
func Find(pid, thread int, sp, back uint64) (turns uint64, err error) {
	mem := target.NewPages(&target.Live{PID: thread})
	defer mem.Forget()
	return find(mem, pid, sp, back)
}

// find looks at the words next to uv_run's frame first: since the sample the thread may have come to another loop, that
// of child_process.execSync, and what was one may still be on the stack.
func find(mem io.ReaderAt, pid int, sp, back uint64) (turns uint64, err error) {
	tried := map[uint64]bool{}
	for stack := above(mem, sp&^7, back); len(stack) > 0 && len(tried) < maxPointers; stack = stack[:len(stack)-8] {
		p := binary.LittleEndian.Uint64(stack[len(stack)-8:])
		if !isAddress(p) || tried[p] {
			continue
		}
		if turns, ok := turnsOf(mem, pid, p); ok {
			return turns, nil
		}
		tried[p] = true
	}
	return 0, fmt.Errorf("process %d: %w", pid, ErrNone)
}

// above returns the stack from sp on up to a return address; nothing if that is not there.
func above(mem io.ReaderAt, sp, back uint64) []byte {
	var stack []byte
	for at := 0; len(stack) < maxStack; {
		chunk := make([]byte, chunkSize-(sp+uint64(at))%chunkSize) // memory ends where a chunk does
		if n, _ := mem.ReadAt(chunk, int64(sp+uint64(at))); n < len(chunk) {
			break
		}
		for stack = append(stack, chunk...); at < len(stack); at += 8 {
			if binary.LittleEndian.Uint64(stack[at:]) == back {
				return stack[:at]
			}
		}
	}
	return nil
}

// turnsOf returns where the loop at an address counts its turns, if it is a loop that does.
func turnsOf(mem io.ReaderAt, pid int, loop uint64) (uint64, bool) {
	var b [loopSize]byte
	if n, _ := mem.ReadAt(b[:], int64(loop)); n < len(b) || !mayBeLoop(b[:]) {
		return 0, false
	}
	for _, at := range lists {
		if !isList(mem, b[at:], loop+uint64(at)) {
			return 0, false
		}
	}
	fields := binary.LittleEndian.Uint64(b[internalFields:])
	if !counts(mem, fields) || !isEpoll(pid, binary.LittleEndian.Uint32(b[backendFD:])) {
		return 0, false
	}
	return fields + turnsAt, true
}

// mayBeLoop reports whether there are addresses where a loop has some. Few other words on a stack lead to such memory,
// so that nothing else is read for them.
func mayBeLoop(b []byte) bool {
	may := isAddress(binary.LittleEndian.Uint64(b[internalFields:]))
	for _, at := range lists {
		next, prev := binary.LittleEndian.Uint64(b[at:]), binary.LittleEndian.Uint64(b[at+8:])
		may = may && isAddress(next) && isAddress(prev)
	}
	return may
}

// isAddress reports whether a word can be the address of a struct of libuv's.
func isAddress(word uint64) bool { return word%8 == 0 && word >= 1<<16 && word < 1<<47 }

// isList reports whether the head of a circular list is at an address: its next entry names it as the one before.
func isList(mem io.ReaderAt, head []byte, at uint64) bool {
	next, prev := binary.LittleEndian.Uint64(head), binary.LittleEndian.Uint64(head[8:])
	if next == at || prev == at {
		return next == prev
	}
	var entry [16]byte
	if n, _ := mem.ReadAt(entry[:], int64(next)); n < len(entry) {
		return false
	}
	return binary.LittleEndian.Uint64(entry[8:]) == at
}

func counts(mem io.ReaderAt, fields uint64) bool {
	var b [fieldsSize]byte
	if n, _ := mem.ReadAt(b[:], int64(fields)); n < len(b) {
		return false
	}
	turns := binary.LittleEndian.Uint64(b[turnsAt:])
	return turns > 0 && turns < maxTurns && !slices.ContainsFunc(b[reservedAt:], func(c byte) bool { return c != 0 })
}

func isEpoll(pid int, fd uint32) bool {
	to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
	return err == nil && to == "anon_inode:[eventpoll]"
}
