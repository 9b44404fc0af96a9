package symbolize

import (
	"log/slog"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
)

// maxDumped bounds the frames of code in jitdumps that are kept of one process, twice.
const maxDumped = 1 << 14

// dumps names machine code that another JIT than V8 has made, by the jitdumps that it writes.
type dumps struct {
	names  *jitdump.Names // nil: none are read
	frames aged[jitdump.Place, *pprofx.Frame]
}

func newDumps(p *process.Process, log *slog.Logger) dumps {
	owner := jitdump.Owner{PID: p.PID, Inner: p.InnerPID(), V8: p.HasV8()}
	d := dumps{jitdump.NewNames(owner, log), newAged[jitdump.Place, *pprofx.Frame](maxDumped)}
	d.mapped(p.Mappings)
	return d
}

func (d *dumps) any() bool { return d.names != nil && d.names.Any() }

func (d *dumps) mapped(m *process.Mappings) {
	if d.names != nil {
		d.names.Mapped(m.Code())
	}
}

func (d *dumps) close() {
	if d.names != nil {
		d.names.Close()
	}
}

// frame returns the frame of an address at the time of a sample; nil: it is in no jitdump.
func (d *dumps) frame(at uint64, s *sampler.Sample, now int64) *pprofx.Frame {
	if !d.any() {
		return nil
	}
	place, ok := d.names.Find(at, int64(s.Time), now)
	if !ok {
		return nil
	}
	f, ok := d.frames.get(place, now)
	if !ok {
		f = &pprofx.Frame{
			Function: place.Function, File: place.File, Line: place.Line, Column: place.Column, Kind: pprofx.JIT,
			Module: place.Dump,
		}
		d.frames.put(place, f, now)
	}
	return f
}
