package export

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/pprofx"
)

// TestTrouble: what is kept of why a destination fails is the last error, since the first, and nothing once it works. A
// refusal is no failure, and is kept.
func TestTrouble(t *testing.T) {
	var before, between Stats
	var d *Destination
	tries := 0
	long := "still nobody " + strings.Repeat("\xff€", 1000)
	r := &receiver{answer: func(*pprofx.Snapshot) error {
		switch tries++; tries {
		case 1:
			return status.Error(codes.Unavailable, "nobody is there")
		case 2:
			before = d.Stats()
			return errors.New(long)
		case 3:
			between = d.Stats()
		}
		return nil
	}}
	s, to, _ := fixture(t, r, nil)
	d = to
	fill(t, s, 1)
	deliverAll(t, d)
	if before.Since.IsZero() || !strings.Contains(before.Why, "nobody is there") {
		t.Errorf("after a failure: %+v", before)
	}
	if !between.Since.Equal(before.Since) || !strings.HasPrefix(between.Why, "still nobody ") ||
		len(between.Why) > maxWhy || !utf8.ValidString(between.Why) {
		t.Errorf("after another: %+v", between)
	}
	if got := d.Stats(); !got.Since.IsZero() || got.Why != "" {
		t.Errorf("after a success: %+v", got)
	}
	d.drop(1, errors.New("too old"))
	if got := d.Stats(); !got.Since.IsZero() || got.Why != "too old" {
		t.Errorf("after a refusal: %+v", got)
	}
	d.stats.trouble.fail(errors.New("gone"))
	if got := d.Stats(); time.Since(got.Since) > time.Minute || got.Why != "gone" {
		t.Errorf("after a failure: %+v", got)
	}
}
