package page

import (
	"slices"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// labels interns sets of labels. Set 0 is the empty one, and set 1 stands for those over the limit. As in snapshots
// there is room for so many with ids, and so many without: beyond the first limit a set loses its ids.
type labels struct {
	texts           *texts
	max             int
	withIDs, others int

	keys  []*labelKey
	byKey map[string]int
	sets  [][]labelValue
	bySet map[string]int32
	left  []pprofx.LeftOut // what a sample with each set lacks
}

const (
	noLabels   = 0
	leftLabels = 1
	fixedSets  = 2
)

// labelKey is a key, with its values in the order in which they were met.
type labelKey struct {
	name    int32 // numbers of texts, of the values too
	values  []int32
	byValue map[int32]int32
}

type labelValue struct{ key, value int32 }

func newLabels(t *texts, limit int) *labels {
	l := &labels{texts: t, max: limit, byKey: map[string]int{}, bySet: map[string]int32{}}
	l.set(nil)
	l.set([]pprofx.Label{{Key: pprofx.LeftOutLabel, Str: pprofx.LeftOutAll}})
	return l
}

// numbers returns the numbers of sets of labels.
func (l *labels) numbers(sets [][]pprofx.Label) []int32 {
	list := make([]int32, len(sets))
	for i, set := range sets {
		list[i] = l.set(set)
	}
	return list
}

func (l *labels) set(labels []pprofx.Label) int32 {
	key := make([]byte, 0, 128) // on the stack
	for i := range labels {
		key = strconv.AppendQuote(key, labels[i].Key)
		key = strconv.AppendQuote(key, labels[i].Text())
	}
	n, ok := l.bySet[string(key)]
	switch {
	case ok:
		return n
	case slices.ContainsFunc(labels, isID):
		if l.withIDs >= l.max {
			return l.set(withoutIDs(labels))
		}
		l.withIDs++
	case l.others >= fixedSets+l.max:
		return leftLabels
	default:
		l.others++
	}
	n = int32(len(l.sets))
	l.bySet[string(key)] = n
	set := make([]labelValue, len(labels))
	for i := range labels {
		set[i] = l.value(&labels[i])
	}
	l.sets = append(l.sets, set)
	l.left = append(l.left, pprofx.LeftOutOf(labels))
	return n
}

func isID(l pprofx.Label) bool {
	return l.Key == "trace_id" || l.Key == "span_id" || l.Key == "local_root_span_id"
}

// withoutIDs returns the other labels, and one that says so.
func withoutIDs(labels []pprofx.Label) []pprofx.Label {
	kept := slices.DeleteFunc(slices.Clone(labels), func(l pprofx.Label) bool {
		return isID(l) || l.Key == pprofx.LeftOutLabel
	})
	return append(kept, pprofx.Label{Key: pprofx.LeftOutLabel, Str: pprofx.LeftOutIDs})
}

func (l *labels) value(label *pprofx.Label) labelValue {
	at, ok := l.byKey[label.Key]
	if !ok {
		at = len(l.keys)
		l.byKey[label.Key] = at
		l.keys = append(l.keys, &labelKey{name: l.texts.number(label.Key), byValue: map[int32]int32{}})
	}
	key, text := l.keys[at], l.texts.number(label.Text())
	n, ok := key.byValue[text]
	if !ok {
		n = int32(len(key.values))
		key.values = append(key.values, text)
		key.byValue[text] = n
	}
	return labelValue{int32(at), n}
}

// column lists the values of a key by set, counted from 1; 0 where a set has none.
func (l *labels) column(key int) []int32 {
	column := make([]int32, len(l.sets))
	for i, set := range l.sets {
		for _, v := range set {
			if v.key == int32(key) {
				column[i] = v.value + 1
			}
		}
	}
	return column
}
