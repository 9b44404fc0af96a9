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
