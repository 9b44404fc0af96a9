package page

// part is a recording of a Comparison. Times are those on the page, in microseconds.
type part struct {
	Name       string
	Start, End int64
	Later      int64 // what is to be added to its times
}
