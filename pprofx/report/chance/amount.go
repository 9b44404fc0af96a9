package chance

// Exposure is what the amounts of a recording are compared with, in each of its consecutive slices of time. They have
// the same length but for the last. It is their seconds, if amounts are per second; or the amount of all, if they are
// shares of it.
type Exposure []float64

func (e Exposure) total() (sum float64) {
	for _, t := range e {
		sum += t
	}
	return sum
}

// Point is an amount in a slice of time.
type Point struct {
	Slice  int32 // index into the exposure
	Amount float64
}

// Amount is how much there was of something in a recording.
type Amount struct {
	Exposure Exposure
	Weight   float64 // the amount that one sample stands for; more than 0
	Points   []Point // in the order of slices, each slice once; slices without one have nothing
}

// Sum returns the amount of all slices.
func (a *Amount) Sum() float64 {
	var sum float64
	for _, p := range a.Points {
		sum += p.Amount
	}
	return sum
}

// Rate returns the amount per exposure; 0 if there is none.
func (a *Amount) Rate() float64 {
	if total := a.Exposure.total(); total > 0 {
		return a.Sum() / total
	}
	return 0
}

// residuals returns what each slice has more or less than its exposure lets expect. Slices without any say nothing.
func (a *Amount) residuals() []float64 {
	out, rate := make([]float64, len(a.Exposure)), a.Rate()
	for i, t := range a.Exposure {
		out[i] = -rate * t
	}
	for _, p := range a.Points {
		out[p.Slice] += p.Amount
	}
	kept := out[:0]
	for i, r := range out {
		if a.Exposure[i] > 0 {
			kept = append(kept, r)
		}
	}
	return kept
}
