package otlp

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// A check that never fails checks nothing: each change here must be seen.
func TestBreachesAreSeen(t *testing.T) {
	profile := func(p pprofile.Profiles) pprofile.Profile {
		return p.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0)
	}
	changes := map[string]func(pprofile.Profiles){
		"orphaned string": func(p pprofile.Profiles) { p.Dictionary().StringTable().Append("nobody's") },
		"orphaned location": func(p pprofile.Profiles) {
			p.Dictionary().LocationTable().AppendEmpty().SetAddress(77)
		},
		"orphaned link": func(p pprofile.Profiles) {
			p.Dictionary().LinkTable().AppendEmpty().SetSpanID([8]byte{1})
		},
		"duplicate string":   func(p pprofile.Profiles) { p.Dictionary().StringTable().Append("count") },
		"duplicate stack":    func(p pprofile.Profiles) { p.Dictionary().StackTable().AppendEmpty() },
		"zero value":         func(p pprofile.Profiles) { p.Dictionary().FunctionTable().At(0).SetStartLine(1) },
		"zero location":      func(p pprofile.Profiles) { p.Dictionary().LocationTable().At(0).SetAddress(1) },
		"zero attribute":     func(p pprofile.Profiles) { p.Dictionary().AttributeTable().At(0).Value().SetInt(0) },
		"string 0":           func(p pprofile.Profiles) { p.Dictionary().StringTable().SetAt(0, "x") },
		"stack out of range": func(p pprofile.Profiles) { profile(p).Samples().At(0).SetStackIndex(1 << 20) },
		"link out of range":  func(p pprofile.Profiles) { profile(p).Samples().At(0).SetLinkIndex(-1) },
		"a time too late":    func(p pprofile.Profiles) { profile(p).SetDurationNano(1) },
		"values":             func(p pprofile.Profiles) { profile(p).Samples().At(0).Values().Append(1) },
		"no times": func(p pprofile.Profiles) {
			profile(p).Samples().At(0).TimestampsUnixNano().FromRaw(nil)
		},
		"no sample type":      func(p pprofile.Profiles) { profile(p).SampleType().SetTypeStrindex(0) },
		"no id":               func(p pprofile.Profiles) { profile(p).SetProfileID(pprofile.ProfileID{}) },
		"same identity":       func(p pprofile.Profiles) { s := profile(p).Samples(); s.At(0).CopyTo(s.AppendEmpty()) },
		"attribute key twice": func(p pprofile.Profiles) { twice(profile(p).Samples().At(0).AttributeIndices()) },
		"not UTF-8":           func(p pprofile.Profiles) { p.Dictionary().StringTable().SetAt(1, "\xff") },
		"negative line": func(p pprofile.Profiles) {
			p.Dictionary().LocationTable().At(1).Lines().At(0).SetLine(-1)
		},
		"no resources": func(p pprofile.Profiles) {
			p.ResourceProfiles().RemoveIf(func(pprofile.ResourceProfiles) bool { return true })
		},
	}
	for name, change := range changes {
		p := wire(t, Profiles(randomSnapshot(2, 40), agent))
		change(p)
		if breaches(p) == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}

func twice(indices pcommon.Int32Slice) { indices.Append(indices.At(0)) }
