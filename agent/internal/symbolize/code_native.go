package symbolize

import (
	"math"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/pprofx"
)

// nativeAt finds the function that an address is in, in a region of a file. It ends with the region at the latest, as
// what is behind is another file's, and with the last address: a file may say anything. False: no symbol names one that
// begins in the region.
func nativeAt(r *process.Region, pc uint64) (jitcode.Native, bool) {
	if r.File.Symbols == nil {
		return jitcode.Native{}, false
	}
	symbol, ok := r.File.Symbols.Lookup(pc - r.Bias)
	start := symbol.Start + r.Bias
	if !ok || start < r.Start || start > pc {
		return jitcode.Native{}, false
	}
	f := jitcode.Native{
		File: r.File.Number, Start: start, Size: min(symbol.Size, r.End-start, math.MaxUint64-symbol.Start),
		Function: pprofx.Frame{Function: symbol.Name, Kind: pprofx.Native, Module: r.File.Path,
			BuildID: r.File.BuildID, Address: symbol.Start},
	}
	if r.Kind == process.Builtins {
		f.Function.Function, f.Function.Kind = strings.TrimPrefix(symbol.Name, "Builtins_"), pprofx.Builtin
	}
	return f, true
}
