package inspect

import (
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli/flags"
)

// TestInspectWords: what each word of a command line is.
func TestInspectWords(t *testing.T) {
	vars := map[string]string{} // the help texts do not matter
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Inspect]()) {
		for _, v := range regexp.MustCompile(`\$\{(\w+)\}`).FindAllStringSubmatch(string(f.Tag), -1) {
			vars[v[1]] = ""
		}
	}
	for line, want := range map[string]inspected{
		"core stack":                       {core: "core", verb: "stack"},
		"core --json stack":                {core: "core", verb: "stack"},
		"core node stack":                  {core: "core", node: "node", verb: "stack"},
		"-p 7 stack":                       {verb: "stack"},
		"core print 0x1 --depth 1 0x2 0x3": {core: "core", verb: "print", operands: []string{"0x1", "0x2", "0x3"}},
		"core node print 0x1":              {core: "core", node: "node", verb: "print", operands: []string{"0x1"}},
		"core objects":                     {core: "core", verb: "objects"},
		"-p 7 objects -n 3 Map":            {verb: "objects", operands: []string{"Map"}},
		"-p 7 whatis 0x1 0x2 0x3 0x4":      {verb: "whatis", operands: []string{"0x1", "0x2", "0x3", "0x4"}},
	} {
		app := flags.App{Verbs: &struct {
			Inspect Inspect `cmd:""`
		}{}, Vars: vars}
		read, err := app.Parse(append([]string{"inspect"}, strings.Fields(line)...), io.Discard)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got, err := read.Verb.(*Inspect).parse()
		if got.operands = append([]string(nil), got.operands...); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(inspected{})); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}
