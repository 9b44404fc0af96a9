package agent

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// SelfCheck is what came of comparing a layout with the main thread's isolate while the process runs.
type SelfCheck struct {
	Fields []layout.Field // that were right
	Wrong  []string       // what contradicts the layout
	None   string         // why nothing was compared
}

// isolate is the main thread's isolate of a running process.
type isolate struct {
	r     *heap.Reader
	l     *layout.Layout
	at    uint64
	right [layout.NumFields]bool
}

// comparison is one thing that is compared. It notes the fields that were right: those that, were they others, would
// have led elsewhere than to what was found.
type comparison struct {
	what  string
	needs []layout.Field
	run   func(*isolate) error
}

// errNothing says that the process has nothing at present to compare with.
var errNothing = errors.New("nothing to compare with")

// tries is how often a comparison is made before what it says counts: a collection may move what is read.
var tries = 3

var comparisons = []comparison{
	{"the isolate's context", []layout.Field{layout.IsolateContext, layout.MapInstanceType, layout.TypeMap}, (*isolate).checkContext},
	{"the async context", []layout.Field{layout.IsolateCPED, layout.TypeJSMap, layout.TypeOddball, layout.OddballToString}, (*isolate).checkAsyncContext},
	{"async_hooks", hooksFields, (*isolate).checkAsyncHooks},
	{"functions", []layout.Field{layout.IsolateContext, layout.MapConstructorOrBackPointer, layout.JSFunctionShared,
		layout.TypeJSFunctionFirst, layout.TypeJSFunctionLast, layout.TypeSharedFunctionInfo}, (*isolate).checkFunctions},
	{"hidden classes", []layout.Field{layout.MapDescriptors, layout.DescriptorsHeader, layout.DescriptorsEntrySize,
		layout.TypeJSFunctionFirst, layout.TypeJSFunctionLast}, (*isolate).checkShapes},
	{"scripts", scriptFields, (*isolate).checkScripts},
	{"functions of scripts", append(slices.Clone(scriptFields), layout.SFIScript, layout.SFIFunctionLiteralID,
		layout.TypeSharedFunctionInfo, layout.ScriptInfos), (*isolate).checkLiterals},
	{"bytecode", append(slices.Clone(scriptFields), layout.ScriptInfos, layout.SFITrustedData, layout.TypeBytecodeArray,
		layout.BytecodeArrayLength, layout.BytecodeArrayFirstByte, layout.BytecodeArrayPositions), (*isolate).checkBytecode},
	{"baseline code", append(slices.Clone(scriptFields), layout.ScriptInfos, layout.SFITrustedData, layout.TypeCode,
		layout.CodeDeoptData, layout.InstructionStreamBody, layout.KindBaseline), (*isolate).checkBaseline},
}

var scriptFields = []layout.Field{layout.TypeScript, layout.ScriptID, layout.ScriptName, layout.ScriptSource,
	layout.FixedArrayLength, layout.FixedArrayData}

// check compares all that there is to compare with.
func (i *isolate) check() SelfCheck {
	var out SelfCheck
	for _, c := range comparisons {
		if i.l.Require(c.needs...) != nil {
			continue
		}
		if err := i.compare(c); err != nil {
			out.Wrong = append(out.Wrong, fmt.Sprintf("%s: %v", c.what, err))
		}
	}
	for f := range layout.NumFields {
		if i.right[f] {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

func (i *isolate) compare(c comparison) error {
	var err error
	for range tries {
		if err = c.run(i); err == nil || errors.Is(err, errNothing) {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

func (i *isolate) note(fields ...layout.Field) {
	for _, f := range fields {
		i.right[f] = i.l.Has(f) // not what this V8 has none of
	}
}

// word reads a slot of the isolate.
func (i *isolate) word(f layout.Field) (heap.Word, error) {
	return i.r.WordAt(i.at + uint64(i.l.At(f)))
}

// slot reads a slot of a heap object.
func (i *isolate) slot(w heap.Word, f layout.Field) (heap.Word, error) {
	return i.slotAt(w, i.l.At(f))
}

func (i *isolate) slotAt(w heap.Word, offset int) (heap.Word, error) {
	if !w.IsObject() || offset < 0 {
		return 0, fmt.Errorf("%#x is not a heap object", uint64(w))
	}
	return i.r.WordAt(uint64(w) - 1 + uint64(offset))
}

// is reports whether a word is an object of a type.
func (i *isolate) is(w heap.Word, f layout.Field) bool {
	t, err := i.r.Type(w)
	return err == nil && t == i.l.At(f)
}

// isFunction reports whether a word is a JSFunction, and returns it with its hidden class.
func (i *isolate) isFunction(w heap.Word) (hiddenClass heap.Word, ok bool) {
	_, hiddenClass, err := i.r.Forwarded(w)
	if err != nil {
		return 0, false
	}
	t, err := i.r.TypeOf(hiddenClass)
	return hiddenClass, err == nil && t >= i.l.At(layout.TypeJSFunctionFirst) && t <= i.l.At(layout.TypeJSFunctionLast)
}
