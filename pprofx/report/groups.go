package report

import "cmp"

// groups adds what samples stand for up by name. Of several details a group keeps the one with most samples.
type groups map[string]*group

type group struct {
	Group
	details map[string]int64
}

func (g groups) add(name, detail string, n *Counts) { g.addAs(name, name, detail, n) }

// addAs adds to the group of a key, of which several may have the same name.
func (g groups) addAs(key, name, detail string, n *Counts) {
	at := g[key]
	if at == nil {
		at = &group{Group: Group{Name: name}, details: map[string]int64{}}
		g[key] = at
	}
	total := n.sum()
	at.Samples += total
	at.Classes.add(n)
	at.details[detail] += total
}

// sorted returns the groups, the greatest first.
func (g groups) sorted() []Group {
	var all []*Group
	for _, at := range g {
		var most int64
		for detail, n := range at.details {
			if n > most || n == most && detail < at.Detail {
				at.Detail, most = detail, n
			}
		}
		all = append(all, &at.Group)
	}
	return inOrder(all, (*Group).compare)
}

// compare orders by samples, the greatest first.
func (g *Group) compare(h *Group) int {
	return cmp.Or(cmp.Compare(h.Samples, g.Samples), cmp.Compare(g.Name, h.Name), cmp.Compare(g.Detail, h.Detail))
}

func (g *group) compare(h *group) int { return g.Group.compare(&h.Group) }
