package threadlocal

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	memory "github.com/hotspan/hotspan/agent/internal/loaded"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/target"
)

// build is a program, or a program and a library, compiled for one way to access thread-local storage.
type build struct {
	name    string
	cc      string
	library []string // arguments to compile variables.c as a library; nil: they are in the executable
	access  []string // arguments to compile access.c, as a library, which the test program then opens
	link    bool     // the library is linked to the executable; else dlopen loads it
	want    Kind
}

var builds = []build{
	{"local-exec in the executable", "gcc", nil, nil, true, Static},
	{"local-exec in an executable that moves", "gcc -pie -fPIE", nil, nil, true, Static},
	{"TLSDESC, loaded at start", "gcc", []string{"-mtls-dialect=gnu2"}, nil, true, Static},
	{"TLSDESC, opened, in the static surplus", "gcc", []string{"-mtls-dialect=gnu2"}, nil, false, Static},
	{"TLSDESC, opened, dynamic", "gcc", []string{"-mtls-dialect=gnu2", "-DFILLER=65536"}, nil, false, DTVGlibc},
	{"general dynamic, loaded at start", "gcc", []string{"-mtls-dialect=gnu"}, nil, true, DTVGlibc},
	{"general dynamic, opened", "gcc", []string{"-mtls-dialect=gnu"}, nil, false, DTVGlibc},
	{"general dynamic, large, opened", "gcc", []string{"-mtls-dialect=gnu", "-DFILLER=65536"}, nil, false, DTVGlibc},
	{"local dynamic, opened", "gcc", []string{"-mtls-dialect=gnu", "-ftls-model=local-dynamic", "-Wl,-Bsymbolic"}, nil,
		false, DTVGlibc},
	{"initial-exec, loaded at start", "gcc", []string{"-ftls-model=initial-exec"}, nil, true, Static},
	{"initial-exec, opened", "gcc", []string{"-ftls-model=initial-exec"}, nil, false, Static},
	{"initial-exec, bound to itself", "gcc", []string{"-ftls-model=initial-exec", "-Wl,-Bsymbolic"}, nil, false,
		Static},
	{"accessed by another library", "gcc", []string{"-DNO_ACCESS"}, []string{"-mtls-dialect=gnu2"}, true, Static},
	{"accessed by another library, general dynamic", "gcc", []string{"-DNO_ACCESS"}, []string{"-mtls-dialect=gnu"},
		true, DTVGlibc},
	{"musl, local-exec", "musl-gcc", nil, nil, true, Static},
	{"musl, general dynamic, loaded at start", "musl-gcc", []string{"-mtls-dialect=gnu"}, nil, true, DTVMusl},
	{"musl, general dynamic, opened", "musl-gcc", []string{"-mtls-dialect=gnu"}, nil, false, DTVMusl},
	{"musl, TLSDESC, loaded at start", "musl-gcc", []string{"-mtls-dialect=gnu2"}, nil, true, Static},
	{"musl, TLSDESC, opened", "musl-gcc", []string{"-mtls-dialect=gnu2"}, nil, false, DTVMusl},
	{"musl, initial-exec, loaded at start", "musl-gcc", []string{"-ftls-model=initial-exec"}, nil, true, Static},
}

// TestFind compares the places computed from outside with the addresses that the threads print, for each way.
func TestFind(t *testing.T) {
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pid, lines := b.start(t, dir)
			musl, files := loaded(t, pid, dir)
			mem := target.Live{PID: pid}
			for i, name := range []string{"otel_thread_ctx_v1", "otel_thread_ctx_nodejs_v1"} {
				places := Find(mem, musl, files, name)
				if len(places) != 1 || places[0].Kind != b.want {
					t.Fatalf("%s: places %+v, want one of kind %d", name, places, b.want)
				}
				for _, line := range lines {
					got, ok := places[0].Address(mem, line[0])
					if !ok || got != line[1+i] {
						t.Errorf("%s of the thread at 0x%x: 0x%x (%t), it says 0x%x: %+v", name, line[0], got, ok,
							line[1+i], places[0])
					}
				}
			}
		})
	}
}

// start builds and runs the test program. A line has a thread's pointer and the addresses of its variables.
func (b build) start(t *testing.T, dir string) (pid int, lines [][3]uint64) {
	t.Helper()
	program := filepath.Join(dir, "program")
	cc := strings.Fields(b.cc)
	command := append(cc[1:], "-o", program, "testdata/program.c", "-rdynamic")
	var arguments []string
	switch {
	case b.library == nil:
		command = append(command, "-DLINKED", "testdata/variables.c")
	case b.access != nil:
		variables := library(t, cc[0], dir, "variables", b.library)
		access := library(t, cc[0], dir, "access", append(b.access, variables))
		command = append(command, "-DLINKED", access, variables)
	case b.link:
		command = append(command, "-DLINKED", library(t, cc[0], dir, "variables", b.library))
	default:
		arguments = []string{library(t, cc[0], dir, "variables", b.library)}
	}
	compile(t, cc[0], append(command, "-lpthread", "-ldl"))
	cmd := exec.Command(program, arguments...)
	cmd.Env = []string{"LD_LIBRARY_PATH=" + dir}
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Process.Kill(); cmd.Wait() })
	for s := bufio.NewScanner(stdout); s.Scan() && s.Text() != "ready"; {
		var line [3]uint64
		if _, err := fmt.Sscanf(s.Text(), "%x %x %x", &line[0], &line[1], &line[2]); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		lines = append(lines, line)
	}
	if len(lines) != 2 {
		t.Fatalf("the test program printed %x", lines)
	}
	return cmd.Process.Pid, lines
}

func library(t *testing.T, cc, dir, name string, arguments []string) string {
	t.Helper()
	path := filepath.Join(dir, "lib"+name+".so")
	compile(t, cc, append([]string{"-shared", "-fPIC", "-o", path, "-Wl,-soname,lib" + name + ".so",
		"testdata/" + name + ".c"}, arguments...))
	return path
}

func compile(t *testing.T, cc string, arguments []string) {
	t.Helper()
	if out, err := exec.Command(cc, append([]string{"-O1"}, arguments...)...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", cc, arguments, err, out)
	}
}

// loaded are the files that a process has mapped and that have to do with the variables.
func loaded(t *testing.T, pid int, dir string) (musl bool, files []Loaded) {
	t.Helper()
	maps, err := procs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range maps {
		musl = musl || strings.Contains(m.Path, "musl")
		if !strings.HasPrefix(m.Path, dir) || seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		f, err := elf.Open(m.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		vars, err := Read(f)
		if err != nil {
			t.Fatal(err)
		}
		asInMemory(t, pid, maps, m, vars)
		if vars != nil {
			bias := m.Start
			if f.Type == elf.ET_EXEC {
				bias = 0
			}
			files = append(files, Loaded{vars, bias})
		}
	}
	return musl, files
}

// asInMemory checks that what a process has in memory of a file has the same variables and relocations.
func asInMemory(t *testing.T, pid int, maps []procs.Mapping, m procs.Mapping, want *File) {
	t.Helper()
	file, err := memory.Open(target.Live{PID: pid}, maps, m.File())
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(f); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s in memory: %+v, %v; the file has %+v", m.Path, got, err, want)
	}
}

// TestFindRefuses: words that the dynamic linker has not written yet, or another has, are no place.
func TestFindRefuses(t *testing.T) {
	image := make([]byte, 4096)
	put := func(at int, words ...uint64) {
		for i, w := range words {
			binary.LittleEndian.PutUint64(image[at+8*i:], w)
		}
	}
	put(64, 0, 0)              // not relocated
	put(128, 0x1234, 0x400)    // TLSDESC: the argument's words are
	put(0x400, 0x401000, 7, 0) // no module
	put(192, 5, 1<<40)         // no offset
	put(256, 16)               // static, but above the thread pointer
	put(320, 0x1234, 0x100000) // TLSDESC: not readable
	for _, r := range []reference{
		{kind: elf.R_X86_64_TLSDESC, at: 64}, {kind: elf.R_X86_64_TPOFF64, at: 64},
		{kind: elf.R_X86_64_DTPMOD64, at: 64},
		{kind: elf.R_X86_64_TLSDESC, at: 128}, {kind: elf.R_X86_64_DTPMOD64, at: 192},
		{kind: elf.R_X86_64_TPOFF64, at: 256},
		{kind: elf.R_X86_64_TLSDESC, at: 320}, {kind: elf.R_X86_64_TPOFF64, at: 1 << 62},
	} {
		if p, ok := r.place(bytes.NewReader(image), false, 0); ok {
			t.Errorf("%+v: %+v", r, p)
		}
	}
}

// TestWantedNames: the variables' names are found, at the end of a longer one too, and no others.
func TestWantedNames(t *testing.T) {
	for name := range wanted {
		names := []byte("\x00my_" + name + "\x00" + name + "s\x00" + name) // the last one has no end
		if got := wantedName(names, 4); got != name {
			t.Errorf("%s: %q is found", name, got)
		}
		for _, at := range []int{0, 1, 5, 5 + len(name), 6 + 2*len(name), len(names) - 1, len(names), math.MaxUint32} {
			if got := wantedName(names, uint32(at)); got != "" {
				t.Errorf("at %d of %q: %s", at, names, got)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "lib.so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-s", "-nostdlib", "-o", path,
		"testdata/variables.c").CombinedOutput(); err != nil {
		f.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := elf.NewFile(bytes.NewReader(b))
		if err != nil {
			return
		}
		vars, err := Read(file)
		if err != nil || vars == nil {
			return
		}
		for name := range wanted {
			Find(bytes.NewReader(b), false, []Loaded{{vars, 0}}, name)
		}
	})
}
