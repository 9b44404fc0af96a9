package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInspectWords: what each word of a command line is, and which ones are wrong.
func TestInspectWords(t *testing.T) {
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
		read, err := parse(append([]string{"inspect"}, strings.Fields(line)...), io.Discard)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got, err := read.Verb.(*inspectCmd).parse()
		if got.operands = append([]string(nil), got.operands...); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(inspected{})); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	for line, want := range map[string]string{
		"": "One of [stack print whatis function source closure objects refs path await requests]",

		"core":                   "what shall be shown?",
		"stack":                  "stack of what? hotspan inspect CORE [NODE] stack, or",
		"-p 7 core stack":        "either a core or -p PID",
		"core node more stack":   "before stack only CORE and NODE",
		"core stack 0x1":         "stack shows all threads",
		"core requests 0x1":      "requests shows all requests",
		"core refs":              "refs takes addresses, such as 0x",
		"core print":             "print takes addresses, such as 0x",
		"core objects Map Set":   "objects takes one name, such as Map",
		"core whatis nowhere":    "whatis takes addresses, such as 0x",
		"core print 0x1 seven":   `parsing "seven"`,
		"core --labels x stack":  "x",
		"core --label =x stack":  "=x",
		"missing print 0x1":      "missing: no such file",
		"--pid=-7 print 0x1":     "there is no such process",
		"--pid=-7 stack":         "there is no such process",
		"core stack --nonsense":  "unknown flag --nonsense",
		"-p 7 print 0x1 --depth": "--depth",
	} {
		var said strings.Builder
		code := Main(append([]string{"inspect"}, strings.Fields(line)...), io.Discard, &said)
		if code == exitDone || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %d, %s, want %s", line, code, &said, want)
		}
	}
}
