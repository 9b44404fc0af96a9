package judge

import "testing"

// TestPortions: of 10,000 samples, a quarter may be 4·√(0.25·0.75/10000) + 1 % = 2.73 % off.
func TestPortions(t *testing.T) {
	spent := map[string]float64{"a": 1, "b": 3}
	for _, tt := range []struct {
		name    string
		counted map[string]int
		wrong   int
	}{
		{"as it is", map[string]int{"a": 2500, "b": 7500}, 0},
		{"just within", map[string]int{"a": 2770, "b": 7230}, 0},
		{"too many", map[string]int{"a": 2780, "b": 7220}, 2},
		{"too few", map[string]int{"a": 2220, "b": 7780}, 2},
		{"none", map[string]int{"b": 10000}, 2},
		{"one that is not there", map[string]int{"a": 2500, "b": 7500, "c": 1}, 1},
		{"no samples", nil, 2},
	} {
		wrong, _ := Portions(tt.counted, spent)
		if len(wrong) != tt.wrong {
			t.Errorf("%s: %v, want %d", tt.name, wrong, tt.wrong)
		}
	}
}
