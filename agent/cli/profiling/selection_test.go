package profiling

import "testing"

func TestSelection(t *testing.T) {
	f := SelectionFlags{Name: []string{"a|b", "c$"}, Env: []string{"A", "B=x|y", "C="}}
	s, err := f.Selection()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a": true, "b": true, "c": true, "cd": false, "": false} {
		if got := s.Name.MatchString(name); got != want {
			t.Errorf("name %q: %v", name, got)
		}
	}
	if a := s.Environment[0]; a.Name != "A" || a.Value != nil {
		t.Errorf("%+v", a)
	}
	for i, values := range map[int]map[string]bool{
		1: {"x": true, "y": true, "xy": false, "xx": false, "x\n": false}, 2: {"": true, "x": false},
	} {
		for value, want := range values {
			if got := s.Environment[i].Value.MatchString(value); got != want {
				t.Errorf("%s=%q: %v", s.Environment[i].Name, value, got)
			}
		}
	}
}
