package report

// covered is when snapshots were taken, in whatever order they come: intervals that do not touch, sorted. Recordings of
// several services overlap, and where the clock was set back a later one has the earlier time.
type covered [][2]int64

func (c covered) add(start, end int64) covered {
	n := len(c)
	end = max(start, end)            // the clock may have been set back meanwhile
	if n > 0 && c[n-1][1] == start { // as most do
		c[n-1][1] = end
		return c
	}
	var out covered
	for _, of := range c {
		switch {
		case of[1] < start:
			out = append(out, of)
		case of[0] > end:
			out = append(out, [2]int64{start, end})
			start, end = of[0], of[1]
		default:
			start, end = min(start, of[0]), max(end, of[1])
		}
	}
	return append(out, [2]int64{start, end})
}

// gaps returns for how long there is nothing between the intervals.
func (c covered) gaps() (sum int64) {
	for i := 1; i < len(c); i++ {
		sum += c[i][0] - c[i-1][1]
	}
	return sum
}
