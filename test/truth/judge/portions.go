package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hotspan/hotspan/test/truth"
)

// Spent adds up the CPU time of the intervals of a log between the first and the last sample, by a name of each.
func Spent(samples []Sample, l *truth.Log, name func(truth.Interval) string) map[string]float64 {
	out := map[string]float64{}
	if len(samples) == 0 {
		return out
	}
	first, last := samples[0].Mono(l), samples[len(samples)-1].Mono(l)
	for _, i := range l.Intervals {
		if i.Start >= first && i.End <= last {
			out[name(i)] += float64(i.CPU)
		}
	}
	return out
}

// Counted counts samples by a name of each. It leaves out those with an empty name.
func Counted(samples []Sample, name func(*Sample) string) map[string]int {
	out := map[string]int{}
	for i := range samples {
		if n := name(&samples[i]); n != "" {
			out[n]++
		}
	}
	return out
}

// Portions compares portions of the samples with portions of the CPU time. It returns a sentence for each difference of
// more than 4·√(p(1−p)/n) + 1 %, where p is the portion of the CPU time and n the number of samples.
func Portions(counted map[string]int, spent map[string]float64) (wrong []string, n int) {
	all := 0.0
	for _, v := range spent {
		all += v
	}
	for _, c := range counted {
		n += c
	}
	for name := range counted {
		if _, ok := spent[name]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %d samples, but no CPU time", name, counted[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(spent)) {
		want, got := spent[name]/all, float64(counted[name])/float64(n)
		if bound := 4*math.Sqrt(want*(1-want)/float64(n)) + 0.01; !(math.Abs(got-want) <= bound) {
			wrong = append(wrong,
				fmt.Sprintf("%s: %.4f of the samples, want %.4f ± %.4f, its portion of the CPU time", name, got, want,
					bound))
		}
	}
	return wrong, n
}
