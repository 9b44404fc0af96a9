package bpf

import "testing"

func TestCheckArchitecture(t *testing.T) {
	if err := checkArchitecture("amd64"); err != nil {
		t.Error(err)
	}
	const want = "hotspan samples x86-64 only; this is arm64"
	if err := checkArchitecture("arm64"); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
