package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Spec{
		"uprobe::uv_fs_open":           {Kind: Uprobe, Symbol: "uv_fs_open"},
		"uprobe:node:node::fs::Open":   {Kind: Uprobe, File: "node", Symbol: "node::fs::Open"},
		"uprobe:/usr/lib/libc.so.6:f*": {Kind: Uprobe, File: "/usr/lib/libc.so.6", Symbol: "f*"},
		"uprobe:libc.so.6:malloc+0x10": {Kind: Uprobe, File: "libc.so.6", Symbol: "malloc", Offset: 16},
		"uprobe:libc.so.6:malloc+7":    {Kind: Uprobe, File: "libc.so.6", Symbol: "malloc", Offset: 7},
		"uprobe::X::operator+":         {Kind: Uprobe, Symbol: "X::operator+"},
		"uretprobe:libc.so.6:malloc":   {Kind: Uretprobe, File: "libc.so.6", Symbol: "malloc"},
		"uretprobe::X::operator+":      {Kind: Uretprobe, Symbol: "X::operator+"},
		"syscall:read":                 {Kind: Syscall},
		"syscall:openat":               {Kind: Syscall, Number: 257},
		"syscall:io_uring_enter":       {Kind: Syscall, Number: 426},
		"tp:sched:sched_process_fork":  {Kind: Tracepoint, Symbol: "sched_process_fork"},
		"tp:sched_process_fork":        {Kind: Tracepoint, Symbol: "sched_process_fork"},
		"tp:":                          {},
		"tp:sched:":                    {},
		"tp:a:b:c":                     {},
		"tp:sched:sched*":              {},
		"":                             {},
		"uprobe":                       {},
		"uprobe:uv_fs_open":            {},
		"uprobe:node:":                 {},
		"uprobe:node:f+x":              {},
		"uretprobe:node:f+1":           {},
		"uretprobe:node":               {},
		"uprobe:node:f+0x1000000000":   {},
		"syscall:":                     {},
		"syscall:-":                    {},
		"syscall:openat:x":             {},
		"usdt:node:gc":                 {},
		"usdt:node:gc:":                {},
		"usdt:node::start":             {},
		"usdt":                         {},
		"usdt:libc.so.6:libc:setjmp":   {Kind: USDT, File: "libc.so.6", Provider: "libc", Symbol: "setjmp"},
		"usdt::node:gc__start":         {Kind: USDT, Provider: "node", Symbol: "gc__start"},
		"uprobe::f,value=arg1": {
			Kind: Uprobe, Symbol: "f", Weight: Weight{Factors: 1, First: bpf.OperandRSI},
		},
		"uprobe::f,if=arg0>8,value=arg0*arg3,unit=bytes": {
			Kind: Uprobe, Symbol: "f", If: Condition{bpf.OperandRDI, bpf.Greater, 8},
			Weight: Weight{Factors: 2, First: bpf.OperandRDI, Second: bpf.OperandRCX, Bytes: true},
		},
		"uretprobe::f,value=ret": {
			Kind: Uretprobe, Symbol: "f", Weight: Weight{Factors: 1, First: bpf.OperandRAX},
		},
		"syscall:read,value=ret,unit=bytes": {
			Kind: SyscallEnd, Weight: Weight{Factors: 1, First: bpf.OperandResult, Bytes: true},
		},
		"syscall:read,value=arg2*ret": {
			Kind: SyscallEnd, Weight: Weight{Factors: 2, First: bpf.OperandRDX, Second: bpf.OperandResult},
		},
		"syscall:read,if=ret==0,value=arg2": {
			Kind: SyscallEnd, If: Condition{bpf.OperandResult, bpf.Equal, 0},
			Weight: Weight{Factors: 1, First: bpf.OperandRDX},
		},
		"syscall:execve,value=ret":           {},
		"syscall:clone,if=ret==0":            {},
		"syscall:exit_group,value=ret":       {},
		"tp:sched_switch,value=ret":          {},
		"uprobe::f,every=100":                {Kind: Uprobe, Symbol: "f", Every: 100},
		"uprobe::f,every=1":                  {},
		"uprobe::f,every=1000001":            {},
		"uprobe::f,every=":                   {},
		"uprobe::f,every=2,every=3":          {},
		"uprobe::f,value=ret":                {},
		"uprobe::f,value=":                   {},
		"uprobe::f+1,value=arg0":             {},
		"uprobe::f,value=arg0*arg1*arg2":     {},
		"uprobe::f,unit=bytes":               {},
		"uprobe::f,value=arg0,unit=sheep":    {},
		"uprobe::f,value=arg0,often":         {},
		"usdt:libc.so.6:libc:f,value=arg0":   {},
		"uretprobe::f,value=arg0,unit=bytes": {},
	} {
		want.Text = text
		if want.Kind == 0 {
			want.Text = ""
		}
		got, err := Parse(text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if bad := want.Kind == 0; bad != (err != nil) || bad && !strings.Contains(err.Error(), "probe "+text) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func TestParseAll(t *testing.T) {
	const read, end = "syscall:read", "syscall:read,if=ret>0"
	if all, err := ParseAll([]string{read, "uprobe::f", "uprobe::f+1", end}); err != nil || len(all) != 4 {
		t.Errorf("%v, %v", all, err)
	}
	for _, twice := range []string{"uprobe::f", "uprobe::f+0", "syscall:read,value=ret"} {
		_, err := ParseAll([]string{"uprobe::f", end, twice})
		if err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: error %v", twice, err)
		}
	}
}

// TestExpand: a recipe is its probes, which are there once.
func TestExpand(t *testing.T) {
	for name, probes := range recipes {
		all, err := ParseAll([]string{name, "uprobe::f"})
		if err != nil || len(all) != len(probes)+1 || all[0].Text != probes[0] {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
	malloc, err := ParseAll([]string{"malloc,every=100"})
	if err != nil || len(malloc) != 3 || malloc[2].Every != 100 || malloc[2].Weight.First != bpf.OperandRSI {
		t.Errorf("%v, %v", malloc, err)
	}
	if _, err := ParseAll([]string{"file", "syscall:openat"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("error %v", err)
	}
}

// TestConditions reads conditions. What they choose is in test/e2e.
func TestConditions(t *testing.T) {
	for text, want := range map[string]Condition{
		"uprobe::f,if=arg0==1":                   {bpf.OperandRDI, bpf.Equal, 1},
		"uprobe::f,if=arg1!=0x10":                {bpf.OperandRSI, bpf.NotEqual, 16},
		"uprobe::f,if=arg3 <= 7":                 {bpf.OperandRCX, bpf.LessOrEqual, 7},
		"uprobe::f<a, b>,if=arg5<2":              {bpf.OperandR9, bpf.Less, 2},
		"syscall:read,if=arg3>=2":                {bpf.OperandR10, bpf.GreaterOrEqual, 2},
		"syscall:read,if=file":                   {bpf.OperandRDI, bpf.DescribesFile, 0},
		"syscall:read,if=file==1":                {},
		"syscall:read,if=arg1":                   {},
		"uprobe::f,if=file":                      {},
		"tp:sys_enter,if=file":                   {},
		"syscall:read,if=file,if=ret>0":          {},
		"uretprobe::operator==,if=ret>4096":      {bpf.OperandRAX, bpf.Greater, 4096},
		"uprobe::f,if=":                          {},
		"uprobe::f,if=arg0":                      {},
		"uprobe::f,if=arg0=1":                    {},
		"uprobe::f,if=arg0<>1":                   {},
		"uprobe::f,if=arg0==-1":                  {},
		"uprobe::f,if=arg0==1,if=arg1==1":        {},
		"uprobe::f,if=arg0>18446744073709551616": {},
		"uprobe::f,if=arg6==1":                   {},
		"uprobe::f,if=arg00==1":                  {},
		"uprobe::f,if=ret==1":                    {},
		"uprobe::f+4,if=arg0==1":                 {},
		"uretprobe::f,if=arg0==1":                {},
		"usdt::p:n,if=arg0==1":                   {},
		"malloc,if=arg0>1":                       {},
	} {
		got, err := Parse(text)
		if bad := want == (Condition{}); got.If != want || bad != (err != nil) {
			t.Errorf("%s: %+v, %v, want %+v", text, got.If, err, want)
		}
	}
}

// TestSyscalls compares all names and numbers with those of golang.org/x/sys/unix.
func TestSyscalls(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix/zsysnum_linux_amd64.go"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, m := range regexp.MustCompile(`SYS_(\w+) += (\d+)`).FindAllStringSubmatch(string(source), -1) {
		name := strings.ToLower(m[1])
		if name == "uprobe" || name == "uretprobe" { // the kernel's own, for uprobes
			continue
		}
		got, err := number(name)
		if err != nil || strconv.Itoa(int(got)) != m[2] {
			t.Errorf("%s: %d, %v, want %s", name, got, err, m[2])
		}
		seen++
	}
	if seen < 300 {
		t.Errorf("only %d system calls", seen)
	}
}

func TestNear(t *testing.T) {
	n := near{of: "uv_fs_opem"}
	for _, name := range []string{"uv_fs_close", "uv_fs_open", "uv_run", "uv_fs_opened", "uv_fs_open"} {
		n.add(name)
	}
	if got, want := n.text(), "; like it are uv_fs_open, uv_fs_opened"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for kind, want := range map[string]string{
		"mallok":  `kind "mallok" is unknown; like it is malloc (known: uprobe:`,
		"syscal":  `kind "syscal" is unknown; like it is syscall (known: uprobe:`,
		"nothing": `kind "nothing" is unknown (known: uprobe:`,
	} {
		if err := unknownKind(kind); !strings.HasPrefix(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), "; functions of JavaScript have no probes") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if n := (near{of: "x"}); n.text() != "" {
		t.Errorf("%q of nothing", n.text())
	}
}

func TestLabels(t *testing.T) {
	l := NewLabels(pprofx.ProbeLabel, Texts([]Spec{{Text: "syscall:read"}, {Text: "uprobe::f"}}))
	request := []pprofx.Label{{Key: "a", Num: 1}, {Key: "http.route", Str: "/x"}, {Key: "z", Str: "y"}}
	got := l.With(request, 2)
	want := []pprofx.Label{request[0], {Key: "hotspan.probe", Str: "uprobe::f"}, request[1], request[2]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := l.With(request, 2); &again[0] != &got[0] {
		t.Error("equal labels are made twice")
	}
	if other := l.With(request, 1); other[1].Str != "syscall:read" {
		t.Errorf("%v", other)
	}
	if none := l.With(nil, 1); len(none) != 1 || none[0].Str != "syscall:read" {
		t.Errorf("%v", none)
	}
	if none := l.With(request, 3); len(none) != len(request) {
		t.Errorf("%v", none)
	}
	own := []pprofx.Label{{Key: pprofx.ProbeLabel, Str: "of a rule"}}
	if got := l.With(own, 1); len(got) != 1 || got[0].Str != "syscall:read" || own[0].Str != "of a rule" {
		t.Errorf("%v of %v", got, own)
	}
}

// One recording has one unit; probes without a value may be beside others.
func TestMeasure(t *testing.T) {
	const count, bytes, value = "uprobe::f", "uprobe::g,value=arg0,unit=bytes", "uprobe::h,value=arg0"
	for _, test := range []struct {
		texts []string
		want  pprofx.Measure
	}{
		{[]string{count}, pprofx.HitCount}, {[]string{count, bytes}, pprofx.HitBytes},
		{[]string{value, count}, pprofx.HitValue},
	} {
		specs, err := ParseAll(test.texts)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Measure(specs); got != test.want || err != nil {
			t.Errorf("%v: %v, %v", test.texts, got, err)
		}
	}
	if _, err := ParseAll([]string{bytes, count, value}); err == nil || !strings.Contains(err.Error(), "another unit") {
		t.Errorf("two units: %v", err)
	}
}
