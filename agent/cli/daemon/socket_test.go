package daemon

import (
	"testing"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/internal/serve"
	reqctx "github.com/hotspan/hotspan/context"
)

// A capture follows the time of day when that is set: a session waits until its profile has come as far as the clock.
// It has the agent's rules beside its own, which other captures do not get.
func TestCaptureConfig(t *testing.T) {
	rule, err := reqctx.ParseRule("a=b")
	if err != nil {
		t.Fatal(err)
	}
	like := &agent.Config{Rules: append(make([]reqctx.Rule, 0, 8), rule)}
	one, err := captureConfig(like, &serve.Capture{PID: 1, Rules: []string{"c=d"}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := captureConfig(like, &serve.Capture{PID: 2, Rules: []string{"e=f"}})
	if err != nil {
		t.Fatal(err)
	}
	if !one.FollowClock || !other.FollowClock {
		t.Error("a capture does not follow the time of day")
	}
	if one.TableBytes == 0 || one.TableBytes > 32<<20 {
		t.Errorf("the unwind tables of a capture may take %d bytes", one.TableBytes)
	}
	if len(one.Rules) != 2 || one.Rules[1].Label != "c" || len(other.Rules) != 2 || len(like.Rules) != 1 {
		t.Errorf("rules %+v, %+v", one.Rules, other.Rules)
	}
	if _, err := captureConfig(like, &serve.Capture{Rules: []string{"="}}); err == nil {
		t.Error("a rule that is none is taken")
	}
}
