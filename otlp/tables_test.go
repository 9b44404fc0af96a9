package otlp

import (
	"fmt"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// zeroValues checks element 0 of the seven tables.
func (c *checker) zeroValues() {
	d := c.dict
	first := map[string]bool{
		"string":    d.StringTable().Len() > 0 && d.StringTable().At(0) == "",
		"attribute": d.AttributeTable().Len() > 0 && c.describe(d.AttributeTable().At(0)) == `0=Empty"" 0`,
		"function":  d.FunctionTable().Len() > 0 && function4(d.FunctionTable().At(0)) == [4]int64{},
		"mapping":   d.MappingTable().Len() > 0 && mappingContent(d.MappingTable().At(0)) == "0 0 0 0 []",
		"location":  d.LocationTable().Len() > 0 && locationContent(d.LocationTable().At(0)) == "0 0 [] []",
		"stack":     d.StackTable().Len() > 0 && d.StackTable().At(0).LocationIndices().Len() == 0,
		"link": d.LinkTable().Len() > 0 && d.LinkTable().At(0).TraceID().IsEmpty() &&
			d.LinkTable().At(0).SpanID().IsEmpty(),
	}
	for table, ok := range first {
		if !ok {
			c.report("%s table: element 0 is missing or not the zero value", table)
		}
		c.use(table, 0)
	}
}

func (c *checker) describe(a pprofile.KeyValueAndUnit) string {
	return fmt.Sprintf("%d=%s%q %d", a.KeyStrindex(), a.Value().Type(), a.Value().AsString(), a.UnitStrindex())
}

func function4(f pprofile.Function) [4]int64 {
	return [4]int64{int64(f.NameStrindex()), int64(f.SystemNameStrindex()), int64(f.FilenameStrindex()), f.StartLine()}
}

func mappingContent(m pprofile.Mapping) string {
	return fmt.Sprint(m.MemoryStart(), m.MemoryLimit(), m.FileOffset(), m.FilenameStrindex(),
		m.AttributeIndices().AsRaw())
}

func locationContent(l pprofile.Location) string {
	lines := [][3]int64{}
	for _, n := range l.Lines().All() {
		lines = append(lines, [3]int64{int64(n.FunctionIndex()), n.Line(), n.Column()})
	}
	return fmt.Sprint(l.MappingIndex(), l.Address(), lines, l.AttributeIndices().AsRaw())
}

// contents checks every element of the tables, and that none occurs twice.
func (c *checker) contents() {
	d := c.dict
	unique := func(table string, i int, content string, seen map[string]int) {
		if before, ok := seen[content]; ok {
			c.report("%s table: %d and %d are the same: %s", table, before, i, content)
		}
		seen[content] = i
	}
	strings, attributes, functions := map[string]int{}, map[string]int{}, map[string]int{}
	mappings, locations, stacks, links := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for i, s := range d.StringTable().All() {
		unique("string", i, s, strings)
		if !utf8.ValidString(s) {
			c.report("string table: %q is not UTF-8", s)
		}
	}
	for i, a := range d.AttributeTable().All() {
		unique("attribute", i, c.describe(a), attributes)
		c.attribute(i, a)
	}
	for i, f := range d.FunctionTable().All() {
		unique("function", i, fmt.Sprint(function4(f)), functions)
		c.use("string", f.NameStrindex())
		c.use("string", f.SystemNameStrindex())
		c.use("string", f.FilenameStrindex())
	}
	for i, m := range d.MappingTable().All() {
		unique("mapping", i, mappingContent(m), mappings)
		c.use("string", m.FilenameStrindex())
		c.attributes("mapping", m.AttributeIndices())
	}
	for i, l := range d.LocationTable().All() {
		unique("location", i, locationContent(l), locations)
		c.location(i, l)
	}
	for i, s := range d.StackTable().All() {
		unique("stack", i, fmt.Sprint(s.LocationIndices().AsRaw()), stacks)
		for _, l := range s.LocationIndices().All() {
			c.use("location", l)
		}
	}
	for i, l := range d.LinkTable().All() {
		unique("link", i, l.TraceID().String()+l.SpanID().String(), links)
		if i > 0 && (l.TraceID().IsEmpty() || l.SpanID().IsEmpty()) {
			c.report("link table: %d is half a link", i)
		}
	}
}

func (c *checker) attribute(i int, a pprofile.KeyValueAndUnit) {
	c.use("string", a.KeyStrindex())
	c.use("string", a.UnitStrindex())
	if a.Value().Type() == pcommon.ValueTypeStr && !utf8.ValidString(a.Value().Str()) {
		c.report("attribute table: %d: %q is not UTF-8", i, a.Value().Str())
	}
}

func (c *checker) location(i int, l pprofile.Location) {
	c.use("mapping", l.MappingIndex())
	c.attributes("location", l.AttributeIndices())
	for _, n := range l.Lines().All() {
		c.use("function", n.FunctionIndex())
		if n.Line() < 0 || n.Column() < 0 {
			c.report("location table: %d: line %d, column %d", i, n.Line(), n.Column())
		}
	}
}

// orphans checks that everything in the tables is used.
func (c *checker) orphans(inline map[string]bool) {
	for table, length := range c.length {
		for i := range length {
			if c.used[table][int32(i)] || table == "string" && inline[c.dict.StringTable().At(i)] {
				continue
			}
			c.report("%s table: nothing uses %d", table, i)
		}
	}
}
