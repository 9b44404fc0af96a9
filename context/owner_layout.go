package context

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// OwnerLayout says how to find the owner of work in libuv's pool: from the C++ object that the work is for to the
// resource, or AsyncContextFrame, of its request. It is the same for all AsyncWraps, and for all other objects of one
// class. Offsets are in bytes from the start of that object, except for FrameField and Isolate.
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
	maxTop   = 1024  // from the start of an object to its ThreadPoolWork
	maxRealm = 0x100 // of a Realm
	maxID    = 64    // behind the handle of the resource
)

// ErrUnknownClass says that an object is no part of an AsyncWrap or AsyncResource, so its owner is not known.
var ErrUnknownClass = errors.New("neither an AsyncWrap nor an AsyncResource of Node.js")

var (
	errCollecting = errors.New("the collector moves what an object of Node.js refers to")
	errGone       = errors.New("the work is done")
)

// Job is what a thread of libuv's pool works on.
type Job struct {
	Object uint64 // address of a ThreadPoolWork, or of the AsyncWrap that the request refers to
	Work   uint64 // address of its struct uv__work
	Queued bool   // the object is a ThreadPoolWork
}

// jobState is what stays the same for as long as a thread works on a job. The function is libuv's. It is 0 once the
// work is done: until then Node.js keeps the object. (libuv: src/threadpool.c, worker())
type jobState struct {
	function, vtable heap.Word
	head             [maxID + 24]byte // of the whole object, with the id of the asynchronous operation
}

func (j Job) state(r *heap.Reader, top int) (s jobState, err error) {
	if s.function, err = r.WordAt(j.Work); err != nil {
		return s, err
	}
	if s.vtable, err = r.WordAt(j.Object); err != nil {
		return s, err
	}
	b, err := r.Bytes(j.Object+uint64(top), len(s.head))
	copy(s.head[:], b)
	return s, err
}

// OwnerLayout finds the layout of the object of a job. class is 0 for an AsyncWrap, else the vtable of the
// ThreadPoolWork, which then is behind an AsyncResource. The error is ErrUnknownClass if the object is none of these.
// There are other errors for a job that no thread works on any more, and while the isolate collects garbage: a later
// try may succeed.
//
// It looks twice, since what the object refers to may move meanwhile. It makes fewer than 4,000 reads, most of them of
// 8 bytes and none of more than 4 KiB.
func (l *Learner) OwnerLayout(j Job) (class uint64, o OwnerLayout, err error) {
	vtable, err := l.r.WordAt(j.Object)
	if err != nil {
		return 0, OwnerLayout{}, err
	}
	top := 0
	if j.Queued {
		top = offsetToTop(l.r, uint64(vtable))
	}
	before, err := j.state(l.r, top)
	if err != nil {
		return 0, OwnerLayout{}, err
	}
	wrap, o, err := l.ownerLayout(j.Object, top)
	if after, wrong := j.state(l.r, top); wrong != nil || before.function == 0 || after != before {
		return 0, OwnerLayout{}, errGone
	}
	if j.Queued && !wrap {
		class = uint64(before.vtable)
	}
	return class, o, err
}

func (l *Learner) ownerLayout(object uint64, top int) (wrap bool, o OwnerLayout, err error) {
	base := object + uint64(top)
	wrap, first, err := findOwner(l.r, base, object)
	if err != nil {
		return wrap, OwnerLayout{}, err
	}
	if isCollecting(l.r, base, first) {
		return wrap, OwnerLayout{}, errCollecting
	}
	again, second, err := findOwner(l.r, base, object)
	if err == nil && (again != wrap || second != first) {
		err = errCollecting
	}
	return wrap, second, err
}

// isCollecting reports whether the isolate of an object collects garbage, or that cannot be read.
func isCollecting(r *heap.Reader, object uint64, o OwnerLayout) bool {
	realm, _ := r.WordAt(object + uint64(o.Realm))
	isolate, _ := r.WordAt(uint64(realm) + uint64(o.Isolate))
	state, err := r.Bytes(uint64(isolate)+uint64(r.Layout().At(layout.IsolateVMState)), 1)
	return err != nil || layout.VMState(state[0]) == layout.VMStateGC
}

// findOwner looks at the first base class of an object. work is a ThreadPoolWork in it, or the object itself.
func findOwner(r *heap.Reader, object, work uint64) (wrap bool, o OwnerLayout, err error) {
	switch {
	case IsWrap(r, object):
		o, err = layoutOf(r, object, asyncWrap)
		return true, o, err
	case work != object && isAsyncResource(r, object, work):
		o, err = layoutOf(r, object, asyncResource)
		return false, o, err
	}
	return false, OwnerLayout{}, ErrUnknownClass
}

// offsetToTop returns the distance in bytes, 0 or negative, from a base class to the start of the object that it is a
// part of, by the address of the vtable that the object has for that class. It is 0 too if there is no such vtable.
// (Itanium C++ ABI, 2.5.2: the second word before that address)
func offsetToTop(r *heap.Reader, vtable uint64) int {
	w, err := r.WordAt(vtable - 16)
	if top := int(w); err == nil && top < 0 && top >= -maxTop && top%8 == 0 {
		return top
	}
	return 0
}

// IsThreadPoolWork reports whether a ThreadPoolWork, at an offset in an object, is a part of it.
func IsThreadPoolWork(r *heap.Reader, object uint64, offset int) bool {
	vtable, err := r.WordAt(object + uint64(offset))
	return err == nil && offset != 0 && offsetToTop(r, uint64(vtable)) == -offset
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

// layoutOf finds where the isolate is, and whether there is an AsyncContextFrame.
func layoutOf(r *heap.Reader, object uint64, c ownerClass) (OwnerLayout, error) {
	out := OwnerLayout{Resource: c.resource.value(), Realm: c.realm.value()}
	var err error
	if out.AsyncID, err = findAsyncID(r, object, out.Resource+8); err != nil {
		return OwnerLayout{}, err
	}
	if r.Layout().Has(layout.IsolateCPED) {
		findFrame(r, object, &out, c)
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
func findFrame(r *heap.Reader, object uint64, o *OwnerLayout, c ownerClass) {
	handle := c.frame.value()
	if frame, ok := readHandle(r, object+uint64(handle)); ok && isFrame(r, frame) {
		o.Frame = handle
		return
	}
	if c.frameField == noField {
		return
	}
	field := c.frameField.value() + r.Layout().At(layout.JSObjectInternalField)
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
