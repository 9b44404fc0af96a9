package doctor

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Capability numbers are those of linux/capability.h: SYS_PTRACE 19, SYS_ADMIN 21, PERFMON 38, BPF 39.
const (
	ptraceBit  = 1 << 19
	adminBit   = 1 << 21
	perfmonBit = 1 << 38
	bpfBit     = 1 << 39
	threeBits  = ptraceBit | perfmonBit | bpfBit
	allBits    = 1<<41 - 1
)

func TestParseStatus(t *testing.T) {
	const status = "Name:\tcat\nCapInh:\t0000000000000000\nCapPrm:\t000001ffffffffff\n" +
		"CapEff:\t000000c000080000\nCapBnd:\t000001fffeffffff\nCapAmb:\t0000000000000000\n"
	got, err := parseStatus([]byte(status))
	if want := (capabilitySets{threeBits, 0x1fffeffffff}); err != nil || got != want {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
	for _, bad := range []string{"", "CapEff:\t0\n", "CapEff:\tx\nCapBnd:\t0\n", "CapEff\nCapBnd\n"} {
		if got, err := parseStatus([]byte(bad)); err == nil {
			t.Errorf("%q: %x, want an error", bad, got)
		}
	}
}

func TestRights(t *testing.T) {
	const setcap = "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep /usr/bin/hotspan"
	docker := "docker run --pid=host --cap-add=BPF --cap-add=PERFMON --cap-add=SYS_PTRACE …"
	for _, c := range []struct {
		name   string
		rights rights
		want   [3]Mark // BPF, PERFMON, SYS_PTRACE
		mends  [3]string
	}{
		{"root", rights{capabilitySets: capabilitySets{allBits, allBits}}, [3]Mark{}, [3]string{}},
		{"SYS_ADMIN stands in for two", rights{capabilitySets: capabilitySets{adminBit | ptraceBit, allBits}},
			[3]Mark{}, [3]string{}},
		{"SYS_ADMIN does not trace", rights{capabilitySets: capabilitySets{adminBit, allBits}},
			[3]Mark{OK, OK, Warning}, [3]string{2: setcap}},
		{"setcap", rights{capabilitySets: capabilitySets{threeBits, allBits}}, [3]Mark{}, [3]string{}},
		{"a user", rights{capabilitySets: capabilitySets{0, allBits}, ptraceScope: -1},
			[3]Mark{Missing, Missing, Warning}, [3]string{setcap, setcap, setcap}},
		{"Yama", rights{capabilitySets: capabilitySets{perfmonBit | bpfBit, allBits}, ptraceScope: 1},
			[3]Mark{2: Missing}, [3]string{2: setcap}},
		{"Yama forbids", rights{capabilitySets: capabilitySets{allBits, allBits}, ptraceScope: 3},
			[3]Mark{2: Missing}, [3]string{
				2: "sudo sed -i 's/ptrace_scope *= *3/ptrace_scope = 1/' /etc/sysctl.d/*.conf && sudo reboot",
			}},
		{"a container", rights{capabilitySets: capabilitySets{0, allBits &^ threeBits}},
			[3]Mark{Missing, Missing, Warning}, [3]string{docker, docker, docker}},
	} {
		c.rights.self = "/usr/bin/hotspan"
		var got [3]Mark
		var mends [3]string
		for i, f := range c.rights.findings() {
			got[i], mends[i] = f.Mark, f.Fix
		}
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.mends, mends); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
