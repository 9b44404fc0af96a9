package daemon

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent"
)

// TestKeepWithin: the agent keeps to three quarters of what a control group has, and says if that is too little.
func TestKeepWithin(t *testing.T) {
	for _, c := range []struct {
		group, own, want int64
		warns            bool
	}{
		{math.MaxInt64, 150 << 20, 150 << 20, false},
		{math.MaxInt64, 0, 0, false},
		{1 << 30, 150 << 20, 150 << 20, false},
		{100 << 20, 150 << 20, 75 << 20, false},
		{64 << 20, 150 << 20, 48 << 20, true},
		{64 << 20, 0, 48 << 20, true},
		{64 << 20, 40 << 20, 40 << 20, true},
	} {
		var said bytes.Buffer
		config := agent.Config{MemoryLimit: c.own, Log: slog.New(slog.NewTextHandler(&said, nil))}
		keepWithin(c.group, &config)
		if config.MemoryLimit != c.want {
			t.Errorf("%+v: limit %d", c, config.MemoryLimit)
		}
		if warns := strings.Contains(said.String(), "MiB=64 needed=100"); warns != c.warns {
			t.Errorf("%+v: said %q", c, &said)
		}
	}
}
