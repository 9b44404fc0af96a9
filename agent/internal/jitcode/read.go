package jitcode

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
)

// Copied is a piece of code with its instructions.
type Copied struct {
	Piece
	PID     int
	Machine uint32 // e_machine of ELF files
	*jitdump.Code
}

// Limits of what is read.
const (
	maxSamplesFile = 1 << 30
	maxPieces      = 1 << 20
)

var dumpName = regexp.MustCompile(`^(?:jit|native)-([0-9]{1,10})\.dump$`)

// Read calls f with each piece of code of a jitdump file, or of those in a directory. Those of a file that hotspan has
// written have the samples of the file beside it, others none. The error may be jitdump.ErrPartial, after all else has
// been read.
func Read(path string, f func(Copied)) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return readDump(path, f)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	var errs []error
	found := false
	for _, e := range entries {
		if dumpName.MatchString(e.Name()) {
			found = true
			errs = append(errs, readDump(filepath.Join(path, e.Name()), f))
		}
	}
	if !found {
		return fmt.Errorf("%s: no jit-PID.dump or native-PID.dump in it", path)
	}
	return errors.Join(errs...)
}

func readDump(path string, f func(Copied)) error {
	file, err := openRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	d, err := jitdump.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	pieces, err := readSamples(path)
	if err != nil {
		return err
	}
	for {
		r, err := d.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case r.Code == nil:
			continue
		}
		c := Copied{
			Piece: Piece{Function: r.Code.Name, Address: r.Code.Address, Size: len(r.Code.Bytes)},
			PID:   int(d.PID), Machine: d.Machine, Code: r.Code,
		}
		if p, ok := pieces[r.Code.Index]; ok {
			if err := p.check(r.Code); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			c.Piece = p
		} else {
			// V8 writes other addresses into them than the specification has. (src/diagnostics/perf-jit.cc)
			c.Lines = nil
		}
		f(c)
	}
}

// readSamples reads the file of samples beside a jitdump, by index of the code; nothing if there is none.
func readSamples(dump string) (map[uint64]Piece, error) {
	name := dumpName.FindStringSubmatch(filepath.Base(dump))
	if name == nil {
		return nil, nil
	}
	path := filepath.Join(filepath.Dir(dump), "samples-"+name[1]+".jsonl")
	file, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	pieces := map[uint64]Piece{}
	for d := json.NewDecoder(bufio.NewReader(io.LimitReader(file, maxSamplesFile))); len(pieces) < maxPieces; {
		var p Piece
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pieces, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: after %d pieces of code: %w", path, len(pieces), err)
		}
		pieces[uint64(p.Code)] = p
	}
	return nil, fmt.Errorf("%s: more than %d pieces of code", path, maxPieces)
}

// check compares a piece with the code that it is of.
func (p *Piece) check(c *jitdump.Code) error {
	if p.Address != c.Address || p.Size != len(c.Bytes) || jitdump.Text(p.Function) != c.Name {
		return fmt.Errorf("code %d is %s, %d bytes at 0x%x, but the samples are of %s, %d bytes at 0x%x", c.Index,
			c.Name, len(c.Bytes), c.Address, p.Function, p.Size, p.Address)
	}
	sum := int64(0)
	inOrder := slices.IsSortedFunc(p.Points, func(a, b Point) int { return a.Offset - b.Offset })
	for _, at := range p.Points {
		if at.Offset < 0 || at.Offset >= p.Size || at.Samples < 1 || !inOrder {
			return fmt.Errorf("code %d of %d bytes: %d samples at %d", c.Index, p.Size, at.Samples, at.Offset)
		}
		sum += at.Samples
	}
	if sum != p.Samples {
		return fmt.Errorf("code %d: %d samples, at its instructions %d", c.Index, p.Samples, sum)
	}
	return nil
}

// openRegular opens a file, and nothing else: a pipe would have hotspan wait.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return os.Open(path)
}
