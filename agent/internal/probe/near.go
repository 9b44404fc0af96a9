package probe

import (
	"cmp"
	"slices"
	"strings"
)

// near finds the names that are most like another, for messages.
type near struct {
	of   string
	best []likeness
}

type likeness struct {
	name     string
	distance int
}

// mostNear is how many names a message has at most.
const mostNear = 5

// add compares a name. One that has the other in it is nearer than one with other letters.
func (n *near) add(name string) {
	of, like := strings.ToLower(strings.ReplaceAll(n.of, "*", "")), strings.ToLower(name)
	l := likeness{name: name, distance: len(like)}
	if of == "" || !strings.Contains(like, of) {
		const most = 3 // letters that differ
		if d := len(of) - len(like); d > most || d < -most {
			return
		}
		d := distance(of, like)
		if d > most {
			return
		}
		l.distance = d - most
	}
	if slices.Contains(n.best, l) {
		return
	}
	n.best = append(n.best, l)
	slices.SortStableFunc(n.best, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	n.best = n.best[:min(len(n.best), mostNear)]
}

// text is what a message adds; empty if there is nothing alike.
func (n *near) text() string {
	if len(n.best) == 0 {
		return ""
	}
	are := "are"
	if len(n.best) == 1 {
		are = "is"
	}
	names := make([]string, len(n.best))
	for i, l := range n.best {
		names[i] = l.name
	}
	return "; like it " + are + " " + strings.Join(names, ", ")
}

// distance is the number of letters to insert, delete or replace. (Wagner, Fischer: The String-to-String Correction
// Problem, 1974)
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
