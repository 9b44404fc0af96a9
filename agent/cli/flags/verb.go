package flags

import (
	"reflect"
	"slices"
)

// verb is a command of the program.
type verb struct {
	name, help       string
	of               any // pointer to its struct
	flags, arguments []*field
}

// verbsOf lists the verbs of a program: those fields of a struct that have the tag cmd.
func verbsOf(program any, vars map[string]string) (list []*verb) {
	all := reflect.ValueOf(program).Elem()
	for i := range all.NumField() {
		t := all.Type().Field(i)
		if _, ok := t.Tag.Lookup("cmd"); !ok {
			continue
		}
		v := &verb{name: dashed(t.Name), help: expand(t.Tag.Get("help"), "", vars), of: all.Field(i).Addr().Interface()}
		for _, f := range fieldsOf(all.Field(i), vars) {
			f.setPreset()
			if f.argument {
				v.arguments = append(v.arguments, f)
			} else {
				v.flags = append(v.flags, f)
			}
		}
		list = append(list, v)
	}
	return list
}

// passesThrough reports whether the verb has an argument that takes flags too.
func (v *verb) passesThrough() bool {
	return slices.ContainsFunc(v.arguments, func(f *field) bool { return f.passthrough })
}
