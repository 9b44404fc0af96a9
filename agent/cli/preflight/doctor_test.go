package preflight

import (
	"errors"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/doctor"

	"github.com/google/go-cmp/cmp"
)

func TestFindings(t *testing.T) {
	var b strings.Builder
	w := &sheet{terminal.Sheet{Writer: &b}}
	w.findings("permissions", []doctor.Finding{
		{Mark: doctor.OK, What: "kernel", Found: "Linux 6.1"},
		{Mark: doctor.Missing, What: "CAP_BPF", Found: "needed", Fix: "sudo one"},
		{Mark: doctor.Warning, What: "CAP_SYS_PTRACE", Found: "needed", Fix: "sudo one"},
		{Mark: doctor.Warning, What: "kernel names", Found: "hidden", Fix: "sudo two"},
	})
	const want = `permissions
  ok       kernel          Linux 6.1
  missing  CAP_BPF         needed
  warning  CAP_SYS_PTRACE  needed
                           $ sudo one
  warning  kernel names    hidden
                           $ sudo two
`
	if diff := cmp.Diff(want, b.String()); diff != "" || w.Err != nil {
		t.Errorf("%v (-want +got):\n%s", w.Err, diff)
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"/opt/node 24/bin/node", "server.js"}, "node server.js"},
		{[]string{"./node", "a b.js"}, "node a b.js"},
		{[]string{"npm exec tsx src/server.ts"}, "npm exec tsx src/server.ts"},
		{[]string{"node", "--import", "file://" + strings.Repeat("/long", 30), "src/server.ts"},
			"node --import file:///long/long/long/long/lon…/long/long/long/long/long/long src/server.ts"},
	} {
		if got := commandLine(c.args); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	missing := []doctor.Finding{{Mark: doctor.Missing, What: "BTF"}, {Mark: doctor.Warning, What: "names"},
		{Mark: doctor.Missing, What: "CAP_BPF"}}
	for _, c := range []struct {
		name  string
		found doctor.Diagnosis
		pid   int
		want  string // empty: no error
	}{
		{"good", doctor.Diagnosis{Processes: []doctor.NodeProcess{{Denied: errors.New("no")}}}, 0, ""},
		{"the process asked for",
			doctor.Diagnosis{Processes: []doctor.NodeProcess{{Denied: errors.New("another user's")}}}, 7,
			"process 7: another user's"},
		{"its V8", doctor.Diagnosis{Processes: []doctor.NodeProcess{{Cannot: errors.New("unknown")}}}, 7,
			"process 7 cannot be sampled: unknown"},
		{"the machine", doctor.Diagnosis{Machine: missing}, 0,
			"sampling is not possible here: see BTF and CAP_BPF above"},
	} {
		got := ""
		if err := verdict(&c.found, c.pid); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
