package jsonl

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// maxLine bounds a line, in bytes: a stack has at most 16,384 frames.
const maxLine = 64 << 20

// Reader reads the snapshots of a file of JSON lines. It is not safe for concurrent use.
type Reader struct {
	lines *bufio.Scanner
	read  int // lines
}

// NewReader returns a Reader of a file that a Writer has written. What the lines lack the snapshots lack too: units of
// labels, and build ids.
func NewReader(from io.Reader) *Reader {
	r := &Reader{lines: bufio.NewScanner(from)}
	r.lines.Buffer(nil, maxLine)
	return r
}

// Next returns the next snapshot, or io.EOF after the last. io.ErrUnexpectedEOF means that the last is cut off. Other
// errors name the line; any bytes are safe.
func (r *Reader) Next() (*pprofx.Snapshot, error) {
	first, err := r.line()
	switch {
	case err != nil:
		return nil, err
	case first.Snapshot == nil && first.Stack == nil:
		return nil, r.failed(errors.New("neither a sample nor a snapshot: no JSON lines of hotspan's; files " +
			"for viewers cannot be read again"))
	case first.Snapshot == nil:
		return nil, r.failed(errors.New("no snapshot, of which this sample is: a version of hotspan that did not " +
			"write what a sample stands for, or not the whole file"))
	}
	s, err := first.Snapshot.snapshot()
	if err != nil {
		return nil, r.failed(fmt.Errorf("snapshot: %w", err))
	}
	d := newDecoder(s)
	for i := range first.Snapshot.Samples {
		sample := first
		if i > 0 {
			if sample, err = r.line(); errors.Is(err, io.EOF) {
				return nil, io.ErrUnexpectedEOF
			} else if err != nil {
				return nil, err
			}
		}
		if i > 0 && sample.Snapshot != nil {
			return nil, r.failed(fmt.Errorf("a snapshot begins, but %d samples of the one before are missing",
				first.Snapshot.Samples-i))
		}
		if err := d.add(sample); err != nil {
			return nil, r.failed(err)
		}
	}
	return d.snapshot(), nil
}

// failed adds the number of the line that was read last.
func (r *Reader) failed(err error) error { return fmt.Errorf("line %d: %w", r.read, err) }

// line returns the next line.
func (r *Reader) line() (*line, error) {
	if !r.lines.Scan() {
		err := r.lines.Err()
		if err == nil {
			return nil, io.EOF
		}
		if r.read++; errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("more than %d bytes", maxLine)
		}
		return nil, r.failed(err)
	}
	r.read++
	var sample line
	err := json.Unmarshal(r.lines.Bytes(), &sample)
	if err == nil {
		return &sample, nil
	}
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) && syntax.Offset >= int64(len(r.lines.Bytes())) &&
		!r.lines.Scan() && r.lines.Err() == nil {
		return nil, io.ErrUnexpectedEOF
	}
	return nil, r.failed(err)
}

// line is a line.
type line struct {
	Time     *int64            `json:"t"`
	PID      int32             `json:"pid"`
	TID      int32             `json:"tid"`
	Thread   string            `json:"thread"`
	CPU      uint16            `json:"cpu"`
	State    pprofx.State      `json:"state"`
	Labels   json.RawMessage   `json:"labels"`
	Start    int64             `json:"start"`
	Weight   int64             `json:"weight"`
	Hits     *int32            `json:"hits"`
	Turn     uint32            `json:"turn"`
	Stop     pprofx.StopReason `json:"stop"`
	Stack    json.RawMessage   `json:"stack"`
	Snapshot *header           `json:"snapshot"`
}

// decoder makes rows of lines. Equal stacks and equal labels are decoded once.
type decoder struct {
	out            *pprofx.Snapshot
	tables         *pprofx.Tables
	stacks, labels map[string]int32 // by text
}

func newDecoder(s *pprofx.Snapshot) *decoder {
	return &decoder{s, pprofx.NewTables(), map[string]int32{}, map[string]int32{"": 0}}
}

func (d *decoder) add(j *line) (err error) {
	row := pprofx.Row{Time: d.out.Start, Start: j.Start, Weight: j.Weight, PID: j.PID, TID: j.TID,
		Thread: d.tables.Thread(j.Thread), Turn: j.Turn, CPU: j.CPU, State: j.State, Stop: j.Stop}
	if row.Stack, err = find(d.stacks, j.Stack, d.stack); err != nil {
		return err
	}
	if row.Labels, err = find(d.labels, j.Labels, d.labelSet); err != nil {
		return err
	}
	if j.Hits != nil {
		row.Others = max(*j.Hits, -1) - 1 // Check refuses what is below 0
	}
	if j.Time != nil {
		row.Time = *j.Time
	}
	untimed := j.Time == nil
	if len(d.out.Rows) > 0 && untimed != d.out.Untimed {
		return errors.New("t: some samples of a snapshot have one, others do not")
	}
	d.out.Untimed = untimed
	d.out.Rows = append(d.out.Rows, row)
	return nil
}

// find returns what a text was decoded to, and decodes it if it is new.
func find(known map[string]int32, text []byte, decode func([]byte) (int32, error)) (int32, error) {
	i, ok := known[string(text)]
	if ok {
		return i, nil
	}
	i, err := decode(text)
	if err == nil {
		known[string(text)] = i
	}
	return i, err
}

func (d *decoder) stack(text []byte) (int32, error) {
	var all []frame
	if err := json.Unmarshal(text, &all); err != nil || all == nil {
		return 0, fmt.Errorf("no stack: %w", cmp.Or(err, errors.New("null")))
	}
	stack := make([]*pprofx.Frame, len(all))
	for i := range all {
		f, err := all[i].frame()
		if err != nil {
			return 0, fmt.Errorf("frame %d: %w", i, err)
		}
		stack[i] = f
	}
	return d.tables.Stack(stack), nil
}

func (d *decoder) labelSet(text []byte) (int32, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return 0, fmt.Errorf("labels: %w", err)
	}
	labels, err := labelsOf(object)
	return d.tables.LabelSet(labels), err
}

// frame is the reverse of newFrame.
func (j *frame) frame() (*pprofx.Frame, error) {
	f := &pprofx.Frame{
		Function: j.Function, File: j.File, Line: j.Line, Column: j.Column, Inlined: j.Inlined, Module: j.Module,
	}
	if f.Function == "" {
		return nil, errors.New("no function f")
	}
	err := errors.Join(f.Kind.UnmarshalText([]byte(j.Kind)), f.Tier.UnmarshalText([]byte(j.Tier)))
	if err == nil && j.Address != "" {
		f.Address, err = strconv.ParseUint(j.Address, 0, 64)
	}
	return f, err
}

func (d *decoder) snapshot() *pprofx.Snapshot {
	s, t := d.out, d.tables
	t.Fill(s)
	slices.SortStableFunc(s.Rows, func(a, b pprofx.Row) int { return cmp.Compare(a.Time, b.Time) })
	return s
}
