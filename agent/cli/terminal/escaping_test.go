package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostile has what terminals and editors act on: of ASCII, of Latin-1, and of text that is written from right to left.
const hostile = "a\x1b]0;b\x07\r\x7f\u009b31m\u202ec\u2066\u200f"

// TestEscaping: however the bytes of a text come, they are shown and not acted on.
func TestEscaping(t *testing.T) {
	const text = "ü\t€ 𝄞 " + hostile + "\n"
	const want = "ü\t€ 𝄞 a\\u001b]0;b\\u0007\\u000d\\u007f\\u009b31m\\u202ec\\u2066\\u200f\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		e := &escaping{to: &out}
		for at := 0; at < len(text); at += size {
			part := []byte(text[at:min(at+size, len(text))])
			if n, err := e.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Fatalf("%d bytes at a time (-want +got):\n%s", size, diff)
		}
	}
	var out bytes.Buffer
	if fmt.Fprint(&escaping{to: &out}, "\x9b\xff\x9b", "."); out.String() != "\ufffd\ufffd\ufffd." {
		t.Errorf("no UTF-8: %q", &out)
	}
	full := errors.New("no space")
	if n, err := (&escaping{to: writer(func([]byte) (int, error) { return 0, full })}).Write([]byte("a")); n != 0 ||
		!errors.Is(err, full) {
		t.Errorf("to a full disk: %d, %v", n, err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// TestEscapingJSON: what is JSON stays the same JSON.
func TestEscapingJSON(t *testing.T) {
	var out bytes.Buffer
	if err := PrintJSON(&escaping{to: &out}, hostile); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != hostile {
		t.Errorf("%s: %q, %v", &out, got, err)
	}
}
