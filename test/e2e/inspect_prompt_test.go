package e2e

import (
	"strconv"
	"strings"
	"testing"
)

// TestInspectPrompt: on a terminal inspect without a verb asks for verbs, completes them, goes on behind one that
// fails, and remembers them.
func TestInspectPrompt(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "shares.js", nil, nil)
	term := onTerminal(t, 100, 70, "inspect", "-p", strconv.Itoa(p.PID))
	term.press("", "inspect>")
	term.press("print 0x7\r", "0x7: no object of V8 begins there")
	term.press("print\r", "print takes addresses, such as 0x2b5e0f6c1d19")
	term.press("obj\t-n 3\r", "in all")
	term.press("\x1b[A -n 2\r", "inspect> objects -n 3 -n 2")
	term.press("whatis 0x1\r", "nothing is mapped there")
	term.press("nonsense\r", "inspect> nonsense")
	if _, err := term.master.WriteString("quit\r"); err != nil {
		t.Fatal(err)
	}
	if err := <-term.ended; err != nil || strings.Count(term.text(), "Verbs: ") != 2 {
		t.Errorf("%v:\n%s", err, term.text())
	}
}
