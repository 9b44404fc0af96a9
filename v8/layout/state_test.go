package layout

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
)

// stateNames are the enumerators of v8::StateTag.
var stateNames = map[string]VMState{
	"JS": VMStateJS, "GC": VMStateGC, "PARSER": VMStateParser, "BYTECODE_COMPILER": VMStateBytecodeCompiler,
	"COMPILER": VMStateCompiler, "OTHER": VMStateOther, "EXTERNAL": VMStateExternal, "ATOMICS_WAIT": VMStateAtomicsWait,
	"IDLE": VMStateIdle, "LOGGING": VMStateLogging, "IDLE_EXTERNAL": VMStateIdleExternal,
}

var stateTag = regexp.MustCompile(`(?s)enum StateTag[^{]*\{([^}]*)\}`)

// TestVMState compares the states with the headers that each Node.js ships.
func TestVMState(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			node, err := nodes.Path(v.Version)
			if err != nil {
				t.Fatal(err)
			}
			tags := enumerators(t, filepath.Join(filepath.Dir(node), "../include/node"))
			if len(tags) < 9 {
				t.Fatalf("StateTag has only %q", tags)
			}
			for i, name := range tags {
				if state, ok := stateNames[name]; !ok || int(state) != i {
					t.Errorf("%s is %d, known as %d (%v)", name, i, state, ok)
				}
			}
		})
	}
}

// enumerators are those of StateTag, in v8-unwinder.h or, until V8 9, in v8.h.
func enumerators(t *testing.T, include string) (names []string) {
	t.Helper()
	for _, header := range []string{"v8-unwinder.h", "v8.h"} {
		b, err := os.ReadFile(filepath.Join(include, header))
		m := stateTag.FindSubmatch(b)
		if err != nil || m == nil {
			continue
		}
		for _, name := range strings.Split(string(m[1]), ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		return names
	}
	t.Fatalf("no StateTag in %s", include)
	return nil
}
