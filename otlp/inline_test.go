package otlp

import (
	"testing"

	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"
)

// Receivers that know no references in resources, such as Pyroscope and Parca, must find each key and string in place.
// pdata resolves references when it reads, and could not tell.
func TestResourcesHaveNoReferences(t *testing.T) {
	data, err := proto.Marshal(Profiles(randomSnapshot(5, 300), agent))
	if err != nil {
		t.Fatal(err)
	}
	var got profilespb.ProfilesData
	if err := proto.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	services := 0
	for _, r := range got.ResourceProfiles {
		for _, a := range r.Resource.Attributes {
			if a.Key == "" || a.KeyStrindex != 0 || a.Value.GetStringValueStrindex() != 0 {
				t.Errorf("%v", a)
			}
			if a.Key == "service.name" && a.Value.GetStringValue() == "shop" {
				services++
			}
		}
	}
	if services != 1 {
		t.Errorf("%d resources of the service shop, want 1", services)
	}
}
