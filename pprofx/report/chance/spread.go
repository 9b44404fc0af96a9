package chance

import "math"

// fewestSlices is how many slices an estimate of the variance has at least, where the recording is long enough.
const fewestSlices = 20

// spread is the estimate of a variance from slices of one length.
type spread struct {
	variance float64
	products float64 // of neighbouring residuals
	amount   float64
	freedom  int
}

// spreadOf returns the estimate from residuals: the variance of a ratio of two sums. Without any it is nothing.
func spreadOf(residuals []float64, amount float64) spread {
	if len(residuals) == 0 {
		return spread{}
	}
	s := spread{amount: amount, freedom: len(residuals) - 1}
	for i, r := range residuals {
		s.variance += r * r
		if i > 0 {
			s.products += r * residuals[i-1]
		}
	}
	return s
}

func (s spread) plus(o spread) spread {
	return spread{s.variance + o.variance, s.products + o.products, s.amount + o.amount, s.freedom + o.freedom}
}

// correlated is by how many standard errors neighbouring slices must be correlated to count as such.
const correlated = 1.5

// dispersion returns the variance by amount; for independent samples it is the weight of one. It is greater than the
// slices say where neighbours are alike, since longer ones would then vary more, and by the doubt about the estimate:
// with few slices Student's distribution is wider than the normal one. tail is the probability of being beyond the
// interval on a side.
func (s spread) dispersion(tail float64) float64 {
	if s.amount == 0 || s.freedom < 1 || s.variance == 0 {
		return 0
	}
	n := float64(s.freedom)
	d := s.variance * (n + 1) / n / s.amount
	if r := s.products/s.variance + 1/n; r > correlated/math.Sqrt(n) {
		r = min(r, 0.9)
		d *= (1 + r) / (1 - r)
	}
	wider := studentQuantile(1-tail, n) / normalQuantile(1-tail)
	return d * wider * wider
}

// dispersions returns those of both amounts, at least that of independent samples: the greatest that slices of any
// length show.
func dispersions(before, after *Amount, tail float64) (ofOld, ofNew float64) {
	ofOld, ofNew = before.Weight, after.Weight
	olds, news := before.residuals(), after.residuals()
	for len(olds)+len(news) > 0 {
		a, b := spreadOf(olds, before.Sum()), spreadOf(news, after.Sum())
		// A side with few samples of its own knows little of its variance: it is at least that of both.
		both := a.plus(b).dispersion(tail)
		ofOld, ofNew = max(ofOld, both, a.dispersion(tail)), max(ofNew, both, b.dispersion(tail))
		olds, news = inPairs(olds), inPairs(news)
	}
	return ofOld, ofNew
}

// inPairs returns the residuals of slices twice as long; none if they were too few.
func inPairs(residuals []float64) []float64 {
	if len(residuals) < 2*fewestSlices {
		return nil
	}
	out := make([]float64, (len(residuals)+1)/2)
	for i, r := range residuals {
		out[i/2] += r
	}
	return out
}
