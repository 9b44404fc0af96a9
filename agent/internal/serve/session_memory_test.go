package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	fair "github.com/hotspan/hotspan/agent/internal/share"
	"github.com/hotspan/hotspan/pprofx"
)

// piece is a tenth of a second with ten samples that have nothing in common with those of others.
func piece(t *testing.T, n int64) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(n*int64(sessionEvery), 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(10) {
		name := fmt.Sprintf("%d of piece %d", i, n)
		b.Add(&pprofx.Sample{
			Time: n*int64(sessionEvery) + i, PID: 1, Stack: []*pprofx.Frame{{Function: name}, {Function: "main"}},
			Labels: []pprofx.Label{{Key: "trace_id", Str: name}},
		})
	}
	return b.Cut((n + 1) * int64(sessionEvery))
}

// A session that asks for no snapshot keeps what its user's share of the memory has room for, and counts the samples
// that it does not keep. However it ends, the memory is for others then.
func TestSessionMemory(t *testing.T) {
	const pieces = 200
	for name, test := range map[string]struct {
		room int
		ends error
		want bool // some are lost
	}{
		"too little": {64 << 10, nil, true},
		"enough":     {64 << 20, nil, false},
		"broken":     {64 << 20, errors.New("no such luck"), false},
	} {
		s := &Server{ended: make(chan struct{}), memory: fair.New[uint32](test.room, sessionsUser)}
		most := 0
		s.config.Capture = func(ctx context.Context, of Capture) error {
			of.Begun()
			for n := range int64(pieces) {
				if err := of.To(ctx, piece(t, n)); err != nil {
					return err
				}
				most = max(most, s.memory.All())
			}
			<-ctx.Done()
			return test.ends
		}
		answer := httptest.NewRecorder()
		c := &session{
			Server: s, writer: answer, filter: &filter{}, caller: caller{uid: 7, pid: 1}, begun: make(chan struct{}),
			arrived: make(chan struct{}, 1), merger: pprofx.NewMerger(maxSessionRows),
		}
		err := c.run(t.Context(), Capture{}, strings.NewReader("stop\n"))
		if (err != nil) != (test.ends != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if all := s.memory.All(); all != 0 || most == 0 || most > test.room/2 {
			t.Errorf("%s: %d bytes are taken at the end, %d before", name, all, most)
		}
		if test.ends != nil {
			continue
		}
		samples, lost := sent(t, bufio.NewReader(answer.Body))
		if samples+lost != 10*pieces || (lost > 0) != test.want || samples == 0 {
			t.Errorf("%s: %d samples and %d that are lost of %d", name, samples, lost, 10*pieces)
		}
	}
}

// sent returns how many samples the snapshot in an answer has, and how many it has lost.
func sent(t *testing.T, from *bufio.Reader) (samples, lost int64) {
	t.Helper()
	for {
		line, err := from.ReadBytes('\n')
		var m sessionMessage
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Type != "snapshot" {
			continue
		}
		p, err := profile.Parse(io.LimitReader(from, int64(m.Pprof)))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range p.Sample {
			samples += one.Value[0]
		}
		return samples, m.Lost[pprofx.LostFull.String()]
	}
}
