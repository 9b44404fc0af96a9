package verify

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// literal is a function of a script, with its number there.
type literal struct {
	script, shared heap.Word
	id             int
}

// manyLiterals is how many functions of scripts are enough.
const manyLiterals = 1000

// literals are functions of scripts, found by their numbers.
func (i *isolate) literals() ([]literal, error) {
	scripts, err := i.scripts()
	if err != nil {
		return nil, err
	}
	var out []literal
	for _, s := range scripts {
		infos, err := i.slot(s, layout.ScriptInfos)
		if err != nil {
			return nil, err
		}
		n, err := i.slot(infos, layout.FixedArrayLength)
		if err != nil || !n.IsSmi() || n.Smi() < 0 {
			return nil, fmt.Errorf("functions of script %#x: length %#x: %w", uint64(s), uint64(n), unlike(err))
		}
		b, err := i.r.Bytes(uint64(infos)-1+uint64(i.l.At(layout.FixedArrayData)), 8*min(n.Smi(), maxListed))
		if err != nil {
			return nil, err
		}
		for id := 0; len(b) >= 8; id, b = id+1, b[8:] {
			// an element may be a ScopeInfo instead
			w := heap.Word(binary.LittleEndian.Uint64(b)).Strong()
			if i.is(w, layout.TypeSharedFunctionInfo) {
				out = append(out, literal{s, w, id})
			}
		}
		if len(out) > manyLiterals {
			break
		}
	}
	if len(out) == 0 {
		return nil, ErrNothing
	}
	return out, nil
}

// noLiteral is the number of functions that V8 makes without a text, such as those of its own extensions.
// (src/objects/shared-function-info.h, kFunctionLiteralIdInvalid)
const noLiteral = -1

// checkLiterals: the functions that a script lists refer to it, by the number that they have in its list; the names of
// some of them stand in its text.
func (i *isolate) checkLiterals() error {
	literals, err := i.literals()
	if err != nil {
		return err
	}
	right := 0
	for _, l := range literals {
		f, err := i.r.Function(l.shared)
		if err != nil {
			return err
		}
		if f.Literal == noLiteral {
			continue
		}
		if right++; f.Script != l.script || int(f.Literal) != l.id {
			return fmt.Errorf("function %#x: script %#x, number %d, want %#x, %d",
				uint64(l.shared), uint64(f.Script), f.Literal, uint64(l.script), l.id)
		}
	}
	if right == 0 {
		return fmt.Errorf("none of %d functions of scripts has a number", len(literals))
	}
	i.note(layout.TypeScript, layout.SFIScript, layout.SFIFunctionLiteralID, layout.TypeSharedFunctionInfo,
		layout.ScriptInfos, layout.FixedArrayLength, layout.FixedArrayData)
	return i.checkNames(literals)
}

// Limits of what is compared of names and sources.
const (
	enoughNames = 8
	maxText     = 4 << 20 // characters of a source
	maxAsked    = 150     // functions
)

// checkNames compares names of functions, which their ScopeInfos have, with the text of the script. It says nothing of
// where in a ScopeInfo the name is: names of variables stand in the text too. The ScopeInfo of the function around has
// a name too, but several functions have it.
func (i *isolate) checkNames(literals []literal) error {
	texts, scopes := map[heap.Word]string{}, map[heap.Word]bool{}
	found, asked := 0, 0
	for _, l := range literals {
		f, err := i.r.Function(l.shared)
		if err != nil || !isWord(f.Name) {
			continue
		}
		text, ok := texts[l.script]
		if !ok {
			text = i.source(l.script)
			texts[l.script] = text
		}
		if scope := i.scope(l.shared); scope != 0 && strings.Contains(text, f.Name) {
			if found++; scopes[scope] {
				return fmt.Errorf("function %#x has another's ScopeInfo", uint64(l.shared))
			}
			scopes[scope] = true
		}
		if asked++; asked == maxAsked {
			break
		}
	}
	switch {
	case found >= enoughNames:
		i.note(layout.ScriptSource, layout.SFINameOrScopeInfo, layout.TypeScopeInfo)
	case asked == maxAsked:
		return fmt.Errorf("of %d names of functions %d stand in their scripts", asked, found)
	}
	return nil
}

func (i *isolate) source(script heap.Word) string {
	w, err := i.slot(script, layout.ScriptSource)
	if err != nil {
		return ""
	}
	s, _ := i.r.String(w, maxText)
	return s
}

// scope is the ScopeInfo in which a function has its name; 0: it has none.
func (i *isolate) scope(shared heap.Word) heap.Word {
	w, err := i.slot(shared, layout.SFINameOrScopeInfo)
	if err != nil || !i.is(w, layout.TypeScopeInfo) {
		return 0
	}
	return w
}

// isWord reports whether a function's name must stand in the text: others are put together, such as get size.
func isWord(name string) bool { return len(name) > 3 && !strings.ContainsAny(name, " .[]<>#") }
