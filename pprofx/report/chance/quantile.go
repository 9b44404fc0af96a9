package chance

import "math"

// normalQuantile returns the value below which the standard normal distribution lies with probability p.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// studentQuantile does so for Student's distribution, for p > 1/2.
func studentQuantile(p, freedom float64) float64 {
	// t² ÷ (freedom + t²) has a beta distribution.
	x := betaQuantile(2*p-1, 0.5, freedom/2)
	return math.Sqrt(freedom * odds(x))
}

// betaQuantile returns the value below which the beta distribution lies with probability p, by bisection.
func betaQuantile(p, a, b float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		middle := (low + high) / 2
		if betaCDF(middle, a, b) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// betaCDF is the regularized incomplete beta function, for a, b > 0 and 0 < x < 1 (NIST's Digital Library of
// Mathematical Functions, 8.17.22, a continued fraction that converges fast below the mean).
func betaCDF(x, a, b float64) float64 {
	if x > (a+1)/(a+b+2) {
		return 1 - betaCDF(1-x, b, a)
	}
	ab, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	front := math.Exp(ab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	return front / betaFraction(x, a, b)
}

// betaFraction evaluates the continued fraction 1 + d1/(1 + d2/(1 + …)) of betaCDF by Lentz's method.
func betaFraction(x, a, b float64) float64 {
	const tiny, precise = 1e-300, 1e-14
	f, c, d := 1.0, 1.0, 0.0
	for i := 1; i < 10_000; i++ {
		m := float64(i / 2)
		term := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		if i%2 == 0 {
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		}
		if d = 1 + term*d; math.Abs(d) < tiny {
			d = tiny
		}
		if c = 1 + term/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if math.Abs(c*d-1) < precise {
			break
		}
	}
	return f
}

func odds(p float64) float64 { return p / (1 - p) }
