package main

import (
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{9, 1, 2}, spread{2, 1, 9}},
		{[]float64{4, 1, 3, 2}, spread{2.5, 1, 4}},
	} {
		if got := spreadOf(c.values); got != c.want {
			t.Errorf("spread of %v is %v, want %v", c.values, got, c.want)
		}
	}
}

// TestRatioInterval: the logarithms of the ratios are 0, 0.1 and 0.2; their mean is 0.1 and their standard deviation
// 0.1, so the bounds are exp(0.1 ± 4.303 × 0.1 / √3).
func TestRatioInterval(t *testing.T) {
	got, err := ratioInterval([]float64{1, math.Exp(0.1), math.Exp(0.2)})
	if err != nil {
		t.Fatal(err)
	}
	want := interval{1.10517, 0.86206, 1.41685}
	for _, d := range []float64{got.mean - want.mean, got.low - want.low, got.high - want.high} {
		if math.Abs(d) > 0.0001 {
			t.Fatalf("interval %v, want %v", got, want)
		}
	}
	if got, err := ratioInterval([]float64{2, 2}); err != nil || math.Abs(got.high-got.low) > 1e-9 {
		t.Errorf("two equal ratios: %v, %v; want no width", got, err)
	}
	for _, bad := range [][]float64{nil, {1}, {1, 0}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if got, err := ratioInterval(bad); err == nil {
			t.Errorf("ratios %v: %v, want an error", bad, got)
		}
	}
}

// TestStudent compares with values that statistics books print.
func TestStudent(t *testing.T) {
	for df, want := range map[int]float64{1: 12.706, 7: 2.365, 30: 2.042, 40: 2.021, 60: 2.000, 120: 1.980} {
		if got := student975(df); math.Abs(got-want) > 0.0015 {
			t.Errorf("%d degrees of freedom: %.4f, want %.3f", df, got, want)
		}
	}
}
