package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3/vt"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// tableOfTop is what top prints of an interval.
type tableOfTop struct {
	Start, End int64
	Samples    int64
	Functions  []struct {
		Name, File string
		Own, Total int64
	}
	SoFar struct{ Samples, Lost, WithJS, Named int64 }
}

// tablesOfTop returns what top prints of each interval.
func tablesOfTop(t *testing.T, args ...string) (tables []tableOfTop) {
	t.Helper()
	out, err := exec.Command(hotspan, append([]string{"top", "--json"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Buffer(nil, 1<<24); lines.Scan(); {
		var one tableOfTop
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, one)
	}
	return tables
}

// TestTop: the functions have the shares of CPU time that the program says; intervals touch.
func TestTop(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "shares.js", []string{"--single-threaded"}, nil)
	var tables []tableOfTop
	untilEnough(t, func(times int) bool {
		tables = tablesOfTop(t, "-p", strconv.Itoa(p.PID), "-F", "1997", "-n", "2", "-i", fmt.Sprint(4*times, "s"))
		return len(tables) == 2 && tables[0].Samples+tables[1].Samples > 3000
	})
	l := p.truth(t)
	if len(tables) != 2 || tables[0].End != tables[1].Start {
		t.Fatalf("%d tables: %+v", len(tables), tables)
	}
	counted := map[string]int{}
	for _, one := range tables {
		for _, f := range one.Functions {
			if strings.HasSuffix(f.File, "/shares/burners.js") {
				counted[f.Name] += int(f.Own)
			}
		}
	}
	sum := int64(0)
	for i, one := range tables {
		sum += one.Samples
		if so := one.SoFar.Samples; so < sum || so > sum+200 { // a few of the next interval may be there already
			t.Errorf("table %d: %d samples so far, want %d", i, so, sum)
		}
	}
	if so := tables[1].SoFar; so.WithJS == 0 || so.Named < so.WithJS*99/100 {
		t.Errorf("so far: %+v", so)
	}
	during := []judge.Sample{{T: tables[0].Start}, {T: tables[1].End}}
	spent := judge.Spent(during, l, func(i truth.Interval) string { return i.Stack[0].Function })
	portions(t, "function", counted, spent)
}

// terminal is a pseudo-terminal with a program on it, and what an emulator shows of it.
type terminal struct {
	*testing.T
	master *os.File
	screen vt.MockTerm
	ended  chan error
}

// onTerminal runs hotspan on a terminal of a size.
func onTerminal(t *testing.T, columns, rows uint16, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	n, err1 := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	err2 := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	slave, err3 := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	defer slave.Close()
	screen := vt.NewMockTerm(vt.MockOptSize{X: vt.Col(columns), Y: vt.Row(rows)})
	term := &terminal{t, master, screen, make(chan error, 1)}
	term.size(columns, rows)
	if err := term.screen.Start(); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(hotspan, args...)
	c.Env = append(os.Environ(), "TERM=xterm-256color", "COLUMNS=", "LINES=")
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	go func() { term.ended <- c.Wait() }()
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, err := master.Read(b)
			if err != nil {
				return
			}
			term.screen.Write(b[:n])
		}
	}()
	return term
}

func (term *terminal) size(columns, rows uint16) {
	term.Helper()
	size := &unix.Winsize{Col: columns, Row: rows}
	if err := unix.IoctlSetWinsize(int(term.master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		term.Fatal(err)
	}
}

func (term *terminal) text() string {
	var b strings.Builder
	size := term.screen.Backend().GetSize()
	for y := range size.Y {
		for x := range size.X {
			b.WriteString(term.screen.GetCell(vt.Coord{X: x, Y: y}).C)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// press types keys, and waits until the screen shows a text.
func (term *terminal) press(keys, shows string) {
	term.Helper()
	if _, err := term.master.WriteString(keys); err != nil {
		term.Fatal(err)
	}
	until(term.T, func() bool { return strings.Contains(term.text(), shows) }, func() string {
		return fmt.Sprintf("after %q there is no %q:\n%s", keys, shows, term.text())
	})
}

// TestTopOfNoProcess: where there is nothing to show, the terminal has the message and no table.
func TestTopOfNoProcess(t *testing.T) {
	term := onTerminal(t, 100, 24, "top", "-p", "4194304")
	if err := <-term.ended; err == nil {
		t.Error("hotspan ended without an error")
	}
	term.press("", "hotspan: process 4194304: there is no such process")
	if text := term.text(); strings.Contains(text, "samples") || strings.Contains(text, "function") {
		t.Errorf("there is a table:\n%s", text)
	}
}

// TestTopOnTerminal: the keys of top work on a real terminal, and its last state stays there.
func TestTopOnTerminal(t *testing.T) {
	p := start(t, node24(t), "shares.js", []string{"--single-threaded"}, nil)
	term := onTerminal(t, 100, 24, "top", "-p", strconv.Itoa(p.PID), "-F", "499", "--label", "http.route=endpoint")
	term.press("", "shares/burners.js")
	term.press("s", "TOTAL")
	term.press("g", "checkout")
	term.press("/report\r", "leaves out")
	if strings.Contains(term.text(), "checkout") {
		t.Errorf("the filter does not filter:\n%s", term.text())
	}
	term.press("\r", "> route report")
	term.press("p", "PAUSED")
	paused := term.text()
	if time.Sleep(1500 * time.Millisecond); paused != term.text() {
		t.Errorf("it is not paused:\n%s\n%s", paused, term.text())
	}
	term.press("p+", "998 Hz")
	term.screen.SetSize(vt.Coord{X: 60, Y: 20})
	term.size(60, 20)
	term.press("1", "\n  %SELF    %tot  trend")
	term.press("", "burners.js:")
	if _, err := term.master.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if err := <-term.ended; err != nil {
		t.Error(err)
	}
	term.press("", "samples taken in")
	if text := term.text(); !strings.Contains(text, "burners.js") {
		t.Errorf("the last state does not stay on the screen:\n%s", text)
	}
}
