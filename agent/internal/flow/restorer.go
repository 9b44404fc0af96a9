package flow

import "bytes"

// restorer is what handlers of signals return to: mov $15, %rax; syscall, which is rt_sigreturn. musl has it in
// assembly, as all C libraries must, with a nop before it (musl: src/signal/x86_64/restore.s).
var restorer = []byte("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05")

// restorers finds the restorers of the code. They are not followed: nothing calls them.
func (w *walker) restorers() {
	for from := 0; ; {
		i := bytes.Index(w.code[from:], restorer)
		if i < 0 {
			return
		}
		begin, end := from+i, from+i+len(restorer)
		from = end
		if begin > 0 && w.code[begin-1] == nop {
			begin-- // where the return address of a handler is looked up
		}
		w.leaveOut(Span{w.addr + uint64(begin), w.addr + uint64(end)})
		size := min(end+behindCall, len(w.code)) - begin
		w.known = append(w.known, instruction{at: uint32(begin), size: uint8(size), state: State{Restorer: true}})
	}
}

const nop = 0x90

// behindCall is how far behind the system call the rule reaches, in bytes: while the call takes, the program counter is
// there. In musl sigsetjmp begins there, which Node.js does not call.
const behindCall = 1
