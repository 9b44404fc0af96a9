package analysis

import (
	"strings"

	"github.com/hotspan/hotspan/pprofx/report"
)

// classLetters are the classes in a lane.
var classLetters = [report.Classes]byte{'g', 'c', 'p', 'k', 'n', 'j'}

const laneLegend = "j JavaScript, n native, k kernel, g collector, c compiler, p libuv's pool; · other work"

// laneText is a lane that is drawn, from one time to another, Unix times in nanoseconds.
type laneText struct {
	from, to int64
	columns  int
	own      [][report.Classes]int
	other    []bool
}

// drawLane draws a lane: in each column the class with most samples of the trace, or a point where the thread did
// something else. A sample is as wide as the period for which it stands, if no other one follows earlier.
func drawLane(lane *report.Lane, from, to int64, columns int) string {
	l := laneText{from, to, columns, make([][report.Classes]int, columns), make([]bool, columns)}
	for i, m := range lane.Marks {
		first, end := l.column(m.Time), l.column(m.Time+lane.Period)
		if i+1 < len(lane.Marks) {
			end = min(end, l.column(lane.Marks[i+1].Time))
		}
		for at := first; at < max(first+1, end); at++ {
			if m.Own {
				l.own[at][m.Class]++
			} else {
				l.other[at] = true
			}
		}
	}
	return l.String()
}

func (l *laneText) column(time int64) int {
	if l.to <= l.from {
		return 0
	}
	at := int(float64(time-l.from) / float64(l.to-l.from) * float64(l.columns))
	return min(max(at, 0), l.columns-1)
}

func (l *laneText) String() string {
	var b strings.Builder
	for i, own := range l.own {
		best, most := ' ', 0
		if l.other[i] {
			best = '·'
		}
		for class, n := range own {
			if n > most {
				best, most = rune(classLetters[class]), n
			}
		}
		b.WriteRune(best)
	}
	return b.String()
}
