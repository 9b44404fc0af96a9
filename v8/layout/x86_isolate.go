package layout

import (
	"debug/elf"
	"fmt"

	"golang.org/x/arch/x86/x86asm"
)

// currentIsolate are functions that return the thread's Isolate.
var currentIsolate = []string{"_ZN2v87Isolate10GetCurrentEv", "_ZN2v87Isolate13TryGetCurrentEv"}

// isolateTLS: `mov %fs:disp32,%rax` (V8 >= 13), or an initial-exec access: `mov got(%rip),%rax; mov %fs:(%rax),%rax`.
func isolateTLS(im *image, code []inst) (int64, error) {
	for _, i := range code {
		if d, ok := tlsDisp(i); ok {
			return d, nil
		}
		if slot, ok := gotSlot(i); ok {
			if d, ok := im.tpoff(slot); ok {
				return d, nil
			}
		}
	}
	return 0, errPattern
}

// readIsolateIndex finds the words for __tls_get_addr: `lea got(%rip),%rdi`, where Isolate.tls is not fixed. From V8 13
// on that is in a function to which the accessor jumps.
func (l *Layout) readIsolateIndex(im *image) {
	read := func(im *image, code []inst) (int64, error) {
		if to, ok := lastJump(code); ok {
			code, _ = im.decode(im.linked(to), maxCall)
		}
		for _, i := range code {
			slot, ok := ripRelative(i)
			if !ok || i.Op != x86asm.LEA {
				continue
			}
			if r, ok := im.relocation(slot); ok && r.kind == elf.R_X86_64_DTPMOD64 {
				return int64(slot), nil
			}
		}
		return 0, errPattern
	}
	if n, name, err := (accessor{names: currentIsolate, read: read}).run(im); err == nil {
		l.IsolateIndex = uint64(n)
		l.Values[IsolateTLS] = Value{State: Absent, Origin: "machine code of " + name + ": of a shared library"}
	}
}

// maxCall bounds the code that is read of a function that gets a variable by __tls_get_addr, in bytes. It has 25.
const maxCall = 32

// isolateKey: `mov isolate_key_(%rip),%edi; jmp v8::base::Thread::GetThreadLocal(int)`, in a shared library
// `mov got(%rip),%rax; mov (%rax),%edi; jmp`.
func isolateKey(im *image, code []inst) (int64, error) {
	if len(code) != 2 && len(code) != 3 {
		return 0, errPattern
	}
	at, ok := gotSlot(code[0])
	if len(code) == 3 && ok {
		m, isMem := code[1].Args[1].(x86asm.Mem)
		at, ok = im.pointer(at)
		ok = ok && code[0].Args[0] == x86asm.RAX && isMem && m.Base == x86asm.RAX && m.Disp == 0
	}
	load := code[len(code)-2]
	if _, jumps := lastJump(code); !ok || !jumps || load.Args[0] != x86asm.EDI || !im.inBSS(at) {
		return 0, errPattern
	}
	return int64(at), nil
}

// isolateContext: InContext is `cmpq $0,disp(%rdi)`.
func isolateContext(_ *image, code []inst) (int64, error) {
	for _, i := range code {
		if d, ok := fieldOf(i.Args[0], x86asm.RDI); ok && i.Op == x86asm.CMP {
			return d, nil
		}
	}
	return 0, errPattern
}

// rootBias is what r13 is ahead of the Isolate in V8's own code: IsolateData::kIsolateRootBias.
const rootBias = 0x80

// isolateCEntryFP: entering C++ stores the frame pointer, `mov %rbp,disp(%r13)`.
func isolateCEntryFP(_ *image, code []inst) (int64, error) {
	for _, i := range code {
		if d, ok := fieldOf(i.Args[0], x86asm.R13); ok && i.Op == x86asm.MOV && i.Args[1] == x86asm.RBP {
			return d + rootBias, nil
		}
	}
	return 0, errPattern
}

// isolateVMState: v8::Isolate::SetIdle jumps to the internal one, which compares js_entry_sp with 0 and then stores the
// state: `mov %dx,disp(%rdi)`. The state is 0x10 after js_entry_sp (src/execution/thread-local-top.h).
func isolateVMState(im *image, code []inst) (int64, error) {
	if to, ok := lastJump(code); ok {
		inner, err := im.decode(im.linked(to), maxCode)
		if err != nil {
			return 0, err
		}
		code = inner
	}
	entrySP := int64(-1)
	for _, i := range code {
		d, ok := fieldOf(i.Args[0], x86asm.RDI)
		switch {
		case ok && i.Op == x86asm.CMP && entrySP < 0:
			entrySP = d
		case ok && i.Op == x86asm.MOV:
			return agree(d, entrySP+0x10)
		}
	}
	return 0, errPattern
}

func agree(a, b int64) (int64, error) {
	if a != b {
		return 0, fmt.Errorf("%w: %#x and %#x disagree", errPattern, a, b)
	}
	return a, nil
}

func lastJump(code []inst) (uint64, bool) {
	if len(code) == 0 {
		return 0, false
	}
	return target(code[len(code)-1])
}

// isolateCPED: the getter makes a handle. Of the Isolate's words it touches, the next handle is stored to and the limit
// is compared with: the one that is only loaded is the embedder data.
func isolateCPED(_ *image, code []inst) (int64, error) {
	loaded, handles := map[int64]bool{}, map[int64]bool{}
	for _, i := range code {
		if d, ok := fieldOf(i.Args[0], x86asm.RDI); ok {
			handles[d] = true // stored to, or compared with
		}
		if d, ok := fieldOf(i.Args[1], x86asm.RDI); ok {
			if i.Op == x86asm.MOV {
				loaded[d] = true
			} else {
				handles[d] = true
			}
		}
	}
	return onlyOne(loaded, handles)
}

// onlyOne returns the single member of set that is not in but.
func onlyOne(set, but map[int64]bool) (n int64, err error) {
	count := 0
	for d := range set {
		if !but[d] {
			n, count = d, count+1
		}
	}
	if count != 1 {
		return 0, fmt.Errorf("%w: %d candidates", errPattern, count)
	}
	return n, nil
}

// minHeapOffset is less than the Heap's offset in any Isolate and more than the frame of the function that is read.
const minHeapOffset = 0x1000

// isolateHeap: MemoryPressureNotification passes the Heap on: `lea disp(%rbx),%rdi` or `add $disp,%r14`.
func isolateHeap(_ *image, code []inst) (int64, error) {
	found := map[int64]bool{}
	for _, i := range code {
		m, isMem := i.Args[1].(x86asm.Mem)
		imm, isImm := i.Args[1].(x86asm.Imm)
		if i.Op == x86asm.LEA && isMem && m.Base != x86asm.RIP && m.Disp >= minHeapOffset {
			found[m.Disp] = true
		}
		if i.Op == x86asm.ADD && isImm && int64(imm) >= minHeapOffset {
			found[int64(imm)] = true
		}
	}
	return onlyOne(found, nil)
}

// heapGCState: SetGCState is `mov %esi,disp(%rdi)`.
func heapGCState(_ *image, code []inst) (int64, error) {
	for _, i := range code {
		if d, ok := fieldOf(i.Args[0], x86asm.RDI); ok && i.Op == x86asm.MOV && i.Args[1] == x86asm.ESI {
			return d, nil
		}
	}
	return 0, errPattern
}

// heapMSCount: MarkCompact adds 1 to one 32-bit word, `addl $1,disp(%rbx)` or `incl disp(%rbx)`.
func heapMSCount(_ *image, code []inst) (int64, error) {
	counts := map[int64]bool{}
	for _, i := range code {
		m, isMem := i.Args[0].(x86asm.Mem)
		one := i.Op == x86asm.INC || i.Op == x86asm.ADD && i.Args[1] == x86asm.Imm(1)
		if one && isMem && i.MemBytes == 4 && m.Base != x86asm.RIP && m.Index == 0 {
			counts[m.Disp] = true
		}
	}
	return onlyOne(counts, nil)
}
