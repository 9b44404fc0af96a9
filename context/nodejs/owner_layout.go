package nodejs

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
type ownerClass struct{ resource, realm, frame, frameField field }

// The base classes of what the pool works on. The works of Node-API are AsyncResources, all others AsyncWraps.
var (
	asyncWrap = ownerClass{
		resource: wrapHandle, realm: wrapRealm, frame: wrapFrame, frameField: wrapFrameField,
	}
	asyncResource = ownerClass{resource: resourceHandle, realm: resourceEnvironment, frame: resourceFrame}
)

// Bounds of what is searched, in bytes.
const (
	maxRealm = 0x100 // of a Realm
	maxID    = 64    // behind the handle of the resource
)

// ErrUnknownClass says that an object is neither an AsyncWrap nor an AsyncResource, so its owner is not known.
var ErrUnknownClass = errors.New("neither an AsyncWrap nor an AsyncResource of Node.js")

// JobWords is how many words of an object a JobObject has.
const JobWords = 12

// JobObject is the C++ object that Node.js has for a job of libuv's pool, as it is while a thread works on that.
type JobObject struct {
	Wrap      bool             // it is an AsyncWrap
	Words     [JobWords]uint64 // its first ones
	WorkOwner uint64           // address of the Environment of the ThreadPoolWork that is a part of it; 0: none is
	// Whether it refers to an AsyncContextFrame, or undefined, by a handle, or in an internal field of the resource.
	HandleFrame, FieldFrame bool
}

// FindOwnerLayout finds the layout of an AsyncWrap, or of another object of a class. The error is ErrUnknownClass for
// what cannot be one. It makes fewer than 100 reads of the Realm and what that refers to, which last.
func FindOwnerLayout(r *heap.Reader, o *JobObject) (OwnerLayout, error) {
	class := asyncWrap
	if !o.Wrap {
		class = asyncResource
		if owner := o.word(class.realm.value()); owner == 0 || owner != o.WorkOwner {
			return OwnerLayout{}, ErrUnknownClass
		}
	}
	out := OwnerLayout{Resource: class.resource.value(), Realm: class.realm.value()}
	var ok bool
	if out.AsyncID, ok = o.findAsyncID(out.Resource + 8); !ok {
		return OwnerLayout{}, ErrUnknownClass
	}
	switch {
	case o.HandleFrame:
		out.Frame = class.frame.value()
	case o.FieldFrame:
		out.FrameField = class.frameField.value() + r.Layout().At(layout.JSObjectInternalField)
	}
	var err error
	out.Isolate, err = isolateIn(r, o.word(out.Realm))
	return out, err
}

func (o *JobObject) word(at int) uint64 { return o.Words[at/8] }

// findAsyncID finds the id of the asynchronous operation, from an offset on. It is the first whole number: pointers and
// small numbers are none, read as doubles.
func (o *JobObject) findAsyncID(from int) (at int, ok bool) {
	for at := from; at < min(from+maxID, 8*JobWords); at += 8 {
		if id := math.Float64frombits(o.word(at)); id >= 1 && id < 1<<53 && id == math.Trunc(id) {
			return at, true
		}
	}
	return 0, false
}

// maxTop bounds the distance from the start of an object to its ThreadPoolWork, in bytes.
const maxTop = 1024

// IsThreadPoolWork reports whether a ThreadPoolWork, at an offset in an object, is a part of it: before the vtable that
// an object has for a base class is the distance to the start. (Itanium C++ ABI, 2.5.2)
func IsThreadPoolWork(r *heap.Reader, object uint64, offset int) bool {
	vtable, err := r.WordAt(object + uint64(offset))
	if err != nil || offset <= 0 || offset > maxTop {
		return false
	}
	top, err := r.WordAt(uint64(vtable) - 16)
	return err == nil && int(top) == -offset
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
