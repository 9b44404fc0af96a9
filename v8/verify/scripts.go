package verify

import (
	"fmt"
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

// checkScripts: the isolate is one, since it has a list of scripts. Their ids differ, and at least one has the name of
// a part of Node.js itself.
func (i *isolate) checkScripts() error {
	scripts, err := i.scripts()
	if err != nil {
		return err
	}
	ids, named := map[int]bool{}, false
	for _, w := range scripts {
		s, err := i.r.Script(w)
		if err != nil {
			return err
		}
		if s.ID <= 0 || ids[s.ID] {
			return fmt.Errorf("script %#x has id %d, another has it too", uint64(w), s.ID)
		}
		ids[s.ID] = true
		named = named || strings.HasPrefix(s.Name, "node:")
	}
	if !named {
		return fmt.Errorf("none of %d scripts has a name that begins with node:", len(scripts))
	}
	i.note(layout.IsolateTLS, layout.IsolateKey, layout.TypeScript, layout.ScriptID, layout.ScriptName)
	return nil
}
