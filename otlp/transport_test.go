package otlp

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
)

func TestParseAnswer(t *testing.T) {
	response := pprofileotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedProfiles(5)
	response.PartialSuccess().SetErrorMessage("too old \u00e9")
	data, err := response.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := parseAnswer(data); err != nil || got != (answer{5, "too old \u00e9"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for cut := 1; cut < len(data); cut++ {
		if _, err := parseAnswer(data[:cut]); err == nil {
			t.Errorf("%d of %d bytes: no error", cut, len(data))
		}
	}
	// fields of other types, and unknown ones, are passed over
	for _, odd := range []string{
		"", "\x08\x05", "\x0a\x04\x0a\x02ab", "\x0a\x02\x10\x07", "\x19abcdefgh", "\x1a\x01x",
	} {
		if got, err := parseAnswer([]byte(odd)); err != nil || got != (answer{}) {
			t.Errorf("%x: %+v, %v", odd, got, err)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte("\x0a\x04\x08\x05\x12\x00"))
	f.Fuzz(func(_ *testing.T, response []byte) { _, _ = parseAnswer(response) })
}
