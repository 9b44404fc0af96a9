package inspect_test

import (
	"io"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
)

// TestInspectWrongWords: which words of a command line are wrong, and what is said of them.
func TestInspectWrongWords(t *testing.T) {
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
		"core print 0x1 seven":   `print takes addresses, such as 0x2b5e0f6c1d19, not "seven"`,
		"-p 7 request":           `request cannot be shown, did you mean "requests"? (known: stack print`,
		"core --labels x stack":  "x",
		"core --label =x stack":  "=x",
		"missing print 0x1":      "missing: no such file",
		"--pid=-7 print 0x1":     "there is no such process",
		"--pid=-7 stack":         "there is no such process",
		"core stack --nonsense":  "unknown flag --nonsense",
		"-p 7 print 0x1 --depth": "--depth",
	} {
		var said strings.Builder
		code := cli.Main(append([]string{"inspect"}, strings.Fields(line)...), io.Discard, &said)
		if code == exit.Done || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %d, %s, want %s", line, code, &said, want)
		}
	}
}
