package pprofx

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

// readPprofLabels returns what WritePprof says of a sample in labels, and its other labels.
func readPprofLabels(s *profile.Sample, t *tables) (row Row, labels []Label) {
	for key, values := range s.Label {
		switch {
		case key == keyThreadName:
			row.Thread = t.thread(values[0])
		case key == keyVMState && row.State.UnmarshalText([]byte(values[0])) == nil:
		default:
			labels = append(labels, Label{Key: ownKey(key), Str: strings.Join(values, ", ")})
		}
	}
	for key, values := range s.NumLabel {
		n := values[0]
		fits := len(values) == 1 && n >= 0 && n <= math.MaxInt32
		switch {
		case key == keyPID && fits:
			row.PID = int32(n)
		case key == keyThreadID && fits:
			row.TID = int32(n)
		default:
			labels = append(labels, readPprofNumber(key, values, s.NumUnit[key]))
		}
	}
	slices.SortStableFunc(labels, func(a, b Label) int { return cmp.Compare(a.Key, b.Key) })
	// of a label with strings and numbers, the strings
	labels = slices.CompactFunc(labels, func(a, b Label) bool { return a.Key == b.Key })
	return row, labels
}

func readPprofNumber(key string, values []int64, units []string) Label {
	l := Label{Key: ownKey(key), Num: values[0]}
	if len(units) > 0 && (units[0] != zeroUnit || l.Num != 0) {
		l.Unit = units[0]
	}
	if len(values) > 1 {
		l = Label{Key: l.Key, Str: strings.Trim(fmt.Sprint(values), "[]")}
	}
	return l
}

// ownKey is the reverse of pprofStyle.key.
func ownKey(key string) string {
	if own, ok := strings.CutPrefix(key, "label."); ok && hotspanStyle.key(own) != own {
		return own
	}
	return key
}

// readPprofComments reads what was lost and what processes say of themselves. Other comments mean nothing here.
func readPprofComments(comments []string, to *Snapshot) {
	for _, line := range comments {
		if text, ok := strings.CutPrefix(line, "lost: "); ok {
			number, name, _ := strings.Cut(text, " ")
			n, err := strconv.ParseInt(number, 10, 64)
			var reason LostReason
			if err == nil && n > 0 && reason.UnmarshalText([]byte(name)) == nil {
				to.Lost[reason] += n
			}
		}
		if text, ok := strings.CutPrefix(line, "process "); ok {
			number, about, _ := strings.Cut(text, ":")
			if pid, err := strconv.ParseInt(number, 10, 32); err == nil {
				to.Processes[int(pid)] = readAbout(about)
			}
		}
	}
}
