package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// asJSON reads what a command prints, which may say nothing else.
func asJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	c := exec.Command(hotspan, args...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("%v: %s", err, &said)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestContextsAsJSON: the stores, with values that the program has in them, and rules that make labels of them.
func TestContextsAsJSON(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "contexts.js")
	if err := os.WriteFile(script, []byte(contextsProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	pid := live.Start(t, "24.21.0", script).PID
	var found struct {
		PID     int
		Node    string
		Threads []struct {
			TID, Looks, Current int
			Stores              []struct {
				Name     string
				Seen     int
				Examples map[string]string
				Rules    []string
			}
		}
	}
	asJSON(t, &found, "contexts", "--json", "-p", strconv.Itoa(pid))
	if found.PID != pid || found.Node != "24.21.0" || len(found.Threads) != 2 {
		t.Fatalf("%+v", found)
	}
	tenants := map[string]string{}
	for _, s := range found.Threads[0].Stores {
		tenants[s.Name] = s.Examples["user.tenant"] + s.Examples[`get("tenant")`]
		rule := map[string]string{"app": "tenant=user.tenant", "job": `tenant=get("tenant")`}[s.Name]
		if s.Seen == 0 || !slices.Contains(s.Rules, rule) {
			t.Errorf("no rule %s: %+v", rule, s)
		}
	}
	if len(tenants) != 2 || tenants["app"] != `"acme"` || tenants["job"] != `"globex"` {
		t.Errorf("%q", tenants)
	}
}

// TestDoctorAsJSON: what doctor says of a process and of the machine.
func TestDoctorAsJSON(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	var found struct {
		Lacking              []string
		Machine, Permissions []struct{ Mark, What, Found string }
		Processes            []struct {
			PID            int
			Node, V8       string
			Executable     string
			Denied, Cannot string
			Layout         struct{ Code, Constants, Rules int }
			Verified       int
		}
	}
	asJSON(t, &found, "doctor", "--json", "-p", strconv.Itoa(p.PID))
	if len(found.Lacking) > 0 || len(found.Machine) == 0 || len(found.Permissions) == 0 || len(found.Processes) != 1 {
		t.Fatalf("%+v", found)
	}
	for _, f := range append(found.Machine, found.Permissions...) {
		if f.What == "" || f.Found == "" || f.Mark != "ok" && f.Mark != "warning" {
			t.Errorf("%+v", f)
		}
	}
	one := found.Processes[0]
	known := one.Layout.Code + one.Layout.Constants + one.Layout.Rules
	if one.PID != p.PID || one.Node != "24.21.0" || one.Executable != node24(t) || one.Cannot+one.Denied != "" ||
		one.Verified < leastVerified || one.Verified > known {
		t.Errorf("%+v", one)
	}
}

// TestQuiet: where nothing is lost, verbs with --quiet say nothing, and write what they write otherwise.
func TestQuiet(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	a := startAgent(t, "--name", regexp.QuoteMeta(p.Log))
	out := filepath.Join(t.TempDir(), "out.jsonl")
	pid := strconv.Itoa(p.PID)
	for _, args := range [][]string{
		{"record", "-p", pid, "-d", "2s", "-o", out},
		{"stream", "--socket", a.socket, "-d", "2s", "-o", out},
		{"top", "-p", pid, "-n", "1", "--json"},
	} {
		os.Remove(out)
		c := exec.Command(hotspan, append(args, "--quiet")...)
		var said strings.Builder
		c.Stderr = &said
		printed, err := c.Output()
		if err != nil || said.Len() > 0 {
			t.Errorf("%v: %v: %s", args, err, &said)
		}
		if args[0] == "top" {
			if !strings.HasPrefix(string(printed), "{") {
				t.Errorf("%v: %s", args, printed)
			}
		} else if len(readSamples(t, out)) == 0 {
			t.Errorf("%v: no samples", args)
		}
	}
	a.stop(t)
}
