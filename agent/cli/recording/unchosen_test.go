package recording

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

// However many routes there are, a few are kept, and fewer listed: those with most samples.
func TestManyRoutes(t *testing.T) {
	b, err := pprofx.NewBuilder(1, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(2 * maxThere) {
		for range 1 + i%2 {
			b.Add(&pprofx.Sample{Time: 1 + i, PID: 1, Stop: pprofx.StopRoot,
				Labels: []pprofx.Label{{Key: "http.route", Str: fmt.Sprintf("/%04d", i)}}})
		}
	}
	f := &FilterFlags{SampleFlags: SampleFlags{Route: "/nosuch"}}
	c := f.choices()
	c.note(b.Cut(10_000))
	got := c.all[0].list()
	if !strings.HasPrefix(got, "/0001, /0003, ") || !strings.HasSuffix(got, ", /0015 and at least 992 more") {
		t.Error(got)
	}
}
