package value

import (
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
)

// frames are the lines of a stack that V8 has not written yet: functions and places, but not the classes of methods.
func (s *printing) frames(list heap.Word) string {
	sites, more, err := s.Heap.CallSites(list)
	var out strings.Builder
	for i := range sites {
		out.WriteString("\n    at " + s.frame(&sites[i]))
	}
	if err != nil {
		out.WriteString("\n    at " + unread(err))
	}
	if more > 0 {
		fmt.Fprintf(&out, "\n    ... %d more", more)
	}
	return out.String()
}

// frame is a line of a stack. (src/objects/call-site-info.cc, SerializeCallSiteInfo)
func (s *printing) frame(c *heap.CallSite) string {
	shared, err := s.Heap.Shared(c.Function)
	if err != nil {
		return unread(err)
	}
	f, err := s.Heap.Function(shared)
	if err != nil {
		return unread(err)
	}
	before, name, place := "", f.Name, s.place(c, f)
	if c.Async {
		before = "async "
	}
	if c.New {
		before += "new "
		if name == "" {
			name = "<anonymous>"
		}
	}
	if name == "" {
		return before + place
	}
	return before + name + " (" + place + ")"
}

// place is where a call is in its script.
func (s *printing) place(c *heap.CallSite, f *heap.Function) string {
	if f.Script == 0 {
		return "<anonymous>"
	}
	script, ok := s.scripts[f.Script]
	if !ok {
		var err error
		if script, err = s.Heap.Script(f.Script); err != nil {
			return unread(err)
		}
		text, err := s.Heap.Source(script)
		if err != nil || !s.afford(text.Len()/256) {
			return script.Name
		}
		s.scripts[f.Script] = script
	}
	code, err := s.Heap.Bytecode(c.Code)
	if err != nil || c.Offset < 0 {
		return script.Name
	}
	at, ok := code.Positions.At(c.Offset)
	if !ok {
		return script.Name
	}
	line, column, err := s.Heap.Position(script, int(at.Source))
	if err != nil {
		return script.Name
	}
	return fmt.Sprintf("%s:%d:%d", script.Name, line, column)
}
