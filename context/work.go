package context

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Work is where the objects of one class of Node's that libuv's pool works on keep what they belong to. Offsets are from
// the object, but for Isolate and Field.
type Work struct {
	Resource int // of the handle of the resource
	Frame    int // of the handle of the AsyncContextFrame; 0 = none
	Field    int // of the AsyncContextFrame in the resource; 0 = none
	ID       int // of the number of the asynchronous operation, a double
	Realm    int // of the address of the Realm or Environment
	Isolate  int // of the isolate in that
}

// class is where one of Node's classes keeps what it belongs to, offsets in bytes. (node: src/base_object.h,
// src/async_wrap.h, src/node.h)
type class struct {
	resource int // the handle of its JavaScript object
	realm    int
	frame    int // the handle of the AsyncContextFrame, from Node 22 on, until 24.10 in an AsyncWrap
	field    int // the AsyncContextFrame in its JavaScript object, from the first internal field; -1 = none
}

// An AsyncWrap has, from 24.15 on, the AsyncContextFrame in the third internal field; its Realm is an Environment until
// Node 18. Node-API's works are an AsyncResource, which has an Environment.
var (
	asyncWrap     = class{resource: 8, realm: 16, frame: 72, field: 16}
	asyncResource = class{resource: 16, realm: 8, frame: 24, field: -1}
)

const workEnvironment = 8 // of a ThreadPoolWork (node: src/node_internals.h)

// Bounds of what is searched, in bytes.
const (
	maxBefore = 512   // of an object, before its ThreadPoolWork
	maxRealm  = 0x100 // of a Realm
	maxID     = 64    // behind the handle of the resource
)

// ErrNoOwner says that an object of Node's belongs to no request that can be told.
var ErrNoOwner = errors.New("neither an AsyncWrap nor an AsyncResource of Node.js")

var errMoving = errors.New("the collector moves what an object of Node.js refers to")

// WorkOf finds it for an object that is worked on: a ThreadPoolWork, which is behind an AsyncWrap or AsyncResource in one
// object, or an AsyncWrap itself. The error is ErrNoOwner where it is none of these. It looks twice, since objects may
// move meanwhile.
func (l *Learner) WorkOf(object uint64) (Work, error) {
	first, err := l.workOf(object)
	if err != nil {
		return Work{}, err
	}
	if l.collects(object, first) {
		return Work{}, errMoving
	}
	second, err := l.workOf(object)
	if err == nil && second != first {
		err = errMoving
	}
	return second, err
}

// collects reports whether the isolate of an object is in a collection.
func (l *Learner) collects(object uint64, w Work) bool {
	realm, _ := l.r.WordAt(object + uint64(w.Realm))
	isolate, _ := l.r.WordAt(uint64(realm) + uint64(w.Isolate))
	state, err := l.r.Bytes(uint64(isolate)+uint64(l.r.Layout().At(layout.IsolateVMState)), 1)
	return err != nil || layout.VMState(state[0]) == layout.VMStateGC
}

func (l *Learner) workOf(object uint64) (Work, error) {
	for back := 0; back < maxBefore; back += 8 {
		base := object - uint64(back)
		if l.isWrap(base) {
			return l.work(object, -back, asyncWrap)
		}
		if back > 0 && l.isResource(base, object) {
			return l.work(object, -back, asyncResource)
		}
	}
	return Work{}, ErrNoOwner
}

// isWrap reports whether there is a BaseObject: its JavaScript object has its address in an internal field.
func (l *Learner) isWrap(base uint64) bool {
	object, ok := l.handle(base + uint64(asyncWrap.resource))
	at := l.r.Layout().At(layout.JSObjectInternalField)
	if !ok || at < 0 || !l.isObject(object) {
		return false
	}
	b, err := l.r.Bytes(uint64(object)-1+uint64(at), 16) // which of the first two it is differs by version
	if err != nil {
		return false
	}
	return binary.LittleEndian.Uint64(b) == base || binary.LittleEndian.Uint64(b[8:]) == base
}

// isResource reports whether there is an AsyncResource, of the Environment that the ThreadPoolWork behind it has.
func (l *Learner) isResource(base, work uint64) bool {
	environment, err := l.r.WordAt(base + uint64(asyncResource.realm))
	if err != nil || environment == 0 {
		return false
	}
	if own, err := l.r.WordAt(work + workEnvironment); err != nil || own != environment {
		return false
	}
	object, ok := l.handle(base + uint64(asyncResource.resource))
	return ok && l.isObject(object)
}

// handle is what a Global refers to.
func (l *Learner) handle(at uint64) (heap.Word, bool) {
	slot, err := l.r.WordAt(at)
	if err != nil || slot == 0 || slot&7 != 0 {
		return 0, false
	}
	w, err := l.r.WordAt(uint64(slot))
	return w, err == nil && w.IsObject()
}

func (l *Learner) isObject(w heap.Word) bool {
	first := l.r.Layout().At(layout.FirstJSObjectType)
	t, err := l.r.Type(w)
	return err == nil && first >= 0 && t >= first
}

// work finds where a class keeps its isolate, and whether it has an AsyncContextFrame. base is from the object.
func (l *Learner) work(object uint64, base int, c class) (Work, error) {
	out := Work{Resource: base + c.resource, Realm: base + c.realm}
	var err error
	if out.ID, err = l.findID(object, out.Resource+8); err != nil {
		return Work{}, err
	}
	if l.r.Layout().Has(layout.IsolateCPED) {
		l.findFrame(object, &out, base+c.frame, c.field)
	}
	owner, err := l.r.WordAt(object + uint64(out.Realm))
	if err != nil {
		return Work{}, err
	}
	out.Isolate, err = isolateIn(l.r, uint64(owner))
	return out, err
}

// findID finds the number of the asynchronous operation, from an offset on: pointers and small numbers are, read as doubles,
// no whole numbers.
func (l *Learner) findID(object uint64, from int) (int, error) {
	for at := from; at < from+maxID; at += 8 {
		w, err := l.r.WordAt(object + uint64(at))
		if err != nil {
			return 0, err
		}
		if id := math.Float64frombits(uint64(w)); id >= 1 && id < 1<<53 && id == math.Trunc(id) {
			return at, nil
		}
	}
	return 0, ErrNoOwner
}

// findFrame finds where a class keeps the AsyncContextFrame; it is undefined where there is none.
func (l *Learner) findFrame(object uint64, w *Work, handle, field int) {
	if frame, ok := l.handle(object + uint64(handle)); ok && l.isFrame(frame) {
		w.Frame = handle
		return
	}
	if field < 0 {
		return
	}
	field += l.r.Layout().At(layout.JSObjectInternalField)
	resource, _ := l.handle(object + uint64(w.Resource))
	if frame, err := l.r.WordAt(uint64(resource) - 1 + uint64(field)); err == nil && l.isFrame(frame) {
		w.Field = field
	}
}

func (l *Learner) isFrame(w heap.Word) bool {
	t, err := l.r.Type(w)
	return err == nil && (t == l.r.Layout().At(layout.TypeJSMap) || t == l.r.Layout().At(layout.TypeOddball))
}

// isolateIn finds where a Realm or an Environment has its isolate. An Environment is known by its async_hooks, which have
// the isolate too; a Realm by that Environment.
func isolateIn(r *heap.Reader, owner uint64) (int, error) {
	if b, err := environmentAt(r, owner); err == nil {
		if at, _, ok := hooksBuffers(b); ok {
			return at, nil
		}
	}
	b, err := r.Bytes(owner, maxRealm)
	if err != nil {
		return 0, err
	}
	for at := 0; at < maxRealm; at += 8 {
		environment, err := environmentAt(r, binary.LittleEndian.Uint64(b[at:]))
		if err != nil {
			continue
		}
		if fields, _, ok := hooksBuffers(environment); ok {
			return indexWord(b, binary.LittleEndian.Uint64(environment[fields:]))
		}
	}
	return 0, fmt.Errorf("%w in the Realm at 0x%x", ErrNoEnvironment, owner)
}

// indexWord is where a word stands in b.
func indexWord(b []byte, word uint64) (int, error) {
	for at := 0; at+8 <= len(b); at += 8 {
		if binary.LittleEndian.Uint64(b[at:]) == word {
			return at, nil
		}
	}
	return 0, fmt.Errorf("%w: the Realm does not have the isolate", ErrNoEnvironment)
}
