package sourcemap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// document is the JSON of a map, without fields that are not needed.
type document struct {
	Version        *int
	SourceRoot     string
	Sources        list
	SourcesContent contents
	Names          list
	Mappings       *string
	Sections       *[]section
}

// section is a part of an indexed map.
type section struct {
	Offset offset
	URL    string
	Map    json.RawMessage
}

// list is a list of strings. A null among them becomes an empty string.
type list []string

func (l *list) UnmarshalJSON(b []byte) error {
	if bytes.Count(b, []byte{','}) >= maxEntries {
		return fmt.Errorf("a list of more than %d sources or names: %w", maxEntries, ErrTooLarge)
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// Parse decodes a map. Sources are relative to base, the path or URL of the map, or of the script if the map is inline.
// It returns an error for malformed JSON or mappings, for a version other than 3, for sections in files of their own,
// and for mappings that do not tell the sources apart; the error wraps ErrTooLarge if a limit is exceeded.
func Parse(b []byte, base string) (*Map, error) {
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("%d bytes, at most %d are read: %w", len(b), MaxBytes, ErrTooLarge)
	}
	p := parser{base: toURL(base), m: &Map{heads: map[place]int32{}}, end: offset{maxLines, 0}}
	if err := p.parse(strip(b), 0); err != nil {
		return nil, err
	}
	// webpack's cheap-source-map maps whole lines. Of a bundle that is then minified into one line, all code would be
	// in the source that comes first.
	if n, of := len(p.m.segments), len(p.m.sources); n > 0 && n < of {
		return nil, fmt.Errorf("mappings: %d, of %d sources, as where a minifier was given a map of lines", n, of)
	}
	p.m.lines = append(p.m.lines, int32(len(p.m.segments)))
	p.m.sortLines()
	return p.m, nil
}

// strip removes a byte order mark, and the line )]}' with which servers keep browsers from running JSON as a script.
func strip(b []byte) []byte {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(b, []byte(")]}'")) {
		_, b, _ = bytes.Cut(b, []byte{'\n'})
	}
	return b
}

// parser joins the sections of an indexed map.
type parser struct {
	base     string
	m        *Map
	text     int    // bytes of sources
	names    int    // of the lists
	start    offset // of the current section
	end      offset // where the next section begins
	sections int
}

func (p *parser) parse(b []byte, depth int) error {
	var d document
	if err := json.Unmarshal(b, &d); err != nil {
		return err
	}
	switch {
	case d.Version == nil || *d.Version != 3:
		return errors.New("version is not 3")
	case d.Sections != nil:
		return p.indexed(*d.Sections, depth)
	case d.Mappings == nil:
		return errors.New("neither mappings nor sections")
	}
	return p.add(&d)
}

func (p *parser) indexed(sections []section, depth int) error {
	if p.sections += len(sections); p.sections > maxSections {
		return fmt.Errorf("more than %d sections: %w", maxSections, ErrTooLarge)
	}
	if depth == maxDepth {
		return fmt.Errorf("sections in sections, %d deep: %w", depth, ErrTooLarge)
	}
	start, end := p.start, p.end
	for i, s := range sections {
		var err error
		p.end = end
		if i+1 < len(sections) {
			if p.end, err = within(sections[i+1].Offset, start, end); err != nil {
				return fmt.Errorf("section %d: %w", i+1, err)
			}
		}
		if p.start, err = within(s.Offset, start, end); err != nil || p.end.before(p.start) {
			return fmt.Errorf("section %d: it begins before the one ahead of it, or outside of the generated code", i)
		}
		if s.Map == nil {
			return fmt.Errorf("section %d has no map (maps in files of their own are not read)", i)
		}
		if err := p.parse(s.Map, depth+1); err != nil {
			return fmt.Errorf("section %d: %w", i, err)
		}
	}
	p.start, p.end = start, end
	return nil
}

// within converts the offset of a section between start and end into one of the whole code.
func within(o, start, end offset) (offset, error) {
	if o.Line < 0 || o.Line > maxLines || o.Column < 0 || o.Column > maxNumber {
		return o, fmt.Errorf("line %d, column %d: %w", o.Line, o.Column, ErrTooLarge)
	}
	if o.Line == 0 {
		o.Column += start.Column
	}
	o.Line += start.Line
	if end.before(o) {
		return end, nil
	}
	return o, nil
}

// add decodes a map that has no sections.
func (p *parser) add(d *document) error {
	dec := decoder{
		m: p.m, end: p.end, mappings: *d.Mappings, line: p.start.Line, shift: p.start.Column,
		sources: len(p.m.sources), names: len(p.m.names), nSources: len(d.Sources), nNames: len(d.Names),
	}
	p.names += len(d.Names)
	if dec.sources+dec.nSources > maxEntries || p.names > maxEntries {
		return fmt.Errorf("more than %d sources or names: %w", maxEntries, ErrTooLarge)
	}
	root := p.base
	if d.SourceRoot != "" {
		root = resolve(p.base, d.SourceRoot+"/")
	}
	for _, s := range d.Sources {
		if s != "" {
			s = resolve(root, s)
		}
		if p.text += len(s); p.text > maxText {
			return fmt.Errorf("sources of more than %d bytes: %w", maxText, ErrTooLarge)
		}
		p.m.sources = append(p.m.sources, cut(readable(s), maxPath))
	}
	for _, s := range d.Names {
		p.m.names = append(p.m.names, cut(s, maxName))
	}
	first := len(p.m.segments)
	if err := dec.decode(); err != nil {
		return err
	}
	p.m.nameSegments(first, dec.sources, d.SourcesContent)
	return nil
}

// cut returns at most the first n bytes of s, without cutting a character in two.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}
