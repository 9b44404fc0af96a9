package symbolize

import (
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/pprofx"
)

// maxNative bounds the frames of native code that are kept, twice.
const maxNative = 1 << 14

// Natives names native code by the symbols of its file. Processes that run the same file share its frames. It is not
// safe for concurrent use.
type Natives struct {
	frames aged[codePlace, *pprofx.Frame]
}

// codePlace is an ELF virtual address in a file.
type codePlace struct {
	file uint64 // its Number
	at   uint64
}

// NewNatives makes Natives that have named nothing yet.
func NewNatives() *Natives { return &Natives{newAged[codePlace, *pprofx.Frame](maxNative)} }

// frame returns the frame of an address in a region of a file.
func (n *Natives) frame(r *process.Region, addr uint64, now int64) *pprofx.Frame {
	place := codePlace{r.File.Number, addr - r.Bias}
	f, ok := n.frames.get(place, now)
	if !ok {
		f = newNative(r.File, place.at)
		n.frames.put(place, f, now)
	}
	return f
}

func newNative(file *elffile.File, at uint64) *pprofx.Frame {
	f := &pprofx.Frame{
		Function: pprofx.FileFunction(file.Path), Kind: pprofx.Native,
		Module: file.Path, BuildID: file.BuildID, Address: at,
	}
	if file.Symbols != nil {
		if symbol, ok := file.Symbols.Lookup(at); ok {
			f.Function = symbol.Name
		}
	}
	return f
}
