package probe

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hotspan/hotspan/pprofx/report"
)

// recipeStall is the recipe that is no list of probes: its hits are samples of the timer and of waits.
const recipeStall = "stall"

// Stall returns how long a turn of an event loop lasts when it is hit, if that is what the probes are: stall, or
// stall:TIME, which goes alone. 0 is other probes. The error says what is wrong.
func Stall(texts []string) (least time.Duration, err error) {
	for _, text := range texts {
		name, after, given := strings.Cut(text, ":")
		if name, _ = cutOptions(name); name != recipeStall {
			continue
		}
		least = report.LeastStall
		if given {
			least, err = time.ParseDuration(after)
		}
		switch {
		case len(texts) > 1:
			err = errors.New("it goes alone, since it looks at samples of the timer and of waits")
		case err != nil || !given && text != recipeStall:
			err = errors.New("want stall or stall:TIME, such as stall:200ms")
		case least < report.LeastStall:
			err = fmt.Errorf("at least %v", time.Duration(report.LeastStall))
		}
		if err != nil {
			return 0, fmt.Errorf("probe %s: %w", text, err)
		}
	}
	return least, nil
}
