package otlp

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// checker looks for breaches of what profiles.proto says of a message: the same things that profcheck of
// open-telemetry/sig-profiling looks for with all its options on, and beyond those duplicates in every table and
// samples of equal identity.
type checker struct {
	dict     pprofile.ProfilesDictionary
	length   map[string]int            // by table
	used     map[string]map[int32]bool // by table and index
	breaches []string
}

// breaches returns what is wrong with p, nil if nothing is.
func breaches(p pprofile.Profiles) []string {
	c := newChecker(p.Dictionary())
	strings := map[string]bool{}
	if p.ResourceProfiles().Len() == 0 {
		c.report("no resource profiles")
	}
	for _, rp := range p.ResourceProfiles().All() {
		inlineStrings(rp.Resource().Attributes(), strings)
		if rp.ScopeProfiles().Len() == 0 {
			c.report("a resource without scope profiles")
		}
		for _, sp := range rp.ScopeProfiles().All() {
			inlineStrings(sp.Scope().Attributes(), strings)
			if sp.Profiles().Len() == 0 {
				c.report("a scope without profiles")
			}
			for _, profile := range sp.Profiles().All() {
				c.profile(profile)
			}
		}
	}
	c.zeroValues()
	c.contents()
	c.orphans(strings)
	return c.breaches
}

func newChecker(d pprofile.ProfilesDictionary) *checker {
	c := &checker{dict: d, used: map[string]map[int32]bool{}, length: map[string]int{
		"string": d.StringTable().Len(), "attribute": d.AttributeTable().Len(), "function": d.FunctionTable().Len(),
		"mapping": d.MappingTable().Len(), "location": d.LocationTable().Len(), "stack": d.StackTable().Len(),
		"link": d.LinkTable().Len(),
	}}
	for table := range c.length {
		c.used[table] = map[int32]bool{}
	}
	return c
}

func (c *checker) report(format string, args ...any) {
	c.breaches = append(c.breaches, fmt.Sprintf(format, args...))
}

// inlineStrings collects keys and string values that the wire form keeps in the string table.
func inlineStrings(m pcommon.Map, to map[string]bool) {
	for k, v := range m.All() {
		to[k] = true
		if v.Type() == pcommon.ValueTypeStr {
			to[v.Str()] = true
		}
	}
}

// use checks an index and marks what it points to as used.
func (c *checker) use(table string, i int32) {
	if i < 0 || int(i) >= c.length[table] {
		c.report("%s index %d is outside [0, %d)", table, i, c.length[table])
	}
	c.used[table][i] = true
}

func (c *checker) attributes(of string, indices pcommon.Int32Slice) {
	keys := map[string]bool{}
	for _, i := range indices.All() {
		c.use("attribute", i)
		if i == 0 {
			c.report("%s: attribute index 0", of)
		}
		key := c.dict.StringTable().At(int(c.dict.AttributeTable().At(int(i)).KeyStrindex()))
		if keys[key] {
			c.report("%s: attribute %q twice", of, key)
		}
		keys[key] = true
	}
}

func (c *checker) profile(p pprofile.Profile) {
	for _, t := range []pprofile.ValueType{p.SampleType(), p.PeriodType()} {
		c.use("string", t.TypeStrindex())
		c.use("string", t.UnitStrindex())
		if t.TypeStrindex() == 0 || t.UnitStrindex() == 0 {
			c.report("profile: sample or period type without name or unit")
		}
	}
	if p.ProfileID().IsEmpty() {
		c.report("profile: no id")
	}
	c.attributes("profile", p.AttributeIndices())
	identities := map[string]bool{}
	for i, s := range p.Samples().All() {
		c.sample(s, uint64(p.Time()), uint64(p.Time())+p.DurationNano())
		id := fmt.Sprint(s.StackIndex(), s.LinkIndex(), s.AttributeIndices().AsRaw())
		if identities[id] {
			c.report("sample %d: same identity as one before: %s", i, id)
		}
		identities[id] = true
	}
}

func (c *checker) sample(s pprofile.Sample, from, to uint64) {
	c.use("stack", s.StackIndex())
	c.use("link", s.LinkIndex())
	c.attributes("sample", s.AttributeIndices())
	if s.Values().Len() != 0 || s.TimestampsUnixNano().Len() == 0 {
		c.report("sample: want timestamps only, have %d and %d values", s.TimestampsUnixNano().Len(), s.Values().Len())
	}
	for _, t := range s.TimestampsUnixNano().All() {
		if t < from || t >= to {
			c.report("sample: time %d outside [%d, %d)", t, from, to)
		}
	}
}
