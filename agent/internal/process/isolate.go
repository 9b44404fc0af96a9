package process

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
)

// Where glibc keeps the values of a thread's first keys, from its thread pointer: 32 times a number of uses and the
// value. Keys above these are in blocks that it allocates, to which pointers follow; the first of these points to the
// 32 above. (glibc, nptl/descr.h, struct pthread: specific_1stblock and specific)
const (
	firstKeys = 0x310
	keyBlocks = firstKeys + blockKeys*16
	blockKeys = 32
)

// ErrNoKey says that V8 has not started yet.
var ErrNoKey = errors.New("V8 has not made the key yet under which it keeps a thread's isolate")

// IsolateOffset is the offset, from a thread's thread pointer (fs_base), of the pointer to the thread's isolate. Until
// V8 10 that is where the C library keeps the value of a key, for which V8 asks when it starts: the process has the key
// in its memory. The error is ErrNoKey before that.
func (p *Process) IsolateOffset() (int64, error) {
	l := p.Layout
	if l.Has(layout.IsolateTLS) {
		return l.Values[layout.IsolateTLS].N, nil
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
	case key == 0: // as it is before V8 starts; the C++ library has the first key
		return 0, ErrNoKey
	case key >= blockKeys:
		return 0, fmt.Errorf("V8 keeps a thread's isolate under key %d: only the first %d are read", key, blockKeys)
	}
	return firstKeys + 16*int64(key) + 8, p.checkKeys()
}

// checkKeys makes sure that the C library keeps the first keys where IsolateOffset says, by the main thread's.
func (p *Process) checkKeys() error {
	thread, err := p.mainThread()
	if err != nil {
		return err
	}
	var b [8]byte
	if _, err := p.Memory.ReadAt(b[:], int64(thread+keyBlocks)); err != nil {
		return err
	}
	if at := binary.LittleEndian.Uint64(b[:]); at != thread+firstKeys {
		return fmt.Errorf("this C library keeps values of keys elsewhere than glibc does: %#x, not %#x", at,
			thread+firstKeys)
	}
	return nil
}

// mainThread finds the thread pointer of the main thread.
func (p *Process) mainThread() (uint64, error) {
	maps, err := procs.Maps(p.PID)
	if err != nil {
		return 0, err
	}
	return mainThread(p.PID, p.Memory, maps)
}

// MainIsolate is the address of the isolate that the main thread has entered.
func (p *Process) MainIsolate() (uint64, error) {
	offset, err := p.IsolateOffset()
	if err != nil {
		return 0, err
	}
	thread, err := p.mainThread()
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
