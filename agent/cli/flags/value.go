package flags

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// set reads a value. That of a list or a map is added to what it has.
func (f *field) set(text string) error {
	if d, ok := f.to.Addr().Interface().(Decoder); ok {
		return d.Decode(text)
	}
	if f.enum != nil && !slices.Contains(f.enum, text) {
		return fmt.Errorf("want one of %s, not %q", strings.Join(f.enum, ", "), text)
	}
	switch f.to.Kind() {
	case reflect.Slice:
		return f.each(text, func(part string) error {
			element := reflect.New(f.to.Type().Elem()).Elem()
			err := read(element, part)
			f.to.Set(reflect.Append(f.to, element))
			return err
		})
	case reflect.Map: // from strings to strings
		return f.each(text, func(part string) error {
			key, value, ok := strings.Cut(part, "=")
			if !ok {
				return fmt.Errorf("want KEY=VALUE, not %q", part)
			}
			if f.to.IsNil() {
				f.to.Set(reflect.MakeMap(f.to.Type()))
			}
			f.to.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(value))
			return nil
		})
	case reflect.Pointer: // nil where nothing is given
		value := reflect.New(f.to.Type().Elem())
		f.to.Set(value)
		return read(value.Elem(), text)
	}
	return read(f.to, text)
}

// setPreset sets the default.
func (f *field) setPreset() {
	if f.preset == "" {
		return
	}
	if err := f.set(f.preset); err != nil {
		panic(fmt.Errorf("default of %s: %w", f.name, err))
	}
}

func (f *field) each(text string, do func(string) error) error {
	parts := []string{text}
	if f.sep != "" {
		parts = strings.Split(text, f.sep)
	}
	for _, part := range parts {
		if err := do(part); err != nil {
			return err
		}
	}
	return nil
}

// setAny reads a value of a configuration: a scalar, or a list of them. Nothing (nil) leaves the field as it is.
func (f *field) setAny(value any) error {
	if value == nil {
		return nil
	}
	if d, ok := f.to.Addr().Interface().(Decoder); ok {
		return d.Decode(value)
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	} else if f.to.Kind() != reflect.Slice {
		return fmt.Errorf("want one value, not a list")
	}
	for _, v := range list {
		text, err := f.scalar(v)
		if err == nil {
			err = f.set(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scalar returns a value as the command line would have it. A number is no string: YAML takes 12e4, which may be the
// beginning of a container's id, for 120000.
func (f *field) scalar(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool, int, int64, uint64, float64:
		if !f.isText() {
			return fmt.Sprint(v), nil
		}
		return "", fmt.Errorf("want a string, not %v: write it in quotes", v)
	}
	return "", fmt.Errorf("want a value, not %v", value)
}

// isText reports whether a value may be any text.
func (f *field) isText() bool {
	t := f.to.Type()
	if k := t.Kind(); k == reflect.Slice || k == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.String || t.Kind() == reflect.Map
}

// read reads a scalar.
func read(to reflect.Value, text string) error {
	switch to := to.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return to.UnmarshalText([]byte(text))
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("want a time with its unit, such as 500ms, 10s or 2h, not %q", text)
		}
		*to = d
		return nil
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
	case reflect.Bool:
		return readBool(to, text)
	case reflect.Int:
		return readNumber(to.SetInt, text, to, strconv.ParseInt)
	case reflect.Uint16, reflect.Uint64:
		return readNumber(to.SetUint, text, to, strconv.ParseUint)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("want a number, not %q", text)
		}
		to.SetFloat(n)
	default:
		panic("no flag may be a " + to.Type().String())
	}
	return nil
}

func readNumber[N any](set func(N), text string, to reflect.Value, parse func(string, int, int) (N, error)) error {
	n, err := parse(text, 10, to.Type().Bits())
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is out of range", text)
	case err != nil:
		return fmt.Errorf("want a whole number, not %q", text)
	}
	set(n)
	return nil
}

func readBool(to reflect.Value, text string) error {
	switch text {
	case "true", "1", "yes":
		to.SetBool(true)
	case "false", "0", "no":
		to.SetBool(false)
	default:
		return fmt.Errorf("want true or false, not %q", text)
	}
	return nil
}
