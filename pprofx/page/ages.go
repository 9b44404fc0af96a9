package page

import (
	"math"

	"github.com/hotspan/hotspan/pprofx"
)

// ageOf returns how old a sample's request was, in whole milliseconds and counted from 1; 0 if that is not known.
// Rounded down they tell whether it was at least so many milliseconds old, as report --older does. What began after its
// sample, because a clock was set, has the age 0, and none is above 24 days: the page reads 32 bits.
func ageOf(r *pprofx.Row) int32 {
	if r.Start == 0 {
		return 0
	}
	return 1 + int32(min(max(0, (r.Time-r.Start)/1e6), math.MaxInt32-1))
}
