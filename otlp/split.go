package otlp

import (
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

// Messages returns s as marshalled messages of Profiles, of which all together have every row once. c says by which
// Agent, and whether there is a profile for each value of a label. No message is larger than c.MaxMessage, unless it is
// of a single row. The error is that of s.Check.
func Messages(s *pprofx.Snapshot, c Config) ([][]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	c.setDefaults()
	var all [][]byte
	for _, m := range messages(s, c.Agent, processes(s, c.ProfilePer), c.MaxMessage) {
		message, err := proto.Marshal(m)
		if err != nil {
			return nil, err
		}
		all = append(all, message)
	}
	return all, nil
}

// messages encodes s as one message, or as several if one would be larger than limit bytes: split first by process,
// then by time within a process. Each message has its own dictionary, and together they have every row once. A message
// of one row may exceed the limit.
func messages(s *pprofx.Snapshot, by Agent, all []process, limit int) []*profilespb.ProfilesData {
	whole := encode(s, by, all)
	if proto.Size(whole) <= limit {
		return []*profilespb.ProfilesData{whole}
	}
	a, b := halve(all)
	if len(b) == 0 {
		return []*profilespb.ProfilesData{whole}
	}
	return append(messages(s, by, a, limit), messages(s, by, b, limit)...)
}

// halve splits the rows into two parts of about the same size. b is empty if there is at most one row.
func halve(all []process) (a, b []process) {
	if len(all) == 0 {
		return nil, nil
	}
	if len(all) == 1 {
		half := (len(all[0].rows) + 1) / 2
		first, second := all[0], all[0]
		first.rows, second.rows = first.rows[:half], second.rows[half:]
		if len(second.rows) == 0 {
			return all, nil
		}
		return []process{first}, []process{second}
	}
	total, sum, cut := 0, 0, 0
	for _, p := range all {
		total += len(p.rows)
	}
	for sum < total/2 && cut < len(all)-1 {
		sum += len(all[cut].rows)
		cut++
	}
	return all[:cut], all[cut:]
}
