package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/v8/layout"
)

// Where glibc keeps the values of a thread's first 32 pthread keys, as offsets from the thread pointer: pairs of a
// sequence number and the value. Pointers to blocks of keys follow; the first points to these 32, the blocks of higher
// keys are allocated. (glibc, nptl/descr.h, struct pthread: specific_1stblock and specific)
const (
	firstKeys = 0x310
	keyBlocks = firstKeys + blockKeys*16
	blockKeys = 32
)

// ErrNoKey says that V8 has not started yet, so that the key of its isolates does not exist.
var ErrNoKey = errors.New("V8 has not created the key of a thread's isolate yet")

// IsolateOffset is the offset, from a thread's thread pointer (fs_base), of the pointer to the thread's isolate. Up to
// V8 10 this is the value of a pthread key, which V8 creates when it starts and stores in a variable. Before that the
// error is ErrNoKey.
func (p *Process) IsolateOffset() (int64, error) { return p.isolateOffset(p.mainThread) }

// isolateOffset is IsolateOffset; thread finds the thread pointer of the main thread.
func (p *Process) isolateOffset(thread func() (uint64, error)) (int64, error) {
	l := p.Layout
	if l.Has(layout.IsolateTLS) {
		return l.Values[layout.IsolateTLS].N, nil
	}
	if l.IsolateIndex != 0 {
		return p.indexedOffset(thread)
	}
	if !l.Has(layout.IsolateKey) {
		return 0, fmt.Errorf("neither %v nor %v is known", layout.IsolateTLS, layout.IsolateKey)
	}
	var b [4]byte
	if _, err := p.Memory.ReadAt(b[:], l.Values[layout.IsolateKey].N+int64(p.Bias)); err != nil {
		return 0, fmt.Errorf("%v: %w", layout.IsolateKey, err)
	}
	key := binary.LittleEndian.Uint32(b[:])
	switch {
	case key == 0: // V8 has not started; the C++ library has the first key
		return 0, ErrNoKey
	case key >= blockKeys:
		return 0, fmt.Errorf("V8 keeps a thread's isolate under key %d: only the first %d are read", key,
			blockKeys)
	}
	return firstKeys + 16*int64(key) + 8, p.checkKeys(thread)
}

// furthestBlock bounds how far below the thread pointer the blocks of libraries begin that are there from the start, in
// bytes. What is loaded later has its blocks elsewhere, in each thread at another distance.
const furthestBlock = 1 << 20

// indexedOffset is IsolateOffset for a V8 in a shared library, by the place of the main thread's variable.
func (p *Process) indexedOffset(find func() (uint64, error)) (int64, error) {
	thread, err := find()
	if err != nil {
		return 0, err
	}
	_, musl := p.Mappings.ThreadLocals()
	place, ok := threadlocal.Indexed(p.Memory, p.Layout.IsolateIndex+p.Bias, musl)
	if !ok {
		return 0, ErrNoKey // the loader has not come to it
	}
	at, ok := place.Address(p.Memory, thread)
	if !ok || at >= thread || thread-at > furthestBlock {
		return 0, errors.New("the thread-local variables of the library with V8 are not where those are that a " +
			"program starts with")
	}
	return int64(at - thread), nil
}

// checkKeys verifies, in the main thread, that the C library keeps the first keys where IsolateOffset assumes them.
func (p *Process) checkKeys(find func() (uint64, error)) error {
	thread, err := find()
	if err != nil {
		return err
	}
	var b [8]byte
	if _, err := p.Memory.ReadAt(b[:], int64(thread+keyBlocks)); err != nil {
		return err
	}
	if at := binary.LittleEndian.Uint64(b[:]); at != thread+firstKeys {
		return fmt.Errorf("this C library keeps values of keys elsewhere than glibc does: %#x, not %#x",
			at, thread+firstKeys)
	}
	return nil
}

// mainThread finds the thread pointer of the main thread.
func (p *Process) mainThread() (uint64, error) {
	if p.thread != 0 {
		return p.thread, nil
	}
	if found, err := threadPointers(p.PID); err == nil && found[p.PID] != 0 {
		return found[p.PID], nil
	}
	maps, err := procs.Maps(p.PID)
	if err != nil {
		return 0, err
	}
	return searchMain(p.PID, p.Memory, maps)
}

// MainIsolate returns the address of the isolate that the main thread has entered.
func (p *Process) MainIsolate() (uint64, error) {
	find := sync.OnceValues(p.mainThread)
	offset, err := p.isolateOffset(find)
	if err != nil {
		return 0, err
	}
	thread, err := find()
	if err != nil {
		return 0, err
	}
	isolate, err := p.Heap().WordAt(thread + uint64(offset))
	if err != nil {
		return 0, err
	}
	if isolate == 0 {
		return 0, errors.New("the main thread has no isolate now: Node.js is starting or ending")
	}
	return uint64(isolate), nil
}
