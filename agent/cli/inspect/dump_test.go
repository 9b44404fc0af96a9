package inspect

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/dump"
	"github.com/hotspan/hotspan/pprofx"
)

// someDump has a thread in a request, with text that a terminal would act on, and one that was not caught.
func someDump() *dump.Dump {
	return &dump.Dump{PID: 7, CommandLine: []string{"node", "x.js"}, Node: "24.21.0", NotVerified: "lines",
		Threads: []dump.Thread{
			{TID: 7, Name: "MainThread", Status: "sleeping", Caught: true, Stop: pprofx.StopNoRule,
				State:  pprofx.StateJS,
				Labels: []pprofx.Label{{Key: "tenant", Str: "a\x1b[2J"}, {Key: "user", Num: 41}},
				Stack: []*pprofx.Frame{
					{Function: "read", Kind: pprofx.Native, Module: "/lib/libc.so.6"},
					{Function: "f\nthread 8", File: "/srv/x.js", Line: 3, Column: 9, Tier: pprofx.Maglev,
						Inlined: true},
					{Function: "JSEntry", Kind: pprofx.Builtin},
				}},
			{TID: 8, Name: "busy", Status: "running"},
		}}
}

func TestDumpText(t *testing.T) {
	var out bytes.Buffer
	(&sheet{terminal.Sheet{Writer: &out}}).dump(someDump())
	want := strings.TrimLeft(`
process 7: node x.js, Node.js 24.21.0
not verified, so left out: lines

thread 7 MainThread: sleeping, V8 js, tenant=a [2J, user=41
    read  libc.so.6
    f thread 8  /srv/x.js:3:9  maglev, inlined
    JSEntry  builtin
    [the stack ends here: no unwind rule]

thread 8 busy: running, its stack did not stand still
`, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestDumpJSON(t *testing.T) {
	var out bytes.Buffer
	if err := terminal.PrintJSON(&out, dumpOf(someDump())); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := []any{
		map[string]any{"tid": 7., "name": "MainThread", "status": "sleeping", "caught": true, "state": "js",
			"stop": "no unwind rule", "labels": map[string]any{"tenant": "a\x1b[2J", "user": 41.},
			"stack": []any{
				map[string]any{"f": "read", "mod": "/lib/libc.so.6", "kind": "native"},
				map[string]any{"f": "f\nthread 8", "file": "/srv/x.js", "line": 3., "col": 9., "kind": "js",
					"tier": "maglev", "inlined": true},
				map[string]any{"f": "JSEntry", "kind": "builtin"},
			}},
		map[string]any{"tid": 8., "name": "busy", "status": "running", "caught": false, "stack": []any{}},
	}
	if diff := cmp.Diff(want, got["threads"]); diff != "" {
		t.Error(diff)
	}
}
