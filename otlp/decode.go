package otlp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

// Decode returns the snapshot in a marshalled message of Profiles. What Profiles changes stays changed: text that is
// no UTF-8, negative lines, and the tier of an inlined function, which is its caller's. The Agent's attributes become
// those of each process. The error says what is malformed; any bytes are safe.
func Decode(message []byte) (*pprofx.Snapshot, error) {
	var m profilespb.ProfilesData
	if err := proto.Unmarshal(message, &m); err != nil {
		return nil, fmt.Errorf("otlp message: %w", err)
	}
	d := newDecoder(m.Dictionary)
	if err := d.snapshot(m.ResourceProfiles); err != nil {
		return nil, fmt.Errorf("otlp message: %w", err)
	}
	return d.out, nil
}

func (d *decoder) snapshot(all []*profilespb.ResourceProfiles) error {
	for _, r := range all {
		pid, process := processOf(r.Resource.GetAttributes())
		for _, scope := range r.ScopeProfiles {
			for _, p := range scope.Profiles {
				if err := d.profile(pid, p); err != nil {
					return err
				}
				if len(p.Samples) > 0 {
					d.out.Processes[int(pid)] = process
				}
			}
		}
	}
	if d.profiles == 0 {
		return errors.New("no profile")
	}
	if d.out.Untimed {
		for i := range d.out.Rows {
			d.out.Rows[i].Time = d.out.Start
		}
	}
	slices.SortStableFunc(d.out.Rows, func(a, b pprofx.Row) int { return cmp.Compare(a.Time, b.Time) })
	return d.out.Check()
}

// profile adds the samples of a profile. All profiles of a snapshot have the same interval and losses.
func (d *decoder) profile(pid int32, p *profilespb.Profile) error {
	start, end := int64(p.TimeUnixNano), int64(p.TimeUnixNano+p.DurationNano)
	measure, err := d.measure(p.SampleType)
	if err != nil {
		return fmt.Errorf("sample type: %w", err)
	}
	if d.profiles++; d.profiles == 1 {
		d.out.Start, d.out.End, d.out.Measure, d.out.Period = start, end, measure, measure.Period(p.Period)
		if err := d.lost(p.AttributeIndices); err != nil {
			return err
		}
	}
	if start != d.out.Start || end != d.out.End {
		return fmt.Errorf("profiles of different intervals: [%d, %d) and [%d, %d)", d.out.Start, d.out.End, start, end)
	}
	if measure != d.out.Measure {
		return fmt.Errorf("profiles of %v and %v in one message", d.out.Measure, measure)
	}
	for i, s := range p.Samples {
		if err := d.sample(pid, s, p.SampleType); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
	}
	return nil
}

// measure is what the values of a profile are. Samples are of CPU time, and what has no type is taken for them.
func (d *decoder) measure(of *profilespb.ValueType) (m pprofx.Measure, err error) {
	kind, err := d.str(of.GetTypeStrindex())
	if err == nil && kind != "" && kind != "samples" {
		err = m.UnmarshalText([]byte(kind))
	}
	return m, err
}

// sample adds a row for each timestamp of a sample, or if it has none, as many as its value says.
func (d *decoder) sample(pid int32, s *profilespb.Sample, of *profilespb.ValueType) error {
	row, err := d.row(s)
	if err != nil {
		return err
	}
	row.PID = pid
	weighted, hits := d.out.Measure.Weighted(), d.out.Measure == pprofx.HitCount && len(s.Values) > 0
	if (weighted || hits) && len(s.Values) != len(s.TimestampsUnixNano) {
		return fmt.Errorf("%d values at %d times", len(s.Values), len(s.TimestampsUnixNano))
	}
	for i, t := range s.TimestampsUnixNano {
		row.Time = int64(t)
		if weighted {
			row.Weight = s.Values[i]
		}
		if hits {
			row.Others = others(s.Values[i])
		}
		d.out.Rows = append(d.out.Rows, row)
	}
	if len(s.TimestampsUnixNano) > 0 || len(s.Values) == 0 {
		return nil
	}
	return d.untimed(row, of, s.Values[0])
}

// untimed adds n rows of one sample, which has no times.
func (d *decoder) untimed(row pprofx.Row, of *profilespb.ValueType, n int64) error {
	what, err := d.str(of.GetTypeStrindex())
	if err != nil {
		return err
	}
	unit, err := d.str(of.GetUnitStrindex())
	switch {
	case err != nil:
		return err
	case what != "samples" || unit != "count":
		return fmt.Errorf("%d %s/%s and no time: not a count of samples", n, what, unit)
	case n < 0 || n > int64(pprofx.MaxRows-len(d.out.Rows)):
		return fmt.Errorf("%d times: a snapshot has at most %d samples without a time", n, pprofx.MaxRows)
	}
	d.out.Untimed = true
	d.out.Rows = append(d.out.Rows, slices.Repeat([]pprofx.Row{row}, int(n))...)
	return nil
}

func (d *decoder) row(s *profilespb.Sample) (row pprofx.Row, err error) {
	row.Stop = pprofx.StopRoot
	if row.Stack, err = d.stack(s.StackIndex); err != nil {
		return row, err
	}
	link, err := at(d.tables.LinkTable, s.LinkIndex, "link")
	if err != nil {
		return row, err
	}
	labels := labelsOf(link)
	for _, i := range s.AttributeIndices {
		a, err := d.attr(i)
		if err != nil {
			return row, err
		}
		if !d.own(&row, a) {
			labels = append(labels, label(a))
		}
	}
	row.Labels = d.labelSet(labels)
	return row, nil
}
