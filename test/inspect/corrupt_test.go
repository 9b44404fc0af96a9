package inspect

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/target/core"
)

// TestCorrupt: whatever is wrong with the heap in a core, each verb ends with an answer or with a sentence, within
// bounds of time and memory.
func TestCorrupt(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	live.NeedCores(t)
	list := versions()
	version := list[len(list)-1].Version
	t.Run("objects", func(t *testing.T) {
		corrupt(t, live.Core(t, version, objectsProgram(t, t.TempDir(), "abort")...), [][]string{{"objects"}},
			"Session", "Function", "(Map)", "(string)", "(FixedArray)", "(BytecodeArray)")
	})
	script, err := filepath.Abs("testdata/requests.js")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"Request", "Timeout", "Promise", "(PromiseReaction)", "AsyncContextFrame", "TCP", "(Map)",
		"(FixedArray)", "Function"}
	t.Run("requests", func(t *testing.T) {
		corrupt(t, live.Core(t, version, script, t.TempDir(), "abort"), [][]string{{"requests"}}, kinds...)
	})
	t.Run("addresses", func(t *testing.T) {
		name := live.Core(t, version, script, t.TempDir(), "abort")
		corrupt(t, name, append(questionsOf(t, name, kinds), []string{"stack"}), kinds...)
	})
}

// questionsOf asks each verb that takes an address for one of each kind that it is for.
func questionsOf(t *testing.T, name string, kinds []string) (out [][]string) {
	t.Helper()
	for _, kind := range kinds {
		verbs := []string{"print", "refs", "path", "whatis"}
		switch kind {
		case "Promise":
			verbs = append(verbs, "await")
		case "Function":
			verbs = append(verbs, "function", "source", "closure")
		}
		address := addressesOf(t, name, kind, 1)[0]
		for _, verb := range verbs {
			out = append(out, []string{verb, address})
		}
	}
	return out
}

// corrupt damages the pages of a core on which there are objects of some kinds, and asks one question after each
// damage.
func corrupt(t *testing.T, name string, questions [][]string, kinds ...string) {
	t.Helper()
	corruptions := *corruptions
	if *all {
		corruptions = 1000
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d := damage{file: file, random: rand.New(rand.NewPCG(1, 2)), pages: pagesOf(t, file, name, kinds)}
	answers := 0
	for i := range corruptions {
		undo := d.do(t)
		if answered(t, name, questions[i%len(questions)]...) {
			answers++
		}
		undo()
	}
	t.Logf("%d answers of %d", answers, corruptions)
	if answers < corruptions/2 {
		t.Errorf("%d answers of %d: it is not the heap that is damaged", answers, corruptions)
	}
}

// addressesOf are where objects of a kind are, n at most.
func addressesOf(t *testing.T, name, kind string, n int) []string {
	t.Helper()
	var list struct{ Addresses []string }
	if err := inspect(&list, name, "objects", kind, "-n", strconv.Itoa(n)); err != nil || len(list.Addresses) == 0 {
		t.Fatalf("%s: %v, %v", kind, list, err)
	}
	return list.Addresses
}

const pageSize = 1 << 18

// pagesOf are the places in a core file where it has pages of V8's heap, on which there are objects of some kinds.
func pagesOf(t *testing.T, file *os.File, name string, kinds []string) (out []int64) {
	t.Helper()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	c, err := core.Open(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		for _, text := range addressesOf(t, name, kind, 100_000) {
			address, _ := strconv.ParseUint(text, 0, 64)
			page := address &^ (pageSize - 1)
			for i := range c.Mappings {
				if at := c.Mappings[i].FileOffset(page); at >= 0 && !slices.Contains(out, at) {
					out = append(out, at)
				}
			}
		}
	}
	if len(out) < 10 {
		t.Fatalf("%d pages", len(out))
	}
	return out
}

// damage writes words that mislead to pages of a heap.
type damage struct {
	file   *os.File
	random *rand.Rand
	pages  []int64
}

func (d *damage) place() int64 {
	size := pageSize
	if d.random.IntN(8) == 0 {
		size = 0x200 // the page's description of itself
	}
	return d.pages[d.random.IntN(len(d.pages))] + int64(d.random.IntN(size)&^7)
}

func (d *damage) read(t *testing.T, at int64) []byte {
	b := make([]byte, 8)
	if _, err := d.file.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	return b
}

// do changes up to 500 words: to others, to small numbers, to places nearby, to nothing, to noise.
func (d *damage) do(t *testing.T) (undo func()) {
	t.Helper()
	before := map[int64][]byte{}
	write := func(at int64, b []byte) {
		if _, err := d.file.WriteAt(b, at); err != nil {
			t.Fatal(err)
		}
	}
	for range 1 + d.random.IntN(500) {
		at := d.place()
		was := d.read(t, at)
		if before[at] == nil {
			before[at] = was
		}
		now := make([]byte, 8)
		switch d.random.IntN(5) {
		case 0:
			now = d.read(t, d.place())
		case 1:
			binary.LittleEndian.PutUint64(now, d.random.Uint64()<<32)
		case 2:
			binary.LittleEndian.PutUint64(now, binary.LittleEndian.Uint64(was)+uint64(d.random.IntN(64))-32)
		case 3: // nothing
		default:
			binary.LittleEndian.PutUint64(now, d.random.Uint64())
		}
		write(at, now)
	}
	return func() {
		for at, b := range before {
			write(at, b)
		}
	}
}

// answered reports whether there is an answer to a question, not an error.
func answered(t *testing.T, name string, question ...string) bool {
	t.Helper()
	cmd := exec.Command(hotspan, append([]string{"inspect", name}, question...)...)
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	text, err := cmd.CombinedOutput()
	memory := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	const most = 500 << 10 // KiB
	crashed := strings.Contains(string(text), "goroutine ") || !cmd.ProcessState.Exited()
	if crashed || memory > most || err != nil && len(text) == 0 {
		t.Errorf("%v: %v, %d KiB: %.2000s", question, err, memory, text)
	}
	return err == nil
}
