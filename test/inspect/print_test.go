package inspect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPrint: values in a core are printed as util.inspect has printed them in the process.
func TestPrint(t *testing.T) {
	t.Parallel()
	eachHeld(t, "values.js", func(t *testing.T, c heldCore) {
		want := said[*string](t, c, 200) // nil: not read yet
		texts := printed(t, c.core, c.held)
		for i, a := range c.held {
			got := a.Text
			if a.Address != "" {
				got = texts[a.Address]
			}
			if want[i] == nil {
				if got[0] != '<' || got[len(got)-1] != '>' || strings.Contains(got, "not read") {
					t.Errorf("value %d: %s, want its kind in angle brackets", len(want)-1-i, got)
				}
			} else if diff := cmp.Diff(*want[i], got); diff != "" {
				t.Errorf("value %d: %s", len(want)-1-i, diff)
			}
		}
	})
}

// TestPrivate: fields that are private to a class, which util.inspect does not show, are shown if that is asked for.
func TestPrivate(t *testing.T) {
	t.Parallel()
	eachHeld(t, "values.js", func(t *testing.T, c heldCore) {
		const without, with = "Point { x: 1, y: 2, sum: 4 }", "Point { x: 1, y: 2, sum: 4, #hidden: 1 }"
		found := 0
		texts, private := printed(t, c.core, c.held), printed(t, c.core, c.held, "--private")
		for address, text := range texts {
			if text == without {
				found++
				text = with
			}
			if private[address] != text && !strings.Contains(private[address], "#hidden: 1") {
				t.Errorf("%s: with --private %s, want %s", address, private[address], text)
			}
		}
		if found != 1 {
			t.Errorf("%d points without private fields, want 1", found)
		}
	})
}

// held is an argument in the stack.
type held struct{ Text, Address string }

// firstArguments are the first arguments of hold, leaf first.
func firstArguments(t *testing.T, core string) (all []held) {
	t.Helper()
	var a struct {
		Threads []struct {
			Stack []struct {
				F         string
				Arguments []held
			}
		}
	}
	if err := inspect(&a, core, "stack"); err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Threads[0].Stack {
		if f.F == "hold" && len(f.Arguments) == 2 {
			all = append(all, f.Arguments[0])
		}
	}
	return all
}

// printed are the values that are objects, by their address.
func printed(t *testing.T, core string, all []held, flags ...string) map[string]string {
	t.Helper()
	args := append([]string{core, "print"}, flags...)
	for _, a := range all {
		if a.Address != "" {
			args = append(args, a.Address)
		}
	}
	var out []struct{ Address, Text string }
	if err := inspect(&out, args...); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, p := range out {
		texts[p.Address] = p.Text
	}
	return texts
}
