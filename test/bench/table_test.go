package main

import "testing"

var example = table{
	title:   "Colours",
	columns: []string{"", "größe, mm", "b"},
	rows:    [][]string{{"red", "1", "22.0"}, {"dark green", "123456789012", "3"}},
	note:    "How many.",
}

func TestText(t *testing.T) {
	want := `Colours
                  größe, mm      b
  red                     1   22.0
  dark green   123456789012      3
  How many.
`
	if got := example.text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	want := `### Colours

|  | größe, mm | b |
|---|---:|---:|
| red | 1 | 22.0 |
| dark green | 123456789012 | 3 |

How many.
`
	if got := example.markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("one two  three\nfour", 9), "one two\nthree\nfour"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0123: "0.012", 0.256: "0.26", 9.876: "9.88", 98.76: "98.8",
		987.6: "988"} {
		if got := number(v); got != want {
			t.Errorf("%g: got %s, want %s", v, got, want)
		}
	}
	if got, want := spreadOf([]float64{1, 2, 4}).String(), "2.00 (1.00–4.00)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
