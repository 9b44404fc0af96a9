package main

import (
	"strings"
	"testing"
)

const listed = `# comment

example.com/a TestOld   the kernel is too old
example.com/a TestCore/*/died there are no cores
`

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name, events string
		ok           bool
		says         []string
	}{
		{"passes", `{"Action":"pass","Package":"example.com/a","Test":"TestA"}
{"Action":"output","Package":"example.com/a","Output":"ok  \texample.com/a\t1s\n"}
{"Action":"pass","Package":"example.com/a"}`, true, []string{"ok  \texample.com/a\t1s\n",
			"1 packages ok, 1 tests passed, 0 skipped as listed, 0 failures"}},

		{"takes long", `{"Action":"pass","Package":"example.com/a","Test":"TestA","Elapsed":7.25}
{"Action":"pass","Package":"example.com/a","Test":"TestA/x","Elapsed":7}
{"Action":"pass","Package":"example.com/a","Test":"TestB","Elapsed":61}`, true,
			[]string{"  61.0 s example.com/a TestB\n   7.2 s example.com/a TestA\n", "3 tests passed"}},

		{"fails", `{"Action":"output","Package":"example.com/a","Test":"TestA","Output":"a_test.go:3: no\n"}
{"Action":"fail","Package":"example.com/a","Test":"TestA"}
{"Action":"fail","Package":"example.com/a"}`, false, []string{"a_test.go:3: no\n", "FAILED example.com/a TestA\n"}},

		{"a listed skip", `{"Action":"skip","Package":"example.com/a","Test":"TestOld"}
{"Action":"pass","Package":"example.com/a","Test":"TestA"}`, true,
			[]string{"SKIPPED example.com/a TestOld: the kernel is too old\n", "1 skipped as listed"}},

		{"a skip by a pattern", `{"Action":"skip","Package":"example.com/a","Test":"TestCore/24.1.0/died"}
{"Action":"pass","Package":"example.com/a","Test":"TestA"}`, true,
			[]string{"SKIPPED example.com/a TestCore/24.1.0/died: there are no cores\n", "1 skipped as listed"}},

		{"not drawn", `{"Action":"output","Package":"m/a","Test":"TestA","Output":"DRAW has not drawn this one"}
{"Action":"skip","Package":"m/a","Test":"TestA"}
{"Action":"pass","Package":"m/a","Test":"TestB"}`, true,
			[]string{"NOT DRAWN m/a TestA\n", "1 tests passed, 0 skipped as listed, 0 failures"}},

		{"beside a pattern", `{"Action":"skip","Package":"example.com/a","Test":"TestCore/24.1.0/lives"}
{"Action":"pass","Package":"example.com/a","Test":"TestA"}`, false,
			[]string{"FAILED example.com/a TestCore/24.1.0/lives: skipped"}},

		{"another skip",
			`{"Action":"output","Package":"example.com/b","Test":"TestOld","Output":"b_test.go:3: not today\n"}
{"Action":"skip","Package":"example.com/b","Test":"TestOld"}
{"Action":"pass","Package":"example.com/b","Test":"TestB"}`, false,
			[]string{"not today", "FAILED example.com/b TestOld: skipped"}},

		{"does not build", `{"Action":"build-output","ImportPath":"example.com/a","Output":"./a.go:1:1: what?\n"}
{"Action":"fail","Package":"example.com/a"}`, false, []string{"./a.go:1:1: what?\n", "FAILED example.com/a\n"}},

		{"dies", `{"Action":"output","Package":"example.com/a","Test":"TestA","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"example.com/a"}`, false, []string{"panic: test timed out\n"}},

		{"no tests at all", `{"Action":"skip","Package":"example.com/a"}`, false, []string{"0 tests passed"}},

		{"not JSON", `go: downloading x
{"Action":"pass","Package":"example.com/a","Test":"TestA"}`, true, []string{"go: downloading x\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			allowed, err := readSkips(strings.NewReader(listed))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			r := newReport(&out, allowed)
			if err := read(strings.NewReader(c.events), r); err != nil {
				t.Fatal(err)
			}
			if ok := r.end(); ok != c.ok {
				t.Errorf("well %v, want %v", ok, c.ok)
			}
			for _, want := range c.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, out.String())
				}
			}
		})
	}
}

func TestReadSkipsErrors(t *testing.T) {
	_, err := readSkips(strings.NewReader("# x\nexample.com/a TestA\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2: want PACKAGE TEST REASON") {
		t.Errorf("error %v", err)
	}
}
