package doctor

import (
	"strings"
	"testing"
)

func TestKernelVersion(t *testing.T) {
	for release, want := range map[string]Mark{
		"6.18.44-fc-v657":              OK,
		"5.17":                         OK,
		"5.17.0-rc1":                   OK,
		"6.1-rc3":                      OK,
		"10.0.1":                       OK,
		"5.16.20":                      Missing,
		"5.4.0-216-generic":            Missing,
		"4.18.0-553.el8.x86_64":        Missing,
		"5.15.167.4-microsoft-WSL2":    Missing,
		"6":                            Warning,
		"six.one":                      Warning,
		"":                             Warning,
		"99999999999999999999.1.1.1.1": Warning,
	} {
		if got := kernelVersion(release); got.Mark != want {
			t.Errorf("%q: mark %d (%s), want %d", release, got.Mark, got.Found, want)
		}
	}
}

// TestUntried: doctor says so on a kernel that is not in the list.
func TestUntried(t *testing.T) {
	for release, want := range map[string]bool{"6.1.0-50-amd64": false, "6.12.3": false, "6.14.0": true, "9.1": true} {
		found := kernelVersion(release).Found
		if said := strings.Contains(found, "was not tried: it was on 6.1, 6.12"); said != want {
			t.Errorf("%s: %s", release, found)
		}
	}
}

func TestSampleRate(t *testing.T) {
	for limit, want := range map[int]Mark{100000: OK, 99: OK, 98: Warning, 0: Missing} {
		got := sampleRate(limit)
		if got.Mark != want || (got.Fix != "") != (want == Warning) {
			t.Errorf("limit %d: %+v, want mark %d", limit, got, want)
		}
	}
}

func TestOpenFiles(t *testing.T) {
	if got := openFiles(131, 131); got != nil {
		t.Errorf("as many as are needed: %+v", got)
	}
	got := openFiles(20, 131)
	if len(got) != 1 || got[0].Mark != Warning || !strings.Contains(got[0].Found, "up to 20 ") ||
		got[0].Fix != "ulimit -n 1024" {
		t.Errorf("too few: %+v", got)
	}
}

func TestBTF(t *testing.T) {
	got := btf(t.TempDir() + "/vmlinux")
	if got.Mark != Missing || !strings.Contains(got.Found, "CONFIG_DEBUG_INFO_BTF") {
		t.Errorf("no BTF: %+v", got)
	}
}

// A kernel with backported features has a version that is too low, and yet the BPF program runs on it.
func TestProofCountsMoreThanNumbers(t *testing.T) {
	for _, proof := range []Mark{OK, Missing} {
		d := Diagnosis{Machine: []Finding{kernelVersion("5.14.0-503.el9.x86_64")}}
		d.trustProof(Finding{Mark: proof})
		if got := len(d.Lacking()); got != int(proof)/int(Missing) {
			t.Errorf("proof %d: lacking %v", proof, d.Lacking())
		}
	}
}
