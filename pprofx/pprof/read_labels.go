package pprof

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// labelReader reads labels, with the strings of a message, into tables.
type labelReader struct {
	texts  []string
	tables *pprofx.Tables
	refs   []labelRefs  // scratch
	state  pprofx.State // likewise: that of a row would have each row allocated
}

// read returns what Write says of a sample in labels, and its other labels.
func (p *labelReader) read(refs []byte) (row pprofx.Row, labels []pprofx.Label) {
	texts := p.texts
	p.refs = appendLabelsOf(p.refs[:0], refs, texts)
	for all := p.refs; len(all) > 0; {
		key, n := texts[all[0].key], 1
		for n < len(all) && texts[all[n].key] == key && all[n].isString() == all[0].isString() {
			n++
		}
		group := all[:n]
		all = all[n:]
		if !p.own(&row, key, group) {
			labels = append(labels, readLabel(key, group, texts))
		}
	}
	slices.SortStableFunc(labels, func(a, b pprofx.Label) int { return cmp.Compare(a.Key, b.Key) })
	// of a label with strings and numbers, the strings
	labels = slices.CompactFunc(labels, func(a, b pprofx.Label) bool { return a.Key == b.Key })
	return row, labels
}

// appendLabelsOf appends the labels that have a value, strings before numbers, each by key.
func appendLabelsOf(all []labelRefs, refs []byte, texts []string) []labelRefs {
	for len(refs) > 0 {
		var l labelRefs
		if l, refs = takeLabelRefs(refs); l.str != 0 || l.num != 0 || l.unit != 0 {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b labelRefs) int {
		return cmp.Or(cmp.Compare(min(b.str, 1), min(a.str, 1)), cmp.Compare(texts[a.key], texts[b.key]))
	})
	return all
}

func (l *labelRefs) isString() bool { return l.str != 0 }

// own reads a label of Write's own; false if it is another.
func (p *labelReader) own(row *pprofx.Row, key string, values []labelRefs) bool {
	first := &values[0]
	n := int64(first.num)
	number := !first.isString() && len(values) == 1 && n >= 0 && n <= math.MaxInt32
	switch {
	case key == keyThreadName && first.isString():
		row.Thread = p.tables.Thread(p.texts[first.str])
	case key == keyVMState && first.isString():
		if p.state.UnmarshalText([]byte(p.texts[first.str])) != nil {
			return false
		}
		row.State = p.state
	case key == keyPID && number:
		row.PID = int32(n)
	case key == keyThreadID && number:
		row.TID = int32(n)
	default:
		return false
	}
	return true
}

// readLabel returns a label with all its values: several are a text.
func readLabel(key string, values []labelRefs, texts []string) pprofx.Label {
	first := &values[0]
	var all []string
	for i := range values {
		if first.isString() {
			all = append(all, texts[values[i].str])
		} else {
			all = append(all, strconv.FormatInt(int64(values[i].num), 10))
		}
	}
	l := pprofx.Label{Key: ownKey(key)}
	switch unit := texts[first.unit]; {
	case first.isString():
		l.Str = strings.Join(all, ", ")
	case len(values) > 1:
		l.Str = strings.Join(all, " ")
	default:
		if l.Num = int64(first.num); unit != zeroUnit || l.Num != 0 {
			l.Unit = unit
		}
	}
	return l
}

// ownKey is the reverse of style.key.
func ownKey(key string) string {
	if own, ok := strings.CutPrefix(key, "label."); ok && hotspanStyle.key(own) != own {
		return own
	}
	return key
}

// readComments reads what was lost and what processes say of themselves. Other comments mean nothing here.
func readComments(m *message, to *pprofx.Snapshot) {
	for _, i := range m.comments {
		line := m.strings[i]
		if text, ok := strings.CutPrefix(line, "lost: "); ok {
			number, name, _ := strings.Cut(text, " ")
			n, err := strconv.ParseInt(number, 10, 64)
			var reason pprofx.LostReason
			if err == nil && n > 0 && reason.UnmarshalText([]byte(name)) == nil {
				to.Lost[reason] += n
			}
		}
		if text, ok := strings.CutPrefix(line, "process "); ok {
			number, about, _ := strings.Cut(text, ":")
			if pid, err := strconv.ParseInt(number, 10, 32); err == nil {
				p := readAbout(about)
				if other, ok := to.Processes[int(pid)]; ok { // that had this pid before
					p = other.Common(p)
				}
				to.Processes[int(pid)] = p
			}
		}
	}
}
