package main

import (
	"fmt"
	"math"
	"slices"
)

// spread is the median of some values and the range that they are in.
type spread struct{ median, min, max float64 }

// spreadOf needs at least one value.
func spreadOf(values []float64) spread {
	return spread{median(values), slices.Min(values), slices.Max(values)}
}

// median is the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// interval is an estimate and the bounds of its confidence interval.
type interval struct{ mean, low, high float64 }

// ratioInterval is the geometric mean of ratios, one for each pair of runs, with its 95 % confidence interval: that of
// Student's t for the mean of their logarithms. The pairs must be independent of each other; it needs two at least.
func ratioInterval(ratios []float64) (interval, error) {
	if len(ratios) < 2 {
		return interval{}, fmt.Errorf("%d pairs of runs have no confidence interval", len(ratios))
	}
	logs := make([]float64, len(ratios))
	for i, r := range ratios {
		if r <= 0 || math.IsInf(r, 0) || math.IsNaN(r) {
			return interval{}, fmt.Errorf("%g is no ratio of two times", r)
		}
		logs[i] = math.Log(r)
	}
	m, sd := meanDeviation(logs)
	half := student975(len(logs)-1) * sd / math.Sqrt(float64(len(logs)))
	return interval{math.Exp(m), math.Exp(m - half), math.Exp(m + half)}, nil
}

// meanDeviation is the mean of values, and their standard deviation as a sample's.
func meanDeviation(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values)-1)
	}
	return mean, math.Sqrt(deviation)
}

// student975 is the 97.5 % quantile of Student's t distribution, by degrees of freedom from 1 on: from the usual table,
// and beyond it the normal distribution's with the first terms of its expansion in 1/df.
func student975(df int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
		2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
		2.042}
	if df <= len(table) {
		return table[df-1]
	}
	const z = 1.959964
	const z3, z5 = z * z * z, z * z * z * z * z
	n := float64(df)
	return z + (z3+z)/(4*n) + (5*z5+16*z3+3*z)/(96*n*n)
}
