package disasm

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
)

// dumped is what objdump says of an instruction.
type dumped struct {
	offset int
	name   string
	text   string
}

// objdump disassembles code by binutils.
func objdump(t *testing.T, code []byte) (all []dumped) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn",
		file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^ *([0-9a-f]+):\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		at, err := strconv.ParseInt(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(m[2])
		name, _, _ := strings.Cut(text, " ")
		all = append(all, dumped{int(at), name, text})
	}
	return all
}

// assemble assembles text by binutils.
func assemble(t *testing.T, text string) []byte {
	t.Helper()
	dir := t.TempDir()
	source, object, binary := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o"), filepath.Join(dir, "a.bin")
	if err := os.WriteFile(source, []byte(".intel_syntax noprefix\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"as", "-o", object, source},
		{"objcopy", "-O", "binary", "-j", ".text", object, binary}} {
		if said, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", c, err, said)
		}
	}
	b, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// vexed are instructions with the prefixes of AVX, in the forms that V8 makes.
var vexed = strings.Split(`vmovsd xmm0, xmm1, xmm2
vmovsd xmm9, [rax+0x7]
vmovsd [r8+r9*8+0x10], xmm12
vmovss xmm3, xmm0, xmm3
vmovapd xmm1, xmm2
vmovups ymm1, [rsp+0x20]
vmovdqu [rsp], xmm15
vaddsd xmm0, xmm0, xmm1
vsubsd xmm10, xmm11, [rbx]
vmulsd xmm1, xmm2, [r10+0xffff]
vdivsd xmm0, xmm15, xmm3
vsqrtsd xmm0, xmm0, xmm1
vsqrtpd xmm3, xmm1
vucomisd xmm0, xmm1
vcomiss xmm0, [rax]
vcvttsd2si eax, xmm1
vcvttsd2si r9, xmm8
vcvtsi2sd xmm0, xmm15, ecx
vcvtsd2ss xmm1, xmm1, xmm2
vxorps xmm0, xmm0, xmm0
vandpd xmm2, xmm0, [rip+0x1234]
vpsrlq xmm4, xmm0, 0x1f
vpslld xmm12, xmm4, 0x3
vpcmpeqd xmm0, xmm0, xmm0
vroundsd xmm0, xmm0, xmm1, 0x9
vmovd xmm0, eax
vmovd ecx, xmm9
vpshufd xmm1, xmm2, 0x4e
vpshufb xmm1, xmm2, [rax]
vpinsrd xmm1, xmm0, eax, 0x2
vpextrd eax, xmm1, 0x1
vblendvpd xmm1, xmm2, xmm3, xmm4
vfmadd231sd xmm1, xmm2, xmm3
vbroadcastss xmm1, [rax]
vptest xmm1, xmm0
vmovmskpd eax, xmm1
vaddpd ymm1, ymm2, ymm13
vzeroupper
andn eax, ebx, ecx
andn r8, r9, [rax+0x8]
blsr eax, ebx
blsi r9, [rax]
shlx eax, ebx, ecx
sarx r8, r9, r10
shrx rdx, [rax], rcx
bzhi eax, ebx, ecx
rorx eax, ebx, 0x3
mulx r8, r9, r10
pext eax, ebx, ecx`, "\n")

// unnamed are those whose name hotspan does not know; their size it does.
var unnamed = map[string]bool{"vblendvpd": true, "vfmadd231sd": true, "vbroadcastss": true}

// TestAVX: names, registers and sizes are those of binutils.
func TestAVX(t *testing.T) {
	code := assemble(t, strings.Join(vexed, "\n")+"\n")
	want, got := objdump(t, code), X86(code, 0)
	if len(want) != len(vexed) || len(got) != len(want) {
		t.Fatalf("%d instructions, objdump has %d, want %d: %+v", len(got), len(want), len(vexed), got)
	}
	for i, w := range want {
		g := got[i]
		if g.Offset != w.offset {
			t.Fatalf("%q begins at %d, want %d", w.text, g.Offset, w.offset)
		}
		if unnamed[w.name] {
			if !strings.HasPrefix(g.Text, "(avx ") {
				t.Errorf("%q, want it unnamed: %q", g.Text, w.text)
			}
			continue
		}
		if normal(g.Text) != normal(vexed[i]) {
			t.Errorf("%q, want %q", g.Text, vexed[i])
		}
	}
}

// TestNoAVX: what has the prefix, but is no instruction of AVX, does not get the name of another.
func TestNoAVX(t *testing.T) {
	for _, code := range [][]byte{{0xc5, 0xf8, 0xaf, 0xc1}, {0xc5, 0xf8, 0x1f, 0xc0}, {0xc5, 0xf8, 0x6e, 0xc1}} {
		if got := X86(code, 0); len(got) != 1 || !strings.HasPrefix(got[0].Text, "(avx 1.") {
			t.Errorf("%x: %+v", code, got)
		}
	}
}

var (
	sizes  = regexp.MustCompile(`[xy]?mmword ptr |[qd]?word ptr |byte ptr `)
	scaled = regexp.MustCompile(`([1248])\*(r\w+)`)
)

// normal is a text without what is written in several ways.
func normal(s string) string {
	s = scaled.ReplaceAllString(sizes.ReplaceAllString(s, ""), "$2*$1")
	return strings.ReplaceAll(strings.ReplaceAll(s, ", ", ","), " ", "")
}

// TestBranchTarget: where an indirect call goes to is one instruction.
func TestBranchTarget(t *testing.T) {
	code := assemble(t, "endbr64\nret\n")
	for i, w := range objdump(t, code) {
		if got := X86(code, 0); i >= len(got) || got[i].Text != w.text || got[i].Offset != w.offset {
			t.Errorf("instruction %d is not %+v: %+v", i, w, got)
		}
	}
}

// TestNative: in the functions of a library, instructions begin where binutils says.
func TestNative(t *testing.T) {
	const library = "/lib/x86_64-linux-gnu/libc.so.6"
	file, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	text, functions := file.Section(".text"), map[uint64]elf.Symbol{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value >= text.Addr && s.Value+s.Size <= text.Addr+text.Size {
			functions[s.Value] = s
		}
	}
	var all []byte // functions, with room between them
	begin := map[int]elf.Symbol{}
	for _, s := range functions {
		code := make([]byte, s.Size)
		if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil {
			t.Fatal(err)
		}
		begin[len(all)] = s
		all = append(append(all, code...), bytes.Repeat([]byte{0x90}, 16)...)
	}
	want := map[int]dumped{}
	for _, d := range objdump(t, all) {
		want[d.offset] = d
	}
	instructions := 0
	for from, s := range begin {
		for _, in := range X86(all[from:from+int(s.Size)], s.Value) {
			w, ok := want[from+in.Offset]
			if w.name == "rdpkru" { // which x86asm does not know
				break
			}
			if instructions++; !ok || in.Text == Unknown {
				t.Errorf("%s: %+v, objdump has %+v", s.Name, in, w)
				break
			}
		}
	}
	if instructions < 100_000 {
		t.Errorf("only %d instructions", instructions)
	}
}

// FuzzX86: no byte is left out, and the end of the code is kept to.
func FuzzX86(f *testing.F) {
	f.Add([]byte{0xc5, 0xfb})
	f.Add([]byte{0xc4, 0xe2, 0xf8, 0xf2})
	f.Add([]byte{0x48, 0x8b, 0x45, 0xf8, 0xc3, 0xe8, 0, 0})
	f.Fuzz(func(t *testing.T, code []byte) {
		at := 0
		for _, in := range X86(code, 1<<63) {
			if in.Offset != at || in.Size < 1 || in.Text == "" {
				t.Fatalf("%x: %+v at %d", code, in, at)
			}
			at += in.Size
		}
		if at != len(code) {
			t.Fatalf("%x: %d bytes of %d", code, at, len(code))
		}
	})
}

// memory finds an operand in memory.
var memory = regexp.MustCompile(`\[.*\]`)

// TestCode: in the code that V8 made of functions, instructions begin where binutils says, and have those operands
// in memory.
func TestCode(t *testing.T) {
	file, err := os.Open("../jitdump/testdata/node-24.dump")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dump, err := jitdump.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	instructions := 0
	for {
		r, err := dump.Next()
		if err != nil || r.Code == nil {
			break
		}
		want, got := objdump(t, r.Code.Bytes), X86(r.Code.Bytes, r.Code.Address)
		for i := range min(len(want), len(got)) {
			w, g := want[i], got[i]
			if name, _, _ := strings.Cut(g.Text, " "); g.Offset != w.offset || name == "(bad)" {
				t.Errorf("%s: %+v, want %+v", r.Code.Name, g, w)
				break
			}
			got, want := memory.FindString(normal(g.Text)), memory.FindString(normal(w.text))
			if got != want && g.Text != "nop" && !strings.HasPrefix(want, "[rip") {
				t.Errorf("%s: %q, want %q", r.Code.Name, g.Text, w.text)
			}
			instructions++
		}
	}
	if instructions < 500 {
		t.Errorf("only %d instructions", instructions)
	}
}
