package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// maxShell bounds a page without its data, in bytes.
const maxShell = 400 << 10

var (
	element = regexp.MustCompile(`(?s)<(style|script type="module")>(.*?)</(?:style|script)>`)
	policy  = regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`)
)

// TestShell: the policy of a page allows its own script and style and nothing else, and no name of a target is outside
// the data.
func TestShell(t *testing.T) {
	snapshots, _ := random(t, rand.New(rand.NewPCG(1, 3)), 300)
	page := string(written(t, newWriter(nil, fullLimits), snapshots...))
	shell := dataElement.ReplaceAllString(page, "")
	if shell == page || len(shell) > maxShell {
		t.Errorf("without its data the page has %d of %d bytes, the limit is %d", len(shell), len(page), maxShell)
	}
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; script-src %s; style-src %s"
	hashes := map[string]string{}
	for _, m := range element.FindAllStringSubmatch(shell, -1) {
		sum := sha256.Sum256([]byte(m[2]))
		hashes[m[1][:5]] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want = fmt.Sprintf(want, hashes["scrip"], hashes["style"])
	if m := policy.FindStringSubmatch(shell); m == nil || m[1] != want {
		t.Errorf("policy %q, want %q", m, want)
	}
	if n := strings.Count(shell, "<script"); n != 1 {
		t.Errorf("%d scripts beside the data, want 1", n)
	}
	random, _ := random(t, rand.New(rand.NewPCG(9, 9)), 30)
	other := string(written(t, newWriter(nil, fullLimits), random...))
	if dataElement.ReplaceAllString(other, "") != shell {
		t.Error("pages of other samples differ in more than their data")
	}
}
