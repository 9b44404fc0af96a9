package doctor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Capability numbers are those of linux/capability.h: SYS_PTRACE 19, SYS_ADMIN 21, SYSLOG 34, PERFMON 38, BPF 39.
const (
	ptraceBit  = 1 << 19
	adminBit   = 1 << 21
	syslogBit  = 1 << 34
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

const (
	setcap3 = "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep /usr/bin/hotspan"
	setcap4 = "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep /usr/bin/hotspan"
)

func TestRights(t *testing.T) {
	docker := "docker run --pid=host --cap-add=BPF --cap-add=PERFMON --cap-add=SYS_PTRACE …"
	for _, c := range []struct {
		name   string
		rights rights
		want   [4]Mark // BPF, PERFMON, SYS_PTRACE, kernel names
		mends  [4]string
	}{
		{"root", rights{capabilitySets: capabilitySets{allBits, allBits}, kernelNames: true}, [4]Mark{}, [4]string{}},
		{"SYS_ADMIN stands in for two", rights{capabilitySets: capabilitySets{adminBit | ptraceBit, allBits},
			kernelNames: true}, [4]Mark{}, [4]string{}},
		{"SYS_ADMIN does not trace", rights{capabilitySets: capabilitySets{adminBit, allBits}, kernelNames: true},
			[4]Mark{OK, OK, Warning, OK}, [4]string{2: setcap3}},
		{"setcap", rights{capabilitySets: capabilitySets{threeBits, allBits}}, [4]Mark{3: Warning},
			[4]string{3: setcap4}},
		{"kptr_restrict", rights{capabilitySets: capabilitySets{allBits, allBits}, kptr: 2}, [4]Mark{3: Warning},
			[4]string{3: "sudo sysctl kernel.kptr_restrict=1"}},
		{"both", rights{capabilitySets: capabilitySets{threeBits, allBits}, kptr: 2}, [4]Mark{3: Warning},
			[4]string{3: "sudo sysctl kernel.kptr_restrict=1 && " + setcap4}},
		{"a user", rights{capabilitySets: capabilitySets{0, allBits}, kernelNames: true, ptraceScope: -1},
			[4]Mark{Missing, Missing, Warning, OK}, [4]string{setcap3, setcap3, setcap3}},
		{"Yama", rights{capabilitySets: capabilitySets{perfmonBit | bpfBit, allBits}, kernelNames: true,
			ptraceScope: 1},
			[4]Mark{2: Missing}, [4]string{2: setcap3}},
		{"Yama forbids", rights{capabilitySets: capabilitySets{allBits, allBits}, kernelNames: true, ptraceScope: 3},
			[4]Mark{2: Missing}, [4]string{
				2: "sudo sed -i 's/ptrace_scope *= *3/ptrace_scope = 1/' /etc/sysctl.d/*.conf && sudo reboot",
			}},
		{"a container", rights{capabilitySets: capabilitySets{syslogBit, allBits &^ threeBits}, kernelNames: true},
			[4]Mark{Missing, Missing, Warning, OK}, [4]string{docker, docker, docker}},
	} {
		c.rights.self = "/usr/bin/hotspan"
		var got [4]Mark
		var mends [4]string
		for i, f := range c.rights.findings() {
			got[i], mends[i] = f.Mark, f.Fix
		}
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.mends, mends); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestShowsAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"0000000000000000 A fixed_percpu_data\n0000000000001000 A cpu_debug_store\n": true,
		"ffffffff81000000 T _text\n":                                       true,
		"0000000000000000 A fixed_percpu_data\n0000000000000000 T _text\n": false,
		"": false,
		strings.Repeat("0000000000000000 T f\n", maxHiddenLines) + "ffffffff81000000 T g\n": false,
	} {
		if got := showsAddresses(strings.NewReader(text)); got != want {
			t.Errorf("%.60q: %v, want %v", text, got, want)
		}
	}
}
