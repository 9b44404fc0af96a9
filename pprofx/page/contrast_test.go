package page

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// minContrast is the least contrast of texts, by the Web Content Accessibility Guidelines 2.2, criterion 1.4.3.
const minContrast = 4.5

var (
	colourPair = regexp.MustCompile(`const (\w+) = \["#([0-9a-f]{6})", "#([0-9a-f]{6})"\]`)
	variables  = regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`)
)

// luminance is the relative luminance of a colour, by the same guidelines.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(colour, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part := float64(n>>(16-8*i)&255) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a)+0.05, luminance(t, b)+0.05
	return max(x, y) / min(x, y)
}

// TestContrast: texts can be read by day and by night, on paper as on the colours of boxes.
func TestContrast(t *testing.T) {
	file := func(name string) string {
		text, err := os.ReadFile("app/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	pairs := map[string][]string{}
	for _, m := range colourPair.FindAllStringSubmatch(file("colours.js"), -1) {
		pairs[m[1]] = m[2:]
	}
	texts := []string{"ink", "quiet", "accent", "second", "bad"}
	for name, colours := range pairs {
		on := "ink"
		if slices.Contains(texts, name) {
			on = "paper"
		}
		for scheme, colour := range colours {
			if c := contrast(t, colour, pairs[on][scheme]); name != "paper" && c < minContrast {
				t.Errorf("%s %s with %s: %.2f", name, colour, on, c)
			}
		}
	}
	seen := map[string]int{} // by day, then by night
	for _, m := range variables.FindAllStringSubmatch(file("page.css"), -1) {
		scheme := seen[m[1]]
		seen[m[1]]++
		if want := pairs[m[1]]; want != nil && want[scheme] != m[2] {
			t.Errorf("%s is %s on the page and %s in pictures", m[1], m[2], want[scheme])
		}
	}
	if len(pairs) < 15 || len(seen) < 8 {
		t.Errorf("only %d and %d colours found: the test checks nothing", len(pairs), len(seen))
	}
}
