package pprof

import (
	"fmt"
	"io"
	"maps"
	"math"

	"github.com/hotspan/hotspan/pprofx"
)

// maxFrames limits the frames of all distinct stacks: a few bytes can name a location many times.
const maxFrames = 1 << 24

// Read reads a profile.proto, gzipped or not, as an Untimed snapshot. Of what Write writes, times, CPUs, stop
// reasons, tiers, and where a process's executable and container are, are not in the file. Labels keep the names that
// they have in it.
//
// Profiles of other tools are read if they say how much CPU time a sample stands for: the sample type cpu/nanoseconds,
// or a count of samples and the period type cpu/nanoseconds. There a frame is JavaScript if its file is, of the kernel
// if its mapping is, else native. If samples stand for different times, the period of the profile counts, and each
// stack has its time to a period; more than MaxRows samples are lost with the reason LostFull.
//
// The error says what is malformed or missing; any bytes are safe.
func Read(from io.Reader) (*pprofx.Snapshot, error) {
	in, err := unzipped(from, maxBytes)
	if err != nil {
		return nil, err
	}
	m, err := readMessage(in)
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("no profile, or a damaged one: %w", err)
	}
	w, err := newWeights(m)
	if err != nil {
		return nil, err
	}
	if m.time < 0 || m.duration < 0 || m.duration > math.MaxInt64-m.time {
		return nil, fmt.Errorf("%d ns from %d ns on is no time", m.duration, m.time)
	}
	return newDecoder(m).snapshot(w)
}

// decoder makes rows of samples. Each location and each stack is decoded once.
type decoder struct {
	m       *message
	out     *pprofx.Snapshot
	tables  *pprofx.Tables
	frames  map[uint64][]*pprofx.Frame // by the ids of locations
	stacks  []int32                    // by number in the message, or absent
	decoded int                        // frames of all stacks
	stack   []*pprofx.Frame            // scratch
	labels  labelReader
}

func newDecoder(m *message) *decoder {
	t := pprofx.NewTables()
	return &decoder{
		m: m, tables: t, labels: labelReader{texts: m.strings, tables: t},
		out: &pprofx.Snapshot{
			Start: m.time, End: m.time + m.duration, Untimed: true,
			Processes: map[int]pprofx.Process{}, Lost: map[pprofx.LostReason]int64{},
		},
		frames: map[uint64][]*pprofx.Frame{}, stacks: allAbsent(m.stacks.len()),
	}
}

// snapshot returns what was read. Only processes with samples are in it.
func (d *decoder) snapshot(w *weights) (*pprofx.Snapshot, error) {
	s, t := d.out, d.tables
	s.Period = w.period
	readComments(d.m, s)
	s.Rows = make([]pprofx.Row, 0, min(len(d.m.samples), pprofx.MaxRows))
	for i, sample := range d.m.samples {
		d.m.labels.forget(i)
		rows, err := w.rows(d.m.values.at(int(sample.values)))
		if err == nil {
			err = d.add(i, sample.stack, rows)
		}
		if err != nil {
			return nil, err
		}
	}
	t.Fill(s)
	sampled := map[int]bool{}
	for i := range s.Rows {
		sampled[int(s.Rows[i].PID)] = true
	}
	maps.DeleteFunc(s.Processes, func(pid int, _ pprofx.Process) bool { return !sampled[pid] })
	return s, nil
}

// add adds a sample as so many rows.
func (d *decoder) add(sample int, stack int32, rows int64) error {
	if room := int64(pprofx.MaxRows - len(d.out.Rows)); rows > room {
		d.out.Lost[pprofx.LostFull] += rows - room
		rows = room
	}
	if rows == 0 {
		return nil
	}
	row, labels := d.labels.read(d.m.labels.at(sample))
	row.Time, row.Stop, row.Labels = d.out.Start, pprofx.StopUnknown, d.tables.LabelSet(labels)
	var err error
	if row.Stack, err = d.stackOf(stack); err != nil {
		return err
	}
	for range rows {
		d.out.Rows = append(d.out.Rows, row)
	}
	return nil
}

// stackOf returns the number of a stack of the message.
func (d *decoder) stackOf(i int32) (int32, error) {
	if d.stacks[i] != absent {
		return d.stacks[i], nil
	}
	d.stack = d.stack[:0]
	for id := range varintsOf(d.m.stacks.at(int(i))) {
		of, ok := d.frames[id]
		if !ok {
			of = d.m.framesOf(findID(d.m.locations, id))
			d.frames[id] = of
		}
		if d.decoded += len(of); d.decoded > maxFrames {
			return 0, fmt.Errorf("more than %d frames in all stacks", maxFrames)
		}
		d.stack = append(d.stack, of...)
	}
	d.stacks[i] = d.tables.Stack(d.stack)
	return d.stacks[i], nil
}
