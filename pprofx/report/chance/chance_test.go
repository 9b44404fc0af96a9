package chance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Values of printed tables: Student's distribution, and the intervals of Clopper and Pearson.
func TestQuantiles(t *testing.T) {
	for name, c := range map[string]struct{ got, want float64 }{
		"normal 0.975":         {normalQuantile(0.975), 1.95996},
		"student 0.975, 1":     {studentQuantile(0.975, 1), 12.7062},
		"student 0.975, 4":     {studentQuantile(0.975, 4), 2.77645},
		"student 0.9995, 40":   {studentQuantile(0.9995, 40), 3.55097},
		"3 of 10, low":         {betaQuantile(0.025, 3, 8), 0.06674},
		"3 of 10, high":        {betaQuantile(0.975, 4, 7), 0.65245},
		"0 of 10, high":        {betaQuantile(0.975, 1, 10), 0.30850},
		"uniform":              {betaQuantile(0.3, 1, 1), 0.3},
		"many, about a normal": {betaQuantile(0.975, 50_000, 50_000), 0.5 + 1.95996*math.Sqrt(0.25/100_001)},
	} {
		if math.Abs(c.got-c.want) > 2e-5*math.Max(1, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// process makes samples: of so many slices, of 25 ticks each, what a function has.
type process func(r *rand.Rand, slices int) []float64

// independent is a function that each tick hits with a probability.
func independent(p float64) process {
	return func(r *rand.Rand, slices int) []float64 {
		out := make([]float64, slices)
		for i := range out {
			for range 25 {
				if r.Float64() < p {
					out[i]++
				}
			}
		}
		return out
	}
}

// runs is a function whose calls last for many ticks, so many on the average, with a share p of all ticks.
func runs(p, length float64) process {
	return func(r *rand.Rand, slices int) []float64 {
		out := make([]float64, slices)
		in := r.Float64() < p
		for i := range out {
			for range 25 {
				switch {
				case in:
					out[i]++
					in = r.Float64() >= 1/length
				default:
					in = r.Float64() < p/(1-p)/length
				}
			}
		}
		return out
	}
}

// waves is a function whose share of the ticks changes slowly, around p.
func waves(p float64) process {
	return func(r *rand.Rand, slices int) []float64 {
		out, load := make([]float64, slices), r.NormFloat64()
		for i := range out {
			load = 0.95*load + math.Sqrt(1-0.95*0.95)*r.NormFloat64()
			now := p * math.Exp(0.4*load-0.08)
			for range 25 {
				if r.Float64() < now {
					out[i]++
				}
			}
		}
		return out
	}
}

func amount(counts []float64) *Amount {
	seconds := make([]float64, len(counts))
	a := &Amount{Weight: 1}
	for i, n := range counts {
		seconds[i] = 0.25
		if n > 0 {
			a.Points = append(a.Points, Point{int32(i), n})
		}
	}
	a.Exposure = seconds
	return a
}

// Of two recordings of the same process few intervals lack 1, however its samples hang together. Waves as long as the
// recording cannot be told from a change.
func TestSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, of := range map[string]process{
		"independent":   independent(0.1),
		"rare":          independent(0.002),
		"runs of 5":     runs(0.2, 5),
		"runs of 40":    runs(0.2, 40),
		"rare and long": runs(0.01, 30),
		"waves":         waves(0.3),
	} {
		for _, slices := range [][2]int{{40, 40}, {240, 240}, {40, 960}} {
			if name == "waves" && slices[1] == 40 {
				continue
			}
			for confidence, most := range map[float64]int{0.95: 28, 0.999: 4} {
				wrong, trials := 0, 400
				for range trials {
					a, b := amount(of(r, slices[0])), amount(of(r, slices[1]))
					if Ratio(a, b, confidence).Excludes(1) {
						wrong++
					}
				}
				if wrong > most {
					t.Errorf("%s, %v slices, %v: %d of %d, at most %d", name, slices, confidence, wrong, trials, most)
				}
			}
		}
	}
}

// Intervals have the true ratio, and are narrow enough to be of use.
func TestRatio(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const trials = 300
	held, seen := 0, 0
	for range trials {
		i := Ratio(amount(independent(0.3)(r, 240)), amount(independent(0.36)(r, 240)), 0.999)
		if !i.Excludes(1.2) {
			held++
		}
		if i.Low > 1 {
			seen++
		}
	}
	if held < trials-3 || seen < trials*9/10 {
		t.Errorf("of %d: %d have the ratio, %d exclude 1", trials, held, seen)
	}
}

// A rate that samples of another weight show is the same.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	wrong := 0
	for range 300 {
		a, b := amount(independent(0.3)(r, 100)), amount(independent(0.03)(r, 100))
		b.Weight = 10
		for i := range b.Points {
			b.Points[i].Amount *= 10
		}
		if Ratio(a, b, 0.95).Excludes(1) {
			wrong++
		}
	}
	if wrong > 20 {
		t.Errorf("%d of 300", wrong)
	}
}

// Slices in which nothing ran, so that there is no share, do not make an interval narrower.
func TestIdleSlices(t *testing.T) {
	shares := func(idle int) *Amount {
		a := &Amount{Weight: 1, Points: []Point{{0, 12}, {1, 3}, {2, 22}, {3, 8}}, Exposure: Exposure{40, 40, 40, 40}}
		a.Exposure = append(a.Exposure, make([]float64, idle)...)
		return a
	}
	if a, b := Ratio(shares(0), shares(0), 0.95), Ratio(shares(200), shares(200), 0.95); a != b || a.High < 2 {
		t.Errorf("%v without idle slices, %v with them", a, b)
	}
}

func TestNothing(t *testing.T) {
	none, some := amount(make([]float64, 40)), amount(slices.Repeat([]float64{5}, 40))
	if i := Ratio(none, none, 0.95); i.Low != 0 || !math.IsInf(i.High, 1) {
		t.Errorf("nothing: %v", i)
	}
	if i := Ratio(none, some, 0.95); i.Low < 30 || !math.IsInf(i.High, 1) {
		t.Errorf("new: %v", i)
	}
	if i := Ratio(some, none, 0.95); i.Low != 0 || i.High > 0.03 {
		t.Errorf("gone: %v", i)
	}
	if i := Ratio(&Amount{Weight: 1}, some, 0.95); i.Excludes(1) {
		t.Errorf("of no length: %v", i)
	}
	one := amount([]float64{0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	if i := Ratio(amount(make([]float64, 20)), one, 0.95); i.Excludes(1) {
		t.Errorf("one long call is one event: %v", i)
	}
}
