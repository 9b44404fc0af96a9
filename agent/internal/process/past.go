package process

import (
	"slices"
	"sort"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// maxPast bounds the places that past keeps.
const maxPast = 64

// past is where code of files was that is not there any more: a program unloads a library, and the next one is often
// put into the same place.
type past struct {
	places []Region
	many   bool // more than are kept
}

// date notes which regions are not there any more, and sets Since of those that are new. Both are by address.
func (p *past) date(before, now []Region, at int64) {
	for _, r := range before {
		if r.Kind == Native && find(now, r) == nil {
			p.add(r)
		}
	}
	for i := range now {
		if old := find(before, now[i]); old != nil {
			now[i].Since = old.Since
		} else if now[i].Kind == Native && p.had(now[i]) {
			now[i].Since = at
		}
	}
}

func (p *past) add(r Region) {
	if slices.ContainsFunc(p.places, func(o Region) bool { return o.Start <= r.Start && r.End <= o.End }) {
		return
	}
	if p.many = p.many || len(p.places) == maxPast; !p.many {
		p.places = append(p.places, r)
	}
}

func (p *past) had(r Region) bool {
	return p.many || slices.ContainsFunc(p.places, func(o Region) bool { return o.Start < r.End && r.Start < o.End })
}

// addTo adds the places to mappings, by address, where nothing else is, up to a number.
func (p *past) addTo(all []bpf.Mapping, most int) []bpf.Mapping {
	for _, r := range p.places {
		i := sort.Search(len(all), func(i int) bool { return all[i].End > r.Start })
		if len(all) < most && (i == len(all) || all[i].Start >= r.End) {
			all = slices.Insert(all, i, bpf.Mapping{Start: r.Start, End: r.End, Kind: bpf.MappingGone})
		}
	}
	return all
}

// find returns the region among others, by address, that is the same, whenever it was mapped; nil: there is none.
func find(among []Region, r Region) *Region {
	i := after(among, r.Start)
	if i == len(among) {
		return nil
	}
	r.Since = among[i].Since
	if among[i] != r {
		return nil
	}
	return &among[i]
}
