package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

var scriptFields = []layout.Field{layout.TypeScript, layout.ScriptID, layout.ScriptName, layout.ScriptSource,
	layout.FixedArrayLength, layout.FixedArrayData}

// maxListed bounds the scripts that are looked at, and the functions of one of them.
const maxListed = 256

// scripts are those of the isolate, from the list that is one of its roots.
func (i *isolate) scripts() ([]heap.Word, error) {
	slot, err := i.r.FindScripts(i.at)
	if err != nil {
		return nil, err
	}
	return i.r.Scripts(slot, maxListed)
}

// nodePrefix begins the names of the scripts that are parts of Node.js.
const nodePrefix = "node:"

// scriptWords is about as many words as a Script has.
const scriptWords = 20

// mentionsNode reports whether a script has such a name anywhere, where the layout may be wrong: then the isolate is
// one of Node.js. The text of any script may mention a part of it.
func (i *isolate) mentionsNode(script heap.Word) bool {
	for at := 8; at < 8*scriptWords; at += 8 {
		w, err := i.slotAt(script, at)
		if err != nil || at == i.l.At(layout.ScriptSource) {
			continue
		}
		if text, err := i.r.String(w, 64); err == nil && strings.Contains(text, nodePrefix) {
			return true
		}
	}
	return false
}

// checkScripts: the isolate is one, since it has a list of scripts. Their ids differ, and at least one has the name of
// a part of Node.js itself.
func (i *isolate) checkScripts() error {
	scripts, err := i.scripts()
	if err != nil {
		return err
	}
	ids, named, foreign := map[int]bool{}, false, false
	for _, w := range scripts {
		s, err := i.r.Script(w)
		if err != nil {
			return err
		}
		if s.ID <= 0 || ids[s.ID] {
			return fmt.Errorf("script %#x has id %d, another has it too", uint64(w), s.ID)
		}
		ids[s.ID] = true
		named = named || strings.HasPrefix(s.Name, nodePrefix)
		foreign = foreign || s.Name != "eval" // the name of those that have none
	}
	switch {
	case named:
	case foreign && !slices.ContainsFunc(scripts, i.mentionsNode):
		return errForeign
	default:
		return fmt.Errorf("none of %d scripts has a name that begins with %s", len(scripts), nodePrefix)
	}
	i.note(layout.IsolateTLS, layout.IsolateKey, layout.TypeScript, layout.ScriptID, layout.ScriptName)
	return nil
}
