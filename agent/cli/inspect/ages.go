package inspect

import (
	"fmt"
	"time"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// beganText says how old a request is, as far as that is known.
func beganText(q *inspect.Request) string {
	if q.Aged {
		return fmt.Sprintf(", began %v ago", roundTime(q.Age))
	}
	if d := q.AtLeast(); d > 0 {
		return fmt.Sprintf(", began at least %v ago", roundTime(d))
	}
	return ""
}

// roundTime rounds a time that something takes already, or will.
func roundTime(d time.Duration) time.Duration {
	if d < time.Minute {
		return terminal.ThreeDigits(d)
	}
	return d.Round(time.Second)
}

// timerText says since when a timer runs, and when it is due, by their milliseconds.
func timerText(since, due float64) string {
	text := func(ms float64) time.Duration { return roundTime(time.Duration(ms * float64(time.Millisecond))) }
	if due <= 0 {
		return fmt.Sprintf(", since %v, due", text(since))
	}
	return fmt.Sprintf(", since %v, due in %v", text(since), text(due))
}

func milliseconds(d time.Duration) *float64 { return new(float64(d) / float64(time.Millisecond)) }
