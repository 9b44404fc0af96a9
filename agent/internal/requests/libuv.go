package requests

import (
	"bytes"
	"encoding/binary"

	"github.com/hotspan/hotspan/context/nodejs"
)

// wrapBytes is how much of a C++ object of Node.js is searched for what libuv has in it.
const wrapBytes = 1 << 10

// firstMember is behind the members of AsyncWrap that never point to the object itself. (node: src/base_object.h)
const firstMember = 16

// maxText bounds a name or a path that is shown, in bytes.
const maxText = 1 << 12

// uv_handle_t, in bytes. (libuv: include/uv.h, UV_HANDLE_FIELDS; src/uv-common.h, the flags)
const (
	handleData, handleLoop, handleType, handleFlags = 0, 8, 16, 88
	handleSize                                      = 96

	lastHandleType = 17     // UV_FILE
	flagsClosing   = 3      // UV_HANDLE_CLOSING, UV_HANDLE_CLOSED
	flagActive     = 4      // UV_HANDLE_ACTIVE
	flagReading    = 0x1000 // UV_HANDLE_READING
)

// uv_req_t and, from its end on, uv_fs_t and uv_work_t, in bytes. (libuv: include/uv.h, UV_REQ_FIELDS)
const (
	requestData, requestType = 0, 8
	requestSize              = 64
	fsType, fsPath           = requestSize, requestSize + 40
	workQueue                = requestSize + 48 // in its uv__work
	requestEnd               = requestSize + 64 // of what is read of any

	requestFS       = 6 // UV_FS
	requestWork     = 7 // UV_WORK
	lastRequestType = 10
)

// inHandle reports whether a C++ object has a handle of libuv that is active, which refers to it.
// (node: src/handle_wrap.cc, handle->data)
func (f *reader) inHandle(w *Wait, base uint64, b []byte) bool {
	for at := firstMember; at+8 <= len(b); at += 8 {
		p := word(b, at)
		if p < base || p >= base+wrapBytes || p&7 != 0 {
			continue // the handle is a member
		}
		h, err := f.r.Bytes(p, handleSize)
		if err != nil || word(h, handleData) != base || !f.isLoop(word(h, handleLoop)) {
			continue
		}
		typ, flags := binary.LittleEndian.Uint32(h[handleType:]), binary.LittleEndian.Uint32(h[handleFlags:])
		if typ == 0 || typ > lastHandleType {
			continue
		}
		w.Sort = Handle
		if flags&flagReading != 0 {
			w.What = "reading"
		}
		return flags&flagActive != 0 && flags&flagsClosing == 0
	}
	return false
}

// inRequest reports whether a C++ object has a request of libuv that has not ended. One that was sent refers to the
// object, unless it is work for the pool. (node: src/req_wrap-inl.h, ReqWrap::Dispatched; src/threadpoolwork-inl.h)
func (f *reader) inRequest(w *Wait, base uint64, b []byte) bool {
	for at := firstMember; at+requestEnd <= len(b); at += 8 {
		r := b[at:]
		typ := binary.LittleEndian.Uint32(r[requestType:])
		if typ == 0 || typ > lastRequestType {
			continue
		}
		switch {
		case typ == requestWork && f.queued(base+uint64(at), r) && nodejs.IsThreadPoolWork(f.r, base, at-workMembers):
			w.Sort = Job
			return true
		case word(r, requestData) == base && f.hasLoop(r):
			w.Sort = Request
			if typ == requestFS {
				w.What = f.file(r)
			}
			return true
		}
	}
	return false
}

// queued reports whether work for the pool waits for a thread, is done, or waits for the loop to hear that it was: then
// it is an element of a circular list, of itself alone while a thread does it. (libuv: src/threadpool.c, worker,
// uv__work_done)
func (f *reader) queued(request uint64, r []byte) bool {
	return f.isLoop(word(r, requestSize)) && f.inRing(request+workQueue, word(r, workQueue), word(r, workQueue+8))
}

// workMembers are the bytes before the request in a ThreadPoolWork, which is a base class of what the work is for.
// (node: src/node_internals.h)
const workMembers = 16

// hasLoop reports whether a request refers to a loop, or to a handle, which does: their places differ by its type.
func (f *reader) hasLoop(r []byte) bool {
	for at := requestSize; at <= requestSize+16; at += 8 {
		p := word(r, at)
		if f.isLoop(p) {
			return true
		}
		if loop, err := f.r.WordAt(p + handleLoop); err == nil && f.isLoop(uint64(loop)) {
			return true
		}
	}
	return false
}

// loopHandles is where a uv_loop_t has the list of its handles, which begins and ends there. (libuv: include/uv.h)
const loopHandles = 16

func (f *reader) isLoop(at uint64) bool {
	if at == 0 || at&7 != 0 {
		return false
	}
	b, err := f.r.Bytes(at+loopHandles, 16)
	return err == nil && f.inRing(at+loopHandles, word(b, 0), word(b, 8))
}

// inRing reports whether an element of a circular list is what the ones behind and before it say.
// (libuv: src/queue.h)
func (f *reader) inRing(at, next, previous uint64) bool {
	back, err := f.r.WordAt(next + 8)
	if err != nil || uint64(back) != at {
		return false
	}
	forth, err := f.r.WordAt(previous)
	return err == nil && uint64(forth) == at
}

// file says what a request of a file does, with the path where it has one.
func (f *reader) file(r []byte) string {
	if len(r) < fsPath+8 {
		return ""
	}
	n := int(binary.LittleEndian.Uint32(r[fsType:]))
	if n < 0 || n >= len(fileCalls) {
		return ""
	}
	text, path := fileCalls[n], word(r, fsPath)
	if path == 0 {
		return text
	}
	b, _, ok := bytes.Cut(f.r.UpTo(path, maxText), []byte{0})
	if !ok {
		return text
	}
	return text + " " + string(b)
}

// fileCalls are the names of uv_fs_type. (libuv: include/uv.h)
var fileCalls = []string{"", "open", "close", "read", "write", "sendfile", "stat", "lstat", "fstat", "ftruncate",
	"utime", "futime", "access", "chmod", "fchmod", "fsync", "fdatasync", "unlink", "rmdir", "mkdir", "mkdtemp",
	"rename", "scandir", "link", "symlink", "readlink", "chown", "fchown", "realpath", "copyfile", "lchown", "opendir",
	"readdir", "closedir", "statfs", "mkstemp", "lutime"}

func word(b []byte, at int) uint64 {
	if at+8 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[at:])
}
