package uvpool

import (
	"debug/elf"
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// Bounds of what findCalls reads. The largest function, uv__fs_work, has 6 KiB and some hundred calls.
const (
	maxFunction = 16 << 10 // bytes of code
	maxCalls    = 1024     // of all functions; Node.js 24 has 700
)

// findCalls finds where functions call others, as the addresses of the last bytes of the calls.
func findCalls(f *elf.File, names *symbols.Table, functions []uint64) (calls []uint64, err error) {
	for _, start := range functions {
		s, ok := names.Lookup(start)
		if start == 0 || !ok {
			continue
		}
		code, err := symbols.Bytes(f, start, min(s.Start+s.Size-start, maxFunction))
		if err != nil {
			return nil, fmt.Errorf("function of libuv's pool: %w", err)
		}
		calls = appendCalls(calls, code, start)
	}
	return calls, nil
}

// appendCalls appends the calls in code. Bytes that are no known instruction are skipped, one by one: what is taken for
// a call in them is an address in the function all the same.
func appendCalls(calls []uint64, code []byte, at uint64) []uint64 {
	for len(code) > 0 && len(calls) < maxCalls {
		i, err := x86asm.Decode(code, 64)
		if err != nil {
			i.Len = 1
		}
		at, code = at+uint64(i.Len), code[i.Len:]
		if err == nil && i.Op == x86asm.CALL {
			calls = append(calls, at-1)
		}
	}
	return calls
}
