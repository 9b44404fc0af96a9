// Package chance tells a difference of two rates of samples from chance.
//
// Samples of a process are not independent: one long call gives a run of them, and load comes in waves. So their
// variance is estimated from slices of time, of several lengths, and the largest estimate counts. It is never less than
// that of independent samples. The interval of the ratio is then the exact one of two Poisson rates (Clopper and
// Pearson 1934, given the sum of both counts), of as many independent samples as have that variance.
//
// All functions are pure and safe for concurrent use. Slices must not be changed once they were given away.
package chance

import "math"

// Interval has the ratio of a new rate to an old one. High may be infinite.
type Interval struct{ Low, High float64 }

// Excludes reports whether a ratio is outside the interval.
func (i Interval) Excludes(ratio float64) bool { return ratio < i.Low || ratio > i.High }

// Ratio returns the interval that has the ratio of both rates with a probability of at least confidence, which is less
// than 1. It is everything from 0 on if there is nothing on both sides.
func Ratio(before, after *Amount, confidence float64) Interval {
	tail := (1 - confidence) / 2
	olds, news := before.Sum(), after.Sum()
	oldExposure, newExposure := before.Exposure.total(), after.Exposure.total()
	if olds+news == 0 || oldExposure == 0 || newExposure == 0 {
		return Interval{0, math.Inf(1)}
	}
	ofOld, ofNew := dispersions(before, after, tail)
	olds, news = olds/ofOld, news/ofNew
	// What a ratio of these counts of 1 is as a ratio of rates.
	unit := (ofNew / newExposure) / (ofOld / oldExposure)
	out := Interval{0, math.Inf(1)}
	if news > 0 {
		out.Low = odds(betaQuantile(tail, news, olds+1)) * unit
	}
	if olds > 0 {
		out.High = odds(betaQuantile(1-tail, news+1, olds)) * unit
	}
	return out
}
