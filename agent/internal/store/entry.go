package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Entry is a snapshot in a Store.
type Entry struct {
	Sequence   uint64 // from 1
	Start, End int64  // Unix time in nanoseconds
	Size       int64  // bytes
}

func (e Entry) name() string { return fmt.Sprintf("%012d-%d-%d.otlp", e.Sequence, e.Start, e.End) }

func (e Entry) compare(sequence uint64) int { return cmp.Compare(e.Sequence, sequence) }

// cursorPrefix comes before the name of a consumer in the name of a file.
const cursorPrefix = "cursor-"

// sequenceBits bounds sequences that are read, so that one more is still more.
const sequenceBits = 63

var errDamaged = errors.New("it is no number of a snapshot")

// readCursor returns the sequence that is kept in the file of a cursor.
func readCursor(root *os.Root, file string) (next uint64, err error) {
	text, err := root.ReadFile(file)
	if err != nil {
		return 0, err
	}
	if next, err = strconv.ParseUint(string(text), 10, sequenceBits); err != nil {
		return 0, fmt.Errorf("%s: %w: %.40q", file, errDamaged, text)
	}
	return next, nil
}

var entryName = regexp.MustCompile(`^(\d{12,20})-(\d{1,19})-(\d{1,19})\.otlp$`)

// Parse returns the entry of a file; false if its name is none that a Store gives.
func Parse(f fs.DirEntry) (e Entry, ok bool) {
	m := entryName.FindStringSubmatch(f.Name())
	if m == nil || !f.Type().IsRegular() {
		return e, false
	}
	info, err := f.Info()
	if err != nil {
		return e, false
	}
	var errs [3]error
	e.Sequence, errs[0] = strconv.ParseUint(m[1], 10, sequenceBits)
	e.Start, errs[1] = strconv.ParseInt(m[2], 10, 64)
	e.End, errs[2] = strconv.ParseInt(m[3], 10, 64)
	e.Size = info.Size()
	return e, errs == [3]error{} && e.Sequence > 0 && e.name() == f.Name()
}

// isTemporary reports whether a name is one that renameio gives to a file that is not complete: a dot, the final name
// and a number.
func isTemporary(name string) bool {
	rest, ok := strings.CutPrefix(name, ".")
	if !ok {
		return false
	}
	final := strings.TrimRight(rest, "-0123456789")
	return strings.HasSuffix(final, ".otlp") || strings.HasPrefix(final, cursorPrefix)
}
