package analysis

import (
	"math"

	"github.com/hotspan/hotspan/pprofx/report"
)

// A trace has enough samples to see what it did if it has so many. The highest rate that is suggested is one that
// services bear.
const (
	enoughSamples = 100
	highestRate   = 999
)

// suggestedRate is one at which a trace like that would have about so many samples.
type suggestedRate struct {
	Rate    int64 `json:"rate"`
	Samples int64 `json:"samples"`
}

// suggestRate returns nil if a trace has enough samples, or the rate is high already.
func suggestRate(of report.FoundTrace) *suggestedRate {
	now := rateOf(of.Period)
	if of.Samples >= enoughSamples || now >= highestRate {
		return nil
	}
	rate := math.Min(highestRate, math.Ceil(now*enoughSamples/float64(of.Samples)))
	return &suggestedRate{int64(rate), int64(math.Round(float64(of.Samples) * rate / now))}
}

// rateOf returns samples per second.
func rateOf(period int64) float64 { return math.Round(1e9 / float64(max(period, 1))) }
