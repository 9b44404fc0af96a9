package page

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// shownPiece is a piece of code as annotate.mjs sees it.
type shownPiece struct {
	Shown, Then bool // the code is visible, and is so when the summary was pressed
	Summary     string
	Notes, Most []string
	Fill        string
	Share       float64
	Rows        [][]string
	Bars        []float64
}

// jitdump writes a file of two pieces of code, of which the first has lines.
// (Linux: tools/perf/Documentation/jitdump-specification.txt)
func jitdump(name, file string) []byte {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if text, ok := v.(string); ok {
				v = []byte(text + "\x00")
			}
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	u32, u64 := func(n int) uint32 { return uint32(n) }, func(n int) uint64 { return uint64(n) }
	put(u32(0x4a695444), u32(1), u32(40), u32(62), u32(0), u32(7), u64(1), u64(0))
	put(u32(2), u32(16+16+16+len(file)+1), u64(1), u64(0x1000), u64(1), u64(0x1000), u32(3), u32(1), file)
	code := []byte("\x55\xf7\xf9\x01\xd0\xc3")
	for i, name := range []string{name, "plain"} {
		put(u32(0), u32(16+40+len(name)+1+len(code)), u64(1), u32(7), u32(7), u64(0x1000*(i+1)), u64(0x1000*(i+1)),
			u64(len(code)), u64(i+1), name, code)
	}
	return b.Bytes()
}

// TestAnnotate: a page of hotspan annotate has each instruction with its samples, needs no script, and takes no name of
// a target for anything else than text.
func TestAnnotate(t *testing.T) {
	dir := t.TempDir()
	const name, short = "f<img src=x onerror=alert(1)>", "<script>alert(2)</script>.js"
	const file = "/app/" + short
	samples := fmt.Sprintf(`{"code":1,"function":%q,"kind":"js","tier":"turbofan","address":4096,"size":6,"samples":4,`+
		`"points":[{"offset":1,"samples":3,"frames":[{"function":"g","file":%q,"line":9,"column":5}]},`+
		`{"offset":5,"samples":1}],"texts":[{"file":%[2]q,"line":9,"text":"</code>%s"}]}`+"\n"+
		`{"code":2,"function":"plain","kind":"native","module":"/bin/<b>x","address":8192,"size":6,"samples":1,`+
		`"points":[{"offset":0,"samples":1}]}`, name, file, "\u202e")
	page := filepath.Join(dir, "x.html")
	for name, text := range map[string][]byte{"jit-7.dump": jitdump(name, file), "samples-7.jsonl": []byte(samples)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hotspan := filepath.Join(commands(t), "hotspan")
	if out, err := exec.Command(hotspan, "annotate", dir, "-o", page).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct {
		Said    string
		Pieces  []shownPiece
		Hostile int
		Wrong   []string
	}
	run(t, &got, "annotate.mjs", page, os.Getenv("HOTSPAN_SCREENSHOTS"))
	if got.Hostile > 0 || len(got.Wrong) > 0 || len(got.Pieces) != 2 || got.Said != "5 samples in machine code" {
		t.Fatalf("%+v", got)
	}
	want := []shownPiece{{
		Shown: true, Summary: "4 80.0 %  " + name + " " + short + ":3  turbofan, 6 bytes, pid 7, code 1",
		Notes: []string{"4 samples, 80.0 % of the 5 in machine code"}, Most: []string{"idiv ecx"},
		Rows: [][]string{{short + ":3:1  "}, {"+0x0", "push rbp"}, {"g " + short + ":9:5  </code>\ufffd"},
			{"3", "75.0 %", "+0x1", "idiv ecx"}, {short + ":3:1  "}, {"+0x3", "add eax, edx"},
			{"1", "25.0 %", "+0x5", "ret"}},
	}, {
		Then: true, Summary: "1 20.0 %  plain bin/<b>x  native, 6 bytes, pid 7, code 2",
		Notes: []string{"1 samples, 20.0 % of the 5 in machine code"}, Most: []string{"push rbp"},
		Rows: [][]string{{"1", "100.0 %", "+0x0", "push rbp"}, {"+0x1", "idiv ecx"}, {"+0x3", "add eax, edx"},
			{"+0x5", "ret"}},
	}}
	for i := range got.Pieces {
		p := &got.Pieces[i]
		share, _ := strconv.ParseFloat(strings.Fields(p.Summary)[1], 64)
		if math.Abs(100*p.Share-share) > 1 || p.Fill != "rgb(217, 72, 15)" {
			t.Errorf("piece %d: bar of %.2f in %s, want %.1f %%", i, p.Share, p.Fill, share)
		}
		if b := p.Bars; i == 0 && (len(b) != 2 || math.Abs(b[0]/b[1]-3) > 0.1) {
			t.Errorf("bars %v, want the first three times as wide", b)
		}
		p.Share, p.Fill, p.Bars = 0, "", nil
	}
	if diff := gocmp.Diff(want, got.Pieces); diff != "" {
		t.Errorf("want(-) got(+):\n%s", diff)
	}
}
