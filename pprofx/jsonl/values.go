package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// encode encodes a value that cannot fail to be: strings, numbers, and structs and maps of them. What a terminal
// would act on is escaped: people look at these files there.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // keeps <anonymous> readable
	_ = enc.Encode(v)
	return pprofx.AppendEscaped(nil, bytes.TrimSuffix(b.Bytes(), []byte("\n")), func(rune) bool { return false })
}

func objectOf(set []pprofx.Label) map[string]any {
	object := make(map[string]any, len(set))
	for _, l := range set {
		if l.Str != "" {
			object[l.Key] = l.Str
		} else {
			object[l.Key] = l.Num
		}
	}
	return object
}

// labelsOf is the reverse of objectOf: sorted by key.
func labelsOf(object map[string]json.RawMessage) ([]pprofx.Label, error) {
	var labels []pprofx.Label
	for _, key := range slices.Sorted(maps.Keys(object)) {
		l, text := pprofx.Label{Key: key}, bytes.TrimSpace(object[key])
		var err error
		if bytes.HasPrefix(text, []byte(`"`)) {
			err = json.Unmarshal(text, &l.Str)
		} else {
			l.Num, err = strconv.ParseInt(string(text), 10, 64)
		}
		if err != nil {
			return nil, fmt.Errorf("label %q: neither a string nor a whole number: %.100s", key, text)
		}
		labels = append(labels, l)
	}
	return labels, nil
}
