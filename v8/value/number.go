package value

import (
	"math"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
)

// float is the number that a word's bits are.
func float(bits heap.Word) float64 { return math.Float64frombits(uint64(bits)) }

// Number writes a number as JavaScript does. (ECMA-262, Number::toString; util.inspect tells -0 from 0)
func Number(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0 && math.Signbit(f):
		return "-0"
	case f == 0:
		return "0"
	case f < 0:
		return "-" + Number(-f)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	e, _ := strconv.Atoi(exponent) // strconv wrote it
	point := e + 1                 // digits before the decimal point
	switch {
	case point > 21 || point < -5:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		sign := "+"
		if e < 0 {
			sign = ""
		}
		return digits + "e" + sign + strconv.Itoa(e)
	case point >= len(digits):
		return digits + strings.Repeat("0", point-len(digits))
	case point > 0:
		return digits[:point] + "." + digits[point:]
	}
	return "0." + strings.Repeat("0", -point) + digits
}
