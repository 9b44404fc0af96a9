package flags

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"unicode"
)

// Decoder is a type that reads the values of its flag itself. Decode gets each value of the command line as a string,
// and what Line.Set gets as it is.
type Decoder interface{ Decode(value any) error }

// field is a flag or an argument: a field of a verb's struct.
type field struct {
	to          reflect.Value
	name        string
	short       string // letter of a flag, "" if it has none
	help        string
	preset      string   // its value where none is given, "" for the zero value
	placeholder string   // what the help calls the value, "" for a flag without one
	enum        []string // all values that it may have, nil for any
	sep         string   // between the elements of a list in one value, "" if a value is one element
	argument    bool
	optional    bool // an argument that may be left out
	required    bool // a flag that may not
	negatable   bool
	passthrough bool // an argument that takes all words from the first on, flags too
}

// fieldsOf lists the flags and the arguments of a struct, those of embedded structs too. Tags that are wrong
// panic: they are the program's.
func fieldsOf(of reflect.Value, vars map[string]string) (list []*field) {
	for i := range of.NumField() {
		t := of.Type().Field(i)
		switch {
		case t.Anonymous:
			list = append(list, fieldsOf(of.Field(i), vars)...)
		case t.IsExported():
			list = append(list, newField(of.Field(i), t, vars))
		}
	}
	return list
}

func newField(to reflect.Value, t reflect.StructField, vars map[string]string) *field {
	has := func(key string) bool { _, ok := t.Tag.Lookup(key); return ok }
	preset := expand(t.Tag.Get("default"), "", vars)
	f := &field{
		to: to, name: dashed(t.Name), short: t.Tag.Get("short"), preset: preset,
		help:        expand(t.Tag.Get("help"), preset, vars),
		placeholder: t.Tag.Get("placeholder"), argument: has("arg"), optional: has("optional"),
		required: has("required"), negatable: has("negatable"), passthrough: has("passthrough"),
	}
	if name := t.Tag.Get("name"); name != "" {
		f.name = name
	}
	if all := t.Tag.Get("enum"); all != "" {
		f.enum = strings.Split(all, ",")
	}
	f.sep = f.separator(t.Tag.Get("sep"))
	if f.placeholder == "" && !f.isSwitch() {
		f.placeholder = strings.ToUpper(f.name)
		if f.enum != nil {
			f.placeholder = strings.Join(f.enum, "|")
		}
	}
	return f
}

// separator returns what parts the elements of a list in one value: a comma, and of a map a semicolon. With the tag
// sep:"none" each value is one element, as it is in arguments.
func (f *field) separator(tag string) string {
	_, decodes := f.to.Addr().Interface().(Decoder)
	switch kind := f.to.Kind(); {
	case f.argument || decodes || tag == "none":
		return ""
	case kind == reflect.Map:
		return ";"
	case kind == reflect.Slice:
		return ","
	}
	return ""
}

// long is a flag that takes a value, as a command line has it.
func (f *field) long() string { return "--" + f.name + "=" + f.placeholder }

// isSwitch reports whether a flag needs no value.
func (f *field) isSwitch() bool { return f.to.Kind() == reflect.Bool && !f.argument }

// isList reports whether an argument takes any number of words.
func (f *field) isList() bool { return f.to.Kind() == reflect.Slice }

// dashed is the name of a flag or a verb, by that of a field: SourceMaps is source-maps.
func dashed(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return b.String()
}

// expand replaces ${name}, and ${default} by the default.
func expand(text, preset string, vars map[string]string) string {
	return os.Expand(text, func(name string) string {
		value, ok := vars[name]
		switch {
		case name == "default":
			return preset
		case !ok:
			panic(fmt.Errorf("${%s} in %q is unknown", name, text))
		}
		return value
	})
}
