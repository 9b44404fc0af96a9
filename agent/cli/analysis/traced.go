package analysis

import "github.com/hotspan/hotspan/pprofx/report"

// traced is what recordings have of a trace.
type traced struct {
	ID         string           `json:"id"`
	Route      string           `json:"route,omitempty"` // with most samples
	First      int64            `json:"first"`           // Unix time in nanoseconds, of samples
	Last       int64            `json:"last"`
	Samples    int64            `json:"samples"`
	CPU        float64          `json:"cpu"`                  // in seconds
	Lost       map[string]int64 `json:"lost"`                 // by reason, in the snapshots of that time
	WithoutIDs int64            `json:"withoutIds,omitempty"` // samples of that time that may belong to it
	Suggested  *suggestedRate   `json:"suggested,omitempty"`
	Lanes      []report.Lane    `json:"lanes"`
	Reports    []*report.Report `json:"reports"` // of its samples, one for each sampling period

	from, to int64 // the time of the lanes
}
