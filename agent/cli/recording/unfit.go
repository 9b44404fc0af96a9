package recording

import (
	"fmt"

	"github.com/hotspan/hotspan/pprofx"
)

// TakeCPUTime says how to show the CPU time of a recording that has more.
const TakeCPUTime = "--measure cpu chooses CPU time, also for hotspan convert"

// unfitError says why a recording cannot be used for what it is read for.
type unfitError string

func (e unfitError) Error() string { return string(e) }

// RequireTimes returns an error if the times of a snapshot's samples are not known.
func RequireTimes(s *pprofx.Snapshot, what string) error {
	if s.Untimed {
		return unfitError(what + " needs the time of each sample, which pprof files do not have")
	}
	return nil
}

// requireCPUTime returns an error if a snapshot's samples are of something else.
func requireCPUTime(s *pprofx.Snapshot) error {
	if s.Measure == pprofx.CPUTime {
		return nil
	}
	return unfitError(fmt.Sprintf("its samples measure %v, and only CPU time can be shown here: hotspan report shows "+
		"them; of a recording that has both, %s", s.Measure, TakeCPUTime))
}
