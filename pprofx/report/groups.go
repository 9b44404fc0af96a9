package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// groups adds samples up by name. Of several details a group keeps the one with most samples.
type groups map[string]*group

type group struct {
	Group
	details map[string]int64
}

func (g groups) add(name, detail string, class Class) {
	at := g[name]
	if at == nil {
		at = &group{Group: Group{Name: name}, details: map[string]int64{}}
		g[name] = at
	}
	at.Samples++
	at.Classes[class]++
	at.details[detail]++
}

// sorted returns the groups, the greatest first.
func (g groups) sorted() []Group {
	var all []Group
	for _, at := range g {
		var most int64
		for detail, n := range at.details {
			if n > most || n == most && detail < at.Detail {
				at.Detail, most = detail, n
			}
		}
		all = append(all, at.Group)
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// value returns the value of a label, empty if there is none.
func value(labels []pprofx.Label, key string) string {
	for _, l := range labels {
		switch {
		case l.Key != key:
		case l.Str != "":
			return l.Str
		default:
			return strconv.FormatInt(l.Num, 10) + l.Unit
		}
	}
	return ""
}
