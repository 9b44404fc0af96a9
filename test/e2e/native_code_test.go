package e2e

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fileCode is where a piece of code of a file is from, as a line of samples-PID.jsonl has it.
type fileCode struct {
	Code     int
	Samples  int64
	Kind     string
	Module   string
	BuildID  string `json:"build_id"`
	Function string
	Address  uint64
	Size     int
}

// TestNativeCode: code of files is that which the file has at the address, under the name that the file's symbols have
// for it; and the division of an add-on has the samples of its loop.
func TestNativeCode(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		at := t.TempDir()
		p := start(t, node, "native_code.js", nil, []string{"ADDON=" + addon(t, node, "divide.c")})
		dir, out := filepath.Join(at, "code"), filepath.Join(at, "out.jsonl")
		r := run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "499", "-d", "6s", "-o", out, "--jit-code", dir)
		if t.Logf("%s", r.Stderr); r.Code != 0 {
			t.Fatalf("ended with %d", r.Code)
		}
		p.truth(t)
		compareCounts(t, readSamples(t, out), r.Stderr)
		file := filepath.Join(dir, fmt.Sprintf("native-%d.dump", p.PID))
		text, err := exec.Command(node, "testdata/jitdump.js", file).Output()
		var dumps [1]jitDump
		if err := errors.Join(err, json.Unmarshal(text, &dumps)); err != nil {
			t.Fatal(err)
		}
		hot := compareNative(t, node, filepath.Join(dir, fmt.Sprintf("samples-%d.jsonl", p.PID)), dumps[0].Codes)
		for _, want := range []string{"native divide_often", "builtin ArrayIndexOfPackedDoubles"} {
			if all := hot["all"]; hot[want]*10 < all || all < 100 {
				t.Errorf("%s has %d of %d samples: %v", want, hot[want], all, hot)
			}
		}
		checkDivision(t, dir, p.PID, "divide_often")
	})
}

// compareNative compares code with the files that it is of, and returns the samples of each kind and function, and of
// all.
func compareNative(t *testing.T, node, samples string, codes []jitLoad) map[string]int64 {
	t.Helper()
	text, err := os.ReadFile(samples)
	if err != nil {
		t.Fatal(err)
	}
	loads, files, hot, compared := map[int]jitLoad{}, map[string]*symbolFile{}, map[string]int64{}, 0
	for _, c := range codes {
		loads[c.Index] = c
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var c fileCode
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		if c.Module == "" {
			continue
		}
		hot[c.Kind+" "+c.Function] += c.Samples
		hot["all"] += c.Samples
		load, ok := loads[c.Code]
		if !ok || load.Address != c.Address || load.Name != c.Function {
			t.Errorf("code %d is not in the dump: %+v", c.Code, load)
		}
		if c.Module == "[vdso]" {
			continue // it is in no file
		}
		if files[c.Module] == nil {
			files[c.Module] = openSymbols(t, c.Module, c.BuildID)
		}
		files[c.Module].compare(t, &c, load.Bytes)
		compared++
	}
	if t.Logf("%d functions compared", compared); compared < 10 || len(files) < 2 || files[node] == nil {
		t.Errorf("only %d functions of %d files", compared, len(files))
	}
	return hot
}

// symbolFile is an ELF file, with the names and sizes of what begins at an address.
type symbolFile struct {
	*elf.File
	symbols map[uint64][]elf.Symbol
}

// openSymbols opens a file, with the symbols of its debug file too, if it has one.
func openSymbols(t *testing.T, file, buildID string) *symbolFile {
	t.Helper()
	s := &symbolFile{symbols: map[uint64][]elf.Symbol{}}
	for _, path := range []string{file, fmt.Sprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", buildID, buildID[2:])} {
		f, err := elf.Open(path)
		if errors.Is(err, fs.ErrNotExist) && path != file {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		all, err1 := f.Symbols()
		dynamic, err2 := f.DynamicSymbols()
		if err1 != nil && err2 != nil {
			t.Fatal(errors.Join(err1, err2))
		}
		for _, symbol := range append(all, dynamic...) {
			s.symbols[symbol.Value] = append(s.symbols[symbol.Value], symbol)
		}
		if path == file {
			s.File = f
		}
	}
	return s
}

// compare: a symbol of the name has the address and the size, and the file has the bytes there. Names of C++ are in
// files in another form.
func (f *symbolFile) compare(t *testing.T, c *fileCode, code string) {
	t.Helper()
	named := false
	for _, symbol := range f.symbols[c.Address] {
		name := strings.TrimPrefix(symbol.Name, "Builtins_")
		same := name == c.Function || strings.HasPrefix(name, "_Z") && c.Kind == "native"
		named = named || same && (symbol.Size == 0 || symbol.Size == uint64(c.Size)) &&
			(c.Kind == "builtin") == (name != symbol.Name)
	}
	if !named {
		t.Errorf("%+v: %s has no such symbol: %v", c, c.Module, f.symbols[c.Address])
	}
	want := make([]byte, c.Size)
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && c.Address >= s.Addr && c.Address+uint64(c.Size) <= s.Addr+s.Size {
			if _, err := s.ReadAt(want, int64(c.Address-s.Addr)); err != nil {
				t.Error(err)
			}
		}
	}
	if hex.EncodeToString(want) != code {
		t.Errorf("%s of %s: the file has other bytes at 0x%x", c.Function, c.Module, c.Address)
	}
}
