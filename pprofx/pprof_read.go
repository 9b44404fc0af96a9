package pprofx

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/google/pprof/profile"
)

// Limits of what is read, in bytes without gzip, and in frames of all distinct stacks: a few bytes can name a location
// many times.
const (
	maxPprof       = 512 << 20
	maxPprofFrames = 1 << 24
)

// ReadPprof reads a profile.proto, gzipped or not, as an Untimed snapshot. Of what WritePprof writes, times, CPUs, stop
// reasons, tiers, and where a process's executable and container are, are not in the file. Labels keep the names that
// they have in it.
//
// Profiles of other tools are read if they say how much CPU time a sample stands for: the sample type cpu/nanoseconds,
// or a count of samples and the period type cpu/nanoseconds. There a frame is JavaScript if its file is, of the kernel
// if its mapping is, else native. If samples stand for different times, the period of the profile counts, and each
// stack has its time to a period; more than MaxRows samples are lost with the reason LostFull.
//
// The error says what is malformed or missing; any bytes are safe.
func ReadPprof(from io.Reader) (*Snapshot, error) {
	data, err := unzip(from, maxPprof)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, err
	}
	w, err := newPprofWeights(p)
	if err != nil {
		return nil, err
	}
	if p.TimeNanos < 0 || p.DurationNanos < 0 || p.DurationNanos > math.MaxInt64-p.TimeNanos {
		return nil, fmt.Errorf("%d ns from %d ns on is no time", p.DurationNanos, p.TimeNanos)
	}
	d := newPprofDecoder(&Snapshot{
		Start: p.TimeNanos, End: p.TimeNanos + p.DurationNanos, Period: w.period, Untimed: true,
		Processes: map[int]Process{}, Lost: map[LostReason]int64{},
	})
	readPprofComments(p.Comments, d.out)
	for _, s := range p.Sample {
		rows, err := w.rows(s)
		if err == nil {
			err = d.add(s, rows)
		}
		if err != nil {
			return nil, err
		}
	}
	return d.snapshot(), nil
}

// unzip returns all of a file, of at most so many bytes.
func unzip(from io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if err == nil && bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(io.LimitReader(unpacked, int64(limit)+1))
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(data) > limit:
		return nil, fmt.Errorf("a profile of more than %d bytes", limit)
	}
	return data, nil
}

// pprofDecoder makes rows of samples. Each function and each stack is decoded once.
type pprofDecoder struct {
	out     *Snapshot
	tables  *tables
	frames  map[*profile.Location][]*Frame
	stacks  map[string]int32 // by the ids of locations
	decoded int              // frames of all stacks
	key     []byte           // scratch
}

func newPprofDecoder(s *Snapshot) *pprofDecoder {
	return &pprofDecoder{out: s, tables: newTables(MaxFrames, MaxStacks, MaxLabelSets),
		frames: map[*profile.Location][]*Frame{}, stacks: map[string]int32{}}
}

// add adds a sample as so many rows.
func (d *pprofDecoder) add(s *profile.Sample, rows int64) error {
	stack, err := d.stack(s.Location)
	if err != nil {
		return err
	}
	row, labels := readPprofLabels(s, d.tables)
	row.Time, row.Stack, row.Labels, row.Stop = d.out.Start, stack, d.tables.labelSet(labels), StopUnknown
	room := int64(MaxRows - len(d.out.Rows))
	if rows > room {
		d.out.Lost[LostFull] += rows - room
		rows = room
	}
	for range rows {
		d.out.Rows = append(d.out.Rows, row)
	}
	return nil
}

func (d *pprofDecoder) stack(locations []*profile.Location) (int32, error) {
	d.key = d.key[:0]
	for _, l := range locations {
		d.key = binary.AppendUvarint(d.key, l.ID)
	}
	if i, ok := d.stacks[string(d.key)]; ok {
		return i, nil
	}
	key := string(d.key)
	var stack []*Frame
	for _, l := range locations {
		of, ok := d.frames[l]
		if !ok {
			of = readPprofLocation(l)
			d.frames[l] = of
		}
		if d.decoded += len(of); d.decoded > maxPprofFrames {
			return 0, fmt.Errorf("more than %d frames in all stacks", maxPprofFrames)
		}
		stack = append(stack, of...)
	}
	i := d.tables.stack(stack)
	d.stacks[key] = i
	return i, nil
}

// snapshot returns what was read. Only processes with samples are in it.
func (d *pprofDecoder) snapshot() *Snapshot {
	s, t := d.out, d.tables
	s.Frames, s.Stacks, s.LabelSets, s.Threads = t.frames, t.stacks, t.labels, t.threads
	return s.with(s.Rows, s.LabelSets)
}

// pprofWeights says how many rows a sample is.
type pprofWeights struct {
	count, cpu int // indices of the values, or absent
	period     int64
	time, read int64 // CPU time of the samples so far, and their rows
}

var errOverflow = errors.New("samples of more CPU time than 292 years")

func newPprofWeights(p *profile.Profile) (*pprofWeights, error) {
	w := &pprofWeights{count: absent, cpu: absent}
	types := ""
	for i, t := range p.SampleType {
		types += fmt.Sprintf(" %.40q/%.40q", t.Type, t.Unit)
		switch {
		case t.Type == "cpu" && t.Unit == "nanoseconds":
			w.cpu = i
		case (t.Type == "samples" || t.Type == "sample") && t.Unit == "count":
			w.count = i
		}
	}
	if t := p.PeriodType; t != nil && t.Type == "cpu" && t.Unit == "nanoseconds" {
		w.period = p.Period
	}
	if w.period < 1 && w.cpu != absent && w.count != absent {
		w.period = meanPeriod(p, w)
	}
	if w.period < 1 || w.cpu == absent && w.count == absent {
		return nil, fmt.Errorf("a profile that does not say which CPU time its samples stand for: of%.200s", types)
	}
	return w, nil
}

// meanPeriod returns the CPU time of a sample; 0 if there is none.
func meanPeriod(p *profile.Profile, w *pprofWeights) int64 {
	var time, n float64
	for _, s := range p.Sample {
		time += float64(s.Value[w.cpu])
		n += float64(s.Value[w.count])
	}
	if mean := math.Round(time / n); mean >= 1 && mean < math.MaxInt64 {
		return int64(mean)
	}
	return 0
}

// rows returns how many rows a sample is. What does not make a whole one counts for the samples that follow.
func (w *pprofWeights) rows(s *profile.Sample) (int64, error) {
	var time int64
	if w.cpu != absent {
		time = s.Value[w.cpu]
	} else if n := s.Value[w.count]; n > math.MaxInt64/w.period {
		return 0, errOverflow
	} else {
		time = n * w.period
	}
	switch {
	case time < 0:
		return 0, errors.New("a sample with less than no CPU time, as in a profile of differences")
	case time > math.MaxInt64-w.period-w.time:
		return 0, errOverflow
	}
	w.time += time
	rows := (w.time+w.period/2)/w.period - w.read
	w.read += rows
	return rows, nil
}
