package results

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type one struct {
	Name string
	N    int
}

func TestReadWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results.jsonl")
	if got, err := Read[one](name); err != nil || got != nil {
		t.Errorf("of no file: %v, %v", got, err)
	}
	want := []one{{"a<b", 1}, {"c", 2}}
	if err := Write(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read[one](name)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	text, err := os.ReadFile(name)
	if err != nil || string(text) != "{\"Name\":\"a<b\",\"N\":1}\n{\"Name\":\"c\",\"N\":2}\n" {
		t.Errorf("%v: %s", err, text)
	}
	if err := os.WriteFile(name, append(text, `{"Other":1}`...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read[one](name); err == nil || !strings.Contains(err.Error(), "line 3: ") {
		t.Error(err)
	}
}

func TestPut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.md")
	if err := os.WriteFile(name, []byte("all 12 of it\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	numbers := regexp.MustCompile(`\d+`)
	if err := Put(name, numbers, "$13"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "all $13 of it\n" {
		t.Errorf("%v: %s", err, text)
	}
	if err := Put(name, regexp.MustCompile("none"), ""); err == nil {
		t.Error("it has no figures")
	}
}
