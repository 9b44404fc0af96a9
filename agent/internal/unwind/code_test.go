package unwind

import (
	"debug/elf"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/agent/internal/flow"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestFollowCode follows the code of the C library as if that had no .eh_frame, and compares each rule with what
// .eh_frame says. glibc has no rules for what some functions in assembly push: these are left out, and are few.
func TestFollowCode(t *testing.T) {
	path := live.Libc(t)
	table := buildFile(t, path)
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var same, without, described, ends uint64
	for _, s := range executable(f) {
		for at := s.Start; at < s.End; at++ {
			if row, ok := table.Lookup(at); ok && isPlain(row) {
				described++
			}
		}
		for _, r := range flow.Follow(f, s, nil) {
			for at := r.Start; at < r.End; at++ {
				state := stateOf(r.State)
				got, _ := state.row()
				want, ok := table.Lookup(at)
				switch {
				case !ok || !isPlain(want):
				case equalCFA(r.State, got, want) && equalRBP(r.State, got, want):
					if same++; want.CFA == CFAEnd {
						ends++
					}
				case pushesWithoutRule(t, f, table, at):
					without++
				default:
					t.Errorf("%#x: %+v by the code, %+v by .eh_frame", at, r.State, want)
				}
			}
		}
	}
	t.Logf("%d bytes of code have the same rule, of %d, where %d end the stack; no rules for what is pushed in %d",
		same, described, ends, without)
	if same < described*4/5 || ends == 0 || without > described/1000 {
		t.Error("want four fifths that are the same, some that end the stack, and hardly any without rules")
	}
}

// isPlain reports whether a row has a form that compilers use for all but a few functions, or ends the stack.
func isPlain(row Row) bool { return row.CFA == RSP || row.CFA == RBP || row.CFA == CFAEnd }

// equalCFA compares the places of the caller's frame: code may know it by rsp where .eh_frame goes by rbp.
func equalCFA(s flow.State, got, want Row) bool {
	return got.CFA == want.CFA && got.Off == want.Off ||
		want.CFA == RBP && got.CFA == RSP && s.BP == 8*int32(want.Off)
}

// equalRBP compares where the caller's rbp is: .eh_frame goes on to say that it is on the stack where it has been
// popped, and code may not know it.
func equalRBP(s flow.State, got, want Row) bool {
	popped := got.RBP == RBPSame && want.RBP < 0 && s.SP < -8*int32(want.RBP)
	return got.RBP == want.RBP || got.RBP == RBPLost || popped
}

// pushesWithoutRule reports whether .eh_frame says up to an address that a function pushes nothing, though it begins
// with pushes.
func pushesWithoutRule(t *testing.T, f *elf.File, table *Table, at uint64) bool {
	row, _ := table.Lookup(at)
	if row.CFA != RSP || row.Off != 1 {
		return false
	}
	const longest = 15 // bytes of an instruction
	begin := table.Base + uint64(row.PC)
	code, err := symbols.Bytes(f, begin, at-begin+longest)
	if err != nil {
		t.Fatal(err)
	}
	for uint64(len(code)) > longest {
		i, err := x86asm.Decode(code, 64)
		if err == nil && i.Op == x86asm.PUSH {
			return true
		}
		code = code[max(1, i.Len):]
	}
	return false
}
