package context

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// OwnerLayout says how to find the owner of work in libuv's pool: from the C++ object that a thread of the pool works
// on to the resource, or AsyncContextFrame, of the request that the work is for. It is the same for all objects of one
// C++ class. Offsets are in bytes from that object, except for FrameField and Isolate. They may be negative, since the
// object may be the second base class of a larger one.
type OwnerLayout struct {
	Resource   int // offset of the handle of the resource
	Frame      int // offset of the handle of the AsyncContextFrame; 0 = it has none
	FrameField int // offset of the AsyncContextFrame in the resource; 0 = it has none
	AsyncID    int // offset of the id of the asynchronous operation, a double
	Realm      int // offset of the address of the Realm or Environment
	Isolate    int // offset of the address of the isolate in that Realm or Environment
}

// ownerClass says where one of Node.js's base classes keeps what OwnerLayout tells, from its start. With a frameField
// the resource has the AsyncContextFrame in an internal field.
type ownerClass struct{ resource, realm, frame, frameField nodeField }

// The base classes of what the pool works on. The works of Node-API are AsyncResources, all others AsyncWraps.
var (
	asyncWrap = ownerClass{
		resource: wrapHandle, realm: wrapRealm, frame: wrapFrame, frameField: wrapFrameField,
	}
	asyncResource = ownerClass{resource: resourceHandle, realm: resourceEnvironment, frame: resourceFrame}
)

// Bounds of what is searched, in bytes.
const (
	maxBefore = 512   // of an object, before its ThreadPoolWork
	maxRealm  = 0x100 // of a Realm
	maxID     = 64    // behind the handle of the resource
)

// ErrUnknownClass says that an object is no part of an AsyncWrap or AsyncResource, so its owner is not known.
var ErrUnknownClass = errors.New("neither an AsyncWrap nor an AsyncResource of Node.js")

var (
	errCollecting = errors.New("the collector moves what an object of Node.js refers to")
	errGone       = errors.New("the object is gone")
)

// OwnerLayout finds the layout of the class of an object that a thread of libuv's pool works on: a ThreadPoolWork,
// which lies behind an AsyncWrap or AsyncResource in one object, and whose vtable is at the address class; or, with
// class 0, an AsyncWrap itself. The error is ErrUnknownClass if it is neither: with class 0 perhaps because it is gone.
// There are other errors for a ThreadPoolWork that is gone, and while the isolate collects garbage: a later try may
// succeed.
//
// It looks twice, since what the object refers to may move meanwhile. It makes fewer than 4,000 reads, most of them of
// 8 bytes and none of more than 4 KiB.
func (l *Learner) OwnerLayout(object, class uint64) (OwnerLayout, error) {
	o, err := l.ownerLayout(object, class)
	if class == 0 {
		return o, err
	}
	if vtable, wrong := l.r.WordAt(object); wrong != nil || uint64(vtable) != class {
		return OwnerLayout{}, errGone // its memory may be part of something else by now
	}
	return o, err
}

func (l *Learner) ownerLayout(object, class uint64) (OwnerLayout, error) {
	first, err := findOwner(l.r, object, class)
	if err != nil {
		return OwnerLayout{}, err
	}
	if isCollecting(l.r, object, first) {
		return OwnerLayout{}, errCollecting
	}
	second, err := findOwner(l.r, object, class)
	if err == nil && second != first {
		err = errCollecting
	}
	return second, err
}

// isCollecting reports whether the isolate of an object collects garbage, or that cannot be read.
func isCollecting(r *heap.Reader, object uint64, o OwnerLayout) bool {
	realm, _ := r.WordAt(object + uint64(o.Realm))
	isolate, _ := r.WordAt(uint64(realm) + uint64(o.Isolate))
	state, err := r.Bytes(uint64(isolate)+uint64(r.Layout().At(layout.IsolateVMState)), 1)
	return err != nil || layout.VMState(state[0]) == layout.VMStateGC
}

// findOwner looks for the base class: at the object, and of a ThreadPoolWork before it.
func findOwner(r *heap.Reader, object, class uint64) (OwnerLayout, error) {
	if IsWrap(r, object) {
		return layoutOf(r, object, 0, asyncWrap)
	}
	if class == 0 { // what is before it is another object
		return OwnerLayout{}, ErrUnknownClass
	}
	for back := 8; back < maxBefore; back += 8 {
		base := object - uint64(back)
		if IsWrap(r, base) {
			return layoutOf(r, object, -back, asyncWrap)
		}
		if isAsyncResource(r, base, object) {
			return layoutOf(r, object, -back, asyncResource)
		}
	}
	return OwnerLayout{}, ErrUnknownClass
}

// IsWrap reports whether an AsyncWrap, or other BaseObject, is at an address: its JavaScript object has that address in
// its first internal field, in later versions in the second. (node: src/base_object.h, enum InternalFields, kSlot)
func IsWrap(r *heap.Reader, base uint64) bool {
	object, ok := readHandle(r, base+uint64(wrapHandle.value()))
	at := r.Layout().At(layout.JSObjectInternalField)
	if !ok || at < 0 || !isJSObject(r, object) {
		return false
	}
	b, err := r.Bytes(uint64(object)-1+uint64(at), 16)
	if err != nil {
		return false
	}
	return binary.LittleEndian.Uint64(b) == base || binary.LittleEndian.Uint64(b[8:]) == base
}

// isAsyncResource reports whether an AsyncResource is at an address: it has the same Environment as the ThreadPoolWork
// behind it.
func isAsyncResource(r *heap.Reader, base, work uint64) bool {
	environment, err := r.WordAt(base + uint64(resourceEnvironment.value()))
	if err != nil || environment == 0 {
		return false
	}
	own, err := r.WordAt(work + uint64(workEnvironment.value()))
	if err != nil || own != environment {
		return false
	}
	object, ok := readHandle(r, base+uint64(resourceHandle.value()))
	return ok && isJSObject(r, object)
}

// layoutOf finds where the isolate is, and whether there is an AsyncContextFrame. base is the offset of the base class.
func layoutOf(r *heap.Reader, object uint64, base int, c ownerClass) (OwnerLayout, error) {
	out := OwnerLayout{Resource: base + c.resource.value(), Realm: base + c.realm.value()}
	var err error
	if out.AsyncID, err = findAsyncID(r, object, out.Resource+8); err != nil {
		return OwnerLayout{}, err
	}
	if r.Layout().Has(layout.IsolateCPED) {
		findFrame(r, object, &out, base+c.frame.value(), c.frameField)
	}
	owner, err := r.WordAt(object + uint64(out.Realm))
	if err != nil {
		return OwnerLayout{}, err
	}
	out.Isolate, err = isolateIn(r, uint64(owner))
	return out, err
}

// findAsyncID finds the id of the asynchronous operation, from an offset on. It is the first whole number: pointers and
// small numbers are none, read as doubles.
func findAsyncID(r *heap.Reader, object uint64, from int) (int, error) {
	for at := from; at < from+maxID; at += 8 {
		w, err := r.WordAt(object + uint64(at))
		if err != nil {
			return 0, err
		}
		if id := math.Float64frombits(uint64(w)); id >= 1 && id < 1<<53 && id == math.Trunc(id) {
			return at, nil
		}
	}
	return 0, ErrUnknownClass
}

// findFrame finds where the AsyncContextFrame is, if there is one.
func findFrame(r *heap.Reader, object uint64, o *OwnerLayout, handle int, frameField nodeField) {
	if frame, ok := readHandle(r, object+uint64(handle)); ok && isFrame(r, frame) {
		o.Frame = handle
		return
	}
	if frameField == noField {
		return
	}
	field := frameField.value() + r.Layout().At(layout.JSObjectInternalField)
	resource, _ := readHandle(r, object+uint64(o.Resource))
	if frame, err := r.WordAt(uint64(resource) - 1 + uint64(field)); err == nil && isFrame(r, frame) {
		o.FrameField = field
	}
}

// isFrame reports whether a word can be an AsyncContextFrame: a JavaScript Map, or undefined where the request has
// none.
func isFrame(r *heap.Reader, w heap.Word) bool {
	t, err := r.Type(w)
	return err == nil && (t == r.Layout().At(layout.TypeJSMap) || t == r.Layout().At(layout.TypeOddball))
}

// isolateIn finds where a Realm or an Environment has its isolate. An Environment is known by its async_hooks, which
// have the isolate too; a Realm by the Environment that it refers to.
func isolateIn(r *heap.Reader, owner uint64) (int, error) {
	if b, err := readEnvironment(r, owner); err == nil {
		if at, _, ok := hooksBuffers(b); ok {
			return at, nil
		}
	}
	b, err := r.Bytes(owner, maxRealm)
	if err != nil {
		return 0, err
	}
	for at := 0; at < maxRealm; at += 8 {
		environment, err := readEnvironment(r, binary.LittleEndian.Uint64(b[at:]))
		if err != nil {
			continue
		}
		if fields, _, ok := hooksBuffers(environment); ok {
			return indexWord(b, binary.LittleEndian.Uint64(environment[fields:]))
		}
	}
	return 0, fmt.Errorf("%w in the Realm at 0x%x", ErrNoEnvironment, owner)
}

// indexWord is the offset of a word in b.
func indexWord(b []byte, word uint64) (int, error) {
	for at := 0; at+8 <= len(b); at += 8 {
		if binary.LittleEndian.Uint64(b[at:]) == word {
			return at, nil
		}
	}
	return 0, fmt.Errorf("%w: the Realm does not have the isolate", ErrNoEnvironment)
}

// FrameOf returns the AsyncContextFrame of an AsyncWrap, by the addresses of the C++ object and of its JavaScript
// object; ok is false where it has none. is tells a frame from other JavaScript Maps.
func FrameOf(r *heap.Reader, wrap uint64, object heap.Word, is func(heap.Word) bool) (frame heap.Word, ok bool) {
	at := r.Layout().At(layout.JSObjectInternalField)
	if at < 0 {
		return 0, false
	}
	field, err := r.WordAt(uint64(object) - 1 + uint64(at+wrapFrameField.value()))
	if err == nil && is(field) {
		return field, true
	}
	frame, ok = readHandle(r, wrap+uint64(wrapFrame.value()))
	return frame, ok && is(frame)
}

// WrapOf returns the address of the AsyncWrap, or other BaseObject, that a JavaScript object stands for; ok is false
// where it is gone, or never was one.
func WrapOf(r *heap.Reader, object heap.Word) (wrap uint64, ok bool) {
	at := r.Layout().At(layout.JSObjectInternalField)
	if at < 0 {
		return 0, false
	}
	for slot := range uint64(2) {
		w, err := r.WordAt(uint64(object) - 1 + uint64(at) + 8*slot)
		if err != nil || w == 0 || w&7 != 0 || w>>47 != 0 {
			continue
		}
		if of, ok := readHandle(r, uint64(w)+uint64(wrapHandle.value())); ok && of == object {
			return uint64(w), true
		}
	}
	return 0, false
}
