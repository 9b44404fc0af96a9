package pyroscope

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotspan/hotspan/otlp"
)

// storing answers as Pyroscope's distributor does: it stores what it takes of a request, and says what it has refused.
type storing struct {
	t      *testing.T
	most   int            // samples of a profile
	never  string         // a service of which it takes nothing
	stored map[string]int // samples, by service and time of the profile
}

func (p *storing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	refusal := ""
	series := fields(p.t, body, protowire.Number(1))
	if len(series) == 0 {
		refusal = "no profiles received"
	}
	for _, one := range series {
		of, err := profile.ParseData(fields(p.t, fields(p.t, one, 2)[0], 1)[0])
		if err != nil {
			p.t.Error(err)
			continue
		}
		n := 0
		for _, s := range of.Sample {
			n += int(s.Value[0])
		}
		name := labelsOf(p.t, one)["service_name"]
		if n > p.most || name == p.never {
			refusal = "push series failed"
			continue
		}
		if at := fmt.Sprint(name, " ", of.TimeNanos); p.stored[at] == 0 { // else it is a duplicate
			p.stored[at] = n
		}
	}
	if refusal != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"code":"invalid_argument","message":%q}`, refusal)
	}
}

// The refusal of a profile neither doubles nor loses what others have.
func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		most     int
		never    string
		stored   map[string]int
		rejected int64
	}{
		"all taken":          {most: 20, stored: map[string]int{"shop 1": 20, "worker 1": 10}},
		"one is too large":   {most: 10, stored: map[string]int{"shop 1": 10, "shop 16": 10, "worker 1": 10}},
		"one is never taken": {most: 20, never: "shop", stored: map[string]int{"worker 1": 10}, rejected: 20},
	} {
		server := &storing{t: t, most: c.most, never: c.never, stored: map[string]int{}}
		s := httptest.NewServer(server)
		p := New(Config{URL: s.URL, Timeout: time.Minute})
		if err := p.Try(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		err := p.Write(t.Context(), snapshot(t, 30))
		partial := &otlp.PartialError{}
		if errors.As(err, &partial); partial.Rejected != c.rejected || (err != nil) != (c.rejected > 0) {
			t.Errorf("%s: %d samples rejected: %v", name, partial.Rejected, err)
		}
		if diff := cmp.Diff(c.stored, server.stored); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		p.Close()
		s.Close()
	}
}
