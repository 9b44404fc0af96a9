package inspect

import (
	"errors"
	"io"

	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// answer is what is said of an address: itself in JSON, or as text.
type answer interface{ print(*sheet) }

// printEach prints what is said of each address: one text after the other, or all in one list of JSON. What is wrong
// with an address is said at the end: the others are answered all the same.
func printEach(stdout io.Writer, asJSON bool, addresses []uint64, ask func(uint64) ([]answer, error)) error {
	all := []answer{}
	w := &sheet{terminal.Sheet{Writer: stdout}}
	var wrong []error
	for _, a := range addresses {
		answers, err := ask(a)
		wrong = append(wrong, err)
		all = append(all, answers...)
		for _, out := range answers {
			if !asJSON {
				out.print(w)
			}
		}
		if w.Err != nil {
			return w.Err
		}
	}
	err := errors.Join(wrong...)
	if asJSON && (len(all) > 0 || err == nil) {
		return errors.Join(terminal.PrintJSON(stdout, all), err)
	}
	return err
}
