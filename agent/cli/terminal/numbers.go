package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ByteText is a number of bytes for people.
func ByteText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	size, i := float64(n), 0
	for size >= 1024 && i < len(units)-1 {
		size, i = size/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, units[i])
}

// Percent is a share in percent; - of nothing.
func Percent(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// Counts lists what is not 0, in parentheses; empty if all is.
func Counts[K comparable](of map[K]int64) string {
	var parts []string
	for what, n := range of {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%v %d", what, n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " (" + strings.Join(parts, ", ") + ")"
}

// ThreeDigits rounds a time to three digits.
func ThreeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
