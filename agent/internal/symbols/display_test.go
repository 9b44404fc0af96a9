package symbols

import (
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestDisplay has its wanted names from C++ and from the names of glibc, Rust and GCC's clones, written by hand.
func TestDisplay(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"_ZN2v88internal4Heap8ScavengeEv", "v8::internal::Heap::Scavenge"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"},
		{"_ZN4node2fs4OpenERKN2v820FunctionCallbackInfoINS1_5ValueEEE.cold", "node::fs::Open"},
		{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()"},
		{"_ZN3fooltERKS_", "foo::operator<"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
		{"memcpy@@GLIBC_2.14", "memcpy"},
		{"Builtins_ArrayMap", "Builtins_ArrayMap"},
		{"_ZZZ", "_ZZZ"},
		{"uv__io_poll", "uv__io_poll"},
	} {
		if got := display(tt.name); got != tt.want {
			t.Errorf("display(%s) = %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSlowNames: no name takes long. Names are looked up between samples, and any process can have such names.
func TestSlowNames(t *testing.T) {
	nested := "i"
	for range 22 {
		nested = "N1acvT_I" + nested + "EE"
	}
	long := "_ZN" + strings.Repeat("1a", 8000) + "E"
	for name, times := range map[string]int{"_Z" + nested + "v": 1, long: 100} {
		before := budget.OwnCPU()
		for range times {
			display(name)
		}
		if d := budget.OwnCPU() - before; d > time.Second {
			t.Errorf("%d times %s..., %d bytes, took %v", times, name[:20], len(name), d)
		}
	}
}

func TestShorten(t *testing.T) {
	long := strings.Repeat("int, ", 20) + "int"
	for _, tt := range []struct{ name, want string }{
		{"std::map<" + long + " >::find", "std::map<...>::find"},
		{"std::map<int, long>::" + strings.Repeat("very", 20), "std::map<int, long>::" + strings.Repeat("very", 20)},
		{"a<" + long + ">::b<int>::c<d<" + long + "> >", "a<...>::b<int>::c<...>"},
		{"a<((1)>(2)), " + long + ">::b", "a<...>::b"},
		{"a<((1)<(2)), " + long + ">::b", "a<...>::b"},
		{"a<" + long + ">::operator< <" + long + ">", "a<...>::operator< <...>"},
		{"a<" + long + ">::operator->", "a<...>::operator->"},
		{"a<" + long + ">::operator<<= <" + long + ">", "a<...>::operator<<= <...>"},
		{"(anonymous namespace)::a<" + long + ">", "(anonymous namespace)::a<...>"},
		{"a<decltype (b->c), " + long + ">::d", "a<...>::d"},
		{"cut off::a<" + long, "cut off::a<...>"},
		{")>)>" + long, ")>)>" + long},
	} {
		if got := shorten(tt.name); got != tt.want {
			t.Errorf("shorten(%s) = %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestCxxfilt compares all C++ names of Node with binutils: equal where neither parameters nor a long list of
// template arguments were left out, and without any template arguments else.
func TestCxxfilt(t *testing.T) {
	table := openFile(t, live.Binary(t, "24.21.0"))
	var names []string
	for _, e := range entries(table) {
		name := string(e.name)
		if strings.HasPrefix(name, "_Z") && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	lines := strings.Split(string(binutils(t, []byte(strings.Join(names, "\n")), "c++filt", "-p")), "\n")
	equal, bare := 0, 0
	for i, name := range names {
		want, got := lines[i], display(name)
		switch plain := strings.ReplaceAll(want, "(anonymous namespace)", ""); {
		case strings.ContainsAny(plain, "({[") || strings.Contains(plain, "operator"):
			continue // enclosing functions with parameters, and what would confuse the counting below
		case len(want) <= maxArguments:
			equal++
		default:
			bare++
			want, got = withoutArguments(want), withoutArguments(got)
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	t.Logf("%d names equal, %d equal without template arguments, of %d", equal, bare, len(names))
	if equal < 20000 || bare < 20000 {
		t.Error("too few to say much")
	}
}

func withoutArguments(name string) string {
	var out strings.Builder
	depth := 0
	for _, c := range name {
		if c == '<' {
			depth++
		}
		if depth == 0 {
			out.WriteRune(c)
		}
		if c == '>' {
			depth--
		}
	}
	return out.String()
}
