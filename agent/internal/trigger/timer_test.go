package trigger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCPUs(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
	}{
		{"0", []int{0}}, {"0-3", []int{0, 1, 2, 3}}, {"0-1,4,6-7", []int{0, 1, 4, 6, 7}}, {"127", []int{127}},
		{"", nil}, {"a", nil}, {"0-", nil}, {"-1", nil}, {"0,", nil}, {"1-2-3", nil}, {"0-65537", nil},
		{"0-99999999999999999999", nil}, {"0\n", nil},
	} {
		got, err := parseCPUs(c.list)
		if (err == nil) != (c.want != nil) {
			t.Errorf("%q: %v, %v", c.list, got, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.list, diff)
		}
		if err != nil && !strings.Contains(err.Error(), "list of CPUs") {
			t.Errorf("%q: %v", c.list, err)
		}
	}
}

func TestStartNonsense(t *testing.T) {
	for _, rate := range []int{0, -99} {
		if _, err := Start(nil, Config{Rate: rate}); err == nil || !strings.Contains(err.Error(), "at least 1") {
			t.Errorf("rate %d: %v", rate, err)
		}
	}
}
