package judge

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
)

// Reach says how many stacks of a main thread are whole, whatever the thread ran.
type Reach struct {
	// stacks that reach the thread's first frame, with no frame left out and none of unknown code
	Root     Share
	Named    Share          // of the samples with JavaScript, those in which each such frame has its name
	Frames   Share          // JavaScript frames that have their name
	Ends     map[string]int // where the other stacks end
	Examples examples
}

// CompareReach judges the samples of the thread whose id is the process's. Ends says where the other stacks end.
func CompareReach(samples []Sample, pid int) Reach {
	v := Reach{Ends: map[string]int{}}
	for i := range samples {
		s := &samples[i]
		if s.TID != pid {
			continue
		}
		at := broken(s)
		v.Root.Count(at == "")
		if at != "" {
			v.Ends[at]++
		}
		v.names(s)
	}
	return v
}

func (v *Reach) names(s *Sample) {
	js, all := s.JS(), true
	for _, f := range js {
		v.Frames.Count(!f.IsUnknown())
		all = all && !f.IsUnknown()
	}
	if !all {
		v.Examples.add("not named", "%v", s)
	}
	if len(js) > 0 {
		v.Named.Count(all)
	}
}

// broken says why a stack ends before the thread's first frame, and behind which frame. It is empty for a whole stack.
func broken(s *Sample) string {
	for i, f := range s.Stack {
		if f.F == gap || f.F == unknown && f.Kind == "jit" {
			return fmt.Sprintf("%s, called by %s", place(s.Stack, i-1), f.F)
		}
	}
	if s.Stop == "root" {
		return ""
	}
	return fmt.Sprintf("%s: %s", s.Stop, place(s.Stack, len(s.Stack)-1))
}

// place names frame i and its file, and the leaf if that is another frame.
func place(stack []Frame, i int) string {
	if i < 0 {
		return "the leaf"
	}
	text := stack[i].F + " in " + cmp.Or(base(stack[i].Mod), stack[i].Kind)
	if i > 0 {
		text += ", leaf " + stack[0].F
	}
	return text
}

func base(module string) string {
	if module == "" {
		return ""
	}
	return path.Base(module)
}

// EndsList returns Ends as text, the most frequent first.
func (v Reach) EndsList() []string {
	keys := slices.SortedFunc(maps.Keys(v.Ends), func(a, b string) int {
		return cmp.Or(cmp.Compare(v.Ends[b], v.Ends[a]), cmp.Compare(a, b))
	})
	for i, key := range keys {
		keys[i] = fmt.Sprintf("%d × %s", v.Ends[key], key)
	}
	return keys
}
