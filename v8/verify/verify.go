// Package verify compares a layout with a live process: what V8 keeps in an isolate must be where the layout says.
//
// A comparison follows references whose ends are known, such as from a function to its name in the text of its script.
// The fields that it verifies are those that, were they others, would have led elsewhere than to what was found. It
// only reads the process, which runs on; nothing in its memory is trusted.
package verify

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Result is what came of comparing a layout with an isolate.
type Result struct {
	Fields []layout.Field // that were right, rising
	Wrong  []string       // what contradicts the layout, a sentence each
	Off    Parts          // what cannot be relied on, since what it is read by was contradicted
	// Partly: the isolate had no context whenever it was looked at, or is none of Node.js. What is reached from a
	// context, or what only an isolate of Node.js has, was not compared.
	Partly bool
}

// Comparison is one more thing to compare, of which this package knows nothing: what an embedder such as Node.js keeps.
type Comparison struct {
	What  string         // names it in Result.Wrong
	Part  Parts          // what depends on it
	Needs []layout.Field // without one of these it is not run
	// Run gives the fields that it shows to be right, also with an error. The error says what contradicts the layout;
	// it is ErrNothing or ErrNoContext where there is nothing to compare with. isolate is an address.
	Run func(r *heap.Reader, isolate uint64) ([]layout.Field, error)
}

// A collector that moves what is read makes a right layout look wrong for a moment.
const (
	liveTries  = 3
	livePauses = 5 * time.Millisecond
)

// Isolate compares a layout with the isolate at an address of a running process. Offsets of mem are addresses of the
// process. A comparison that fails is made up to three times before it counts: a collection may move what is read.
func Isolate(mem io.ReaderAt, l *layout.Layout, isolate uint64, more ...Comparison) Result {
	return compare(mem, l, isolate, liveTries, with(more))
}

// Stopped is Isolate for memory that does not change, such as that of a stopped process: each comparison is made once.
func Stopped(mem io.ReaderAt, l *layout.Layout, isolate uint64, more ...Comparison) Result {
	return compare(mem, l, isolate, 1, with(more))
}

// Shortly is Isolate with the first comparisons only, which take some ten reads: enough to tell whether there is an
// isolate of this layout, where the layout has been compared with another process that runs the same binary.
func Shortly(mem io.ReaderAt, l *layout.Layout, isolate uint64) Result {
	return compare(mem, l, isolate, liveTries, comparisons[:short])
}

// with returns the comparisons of this package and more.
func with(more []Comparison) []comparison {
	all := slices.Clone(comparisons)
	for _, c := range more {
		all = append(all, comparison{c.What, c.Part, c.Needs, func(i *isolate) error {
			if i.foreign {
				return ErrNothing
			}
			right, err := c.Run(i.r, i.at)
			i.note(right...)
			return err
		}})
	}
	return all
}

func compare(mem io.ReaderAt, l *layout.Layout, at uint64, tries int, all []comparison) Result {
	read := &pages{mem: mem}
	i := &isolate{r: heap.NewReader(read, l), l: l, at: at, renew: read.forget}
	var out Result
	for _, c := range all {
		if i.l.Require(c.needs...) != nil {
			continue
		}
		err := c.try(i, tries)
		switch {
		case err == nil:
		case errors.Is(err, ErrNoContext):
			out.Partly = true
		case errors.Is(err, errForeign):
			out.Partly, i.foreign = true, true
		default:
			out.Wrong = append(out.Wrong, fmt.Sprintf("%s: %v", c.what, err))
			if !i.elsewhere {
				out.Off |= c.part
			}
			i.elsewhere = i.elsewhere || c.what == isolateContext
		}
	}
	for f := range layout.NumFields {
		if i.right[f] {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// comparison is one thing that is compared. It notes the fields that it shows to be right.
type comparison struct {
	what  string
	part  Parts
	needs []layout.Field
	run   func(*isolate) error
}

// isolateContext is the comparison that tells whether there is an isolate. Without one, what is compared after it is
// anything, and says nothing of names and lines, which are not reached from the isolate.
const isolateContext = "the isolate's context"

// try returns the last failure if no run was right, or ErrNoContext. A run that finds nothing to compare with does not
// excuse one that failed before it.
func (c comparison) try(i *isolate, tries int) error {
	var failed error
	for {
		i.renew()
		err := c.run(i)
		if err == nil || errors.Is(err, ErrNothing) && failed == nil {
			return nil
		}
		if failed == nil || !errors.Is(err, ErrNothing) && !errors.Is(err, ErrNoContext) {
			failed = err
		}
		if tries--; tries <= 0 {
			return failed
		}
		time.Sleep(livePauses)
	}
}

// short is how many of the comparisons are those of Shortly.
const short = 2

var comparisons = []comparison{
	{isolateContext, Labels, []layout.Field{layout.IsolateContext, layout.MapInstanceType, layout.TypeMap},
		(*isolate).checkContext},
	{"the async context", Labels, []layout.Field{layout.IsolateCPED, layout.TypeJSMap, layout.TypeOddball,
		layout.OddballToString},
		(*isolate).checkAsyncContext},
	{"functions", Names, []layout.Field{layout.IsolateContext, layout.MapConstructorOrBackPointer,
		layout.JSFunctionShared, layout.TypeJSFunctionFirst, layout.TypeJSFunctionLast, layout.TypeSharedFunctionInfo},
		(*isolate).checkFunctions},
	{"hidden classes", Labels, []layout.Field{layout.MapDescriptors, layout.DescriptorsHeader,
		layout.DescriptorsEntrySize, layout.TypeJSFunctionFirst, layout.TypeJSFunctionLast}, (*isolate).checkShapes},
	{"scripts", Names, scriptFields, (*isolate).checkScripts},
	{"functions of scripts", Names, append(slices.Clone(scriptFields), layout.SFIScript, layout.SFIFunctionLiteralID,
		layout.TypeSharedFunctionInfo, layout.ScriptInfos), (*isolate).checkLiterals},
	{"bytecode", Lines, append(slices.Clone(scriptFields), layout.ScriptInfos, layout.SFITrustedData,
		layout.TypeBytecodeArray, layout.BytecodeArrayLength, layout.BytecodeArrayFirstByte,
		layout.BytecodeArrayPositions),
		(*isolate).checkBytecode},
	{"baseline code", Lines, append(slices.Clone(scriptFields), layout.ScriptInfos, layout.SFITrustedData,
		layout.TypeCode, layout.CodeDeoptData, layout.InstructionStreamBody, layout.KindBaseline),
		(*isolate).checkBaseline},
}
