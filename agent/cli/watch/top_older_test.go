package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
)

// top --older shows the samples that report --older counts, and says so.
func TestTopOlder(t *testing.T) {
	file := recordingtest.Aged(t)
	for older, want := range map[time.Duration]float64{0: 360, 1: 240, 100e6: 60, 1e9: 0} {
		top := Top{Older: older}
		printed := func(asJSON bool) string {
			var out bytes.Buffer
			flags := tableFlags{JSON: asJSON, Count: 1, Lines: 1, Interval: time.Hour}
			p := &topPrinter{tableFlags: flags, older: older, to: &out, columns: 80, stop: func() {}}
			for _, s := range recorded(t, file) {
				top.chosen(p).add(s)
			}
			if err := p.end(); err != nil {
				t.Error(err)
			}
			return out.String()
		}
		text, line := printed(false), printed(true)
		var got struct{ Samples, Older float64 }
		if want == 0 { // a table without samples is not printed
			if text != "" || line != "" {
				t.Errorf("--older %v: %s%s", older, text, line)
			}
		} else if err := json.Unmarshal([]byte(line), &got); err != nil || got.Samples != want ||
			got.Older != float64(older) || !strings.Contains(text, fmt.Sprintf(" in %v samples of ", want)) {
			t.Errorf("--older %v: %v, %+v, want %v samples: %s", older, err, got, want, text)
		}
		says := fmt.Sprintf("requests of %v and more", older)
		for _, said := range []string{top.title(), text} {
			if said != "" && strings.HasPrefix(said, says) != (older > 0) {
				t.Errorf("--older %v: %s", older, said)
			}
		}
	}
}
