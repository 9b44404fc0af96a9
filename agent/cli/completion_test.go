package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asHotspan has the test program be hotspan.
const asHotspan = "HOTSPAN_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asHotspan) != "" {
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestBashCompletes: bash itself gets the words that go on, by the function that it calls at a tab.
func TestBashCompletes(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := "#!/bin/sh\n" + asHotspan + "=1 exec '" + self + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "hotspan"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]string{
		"hotspan rec":                      {"record"},
		"hotspan re":                       {"record", "report"},
		"hotspan record -p 1 --snap":       {"--snapshot-every"},
		"hotspan record --label a=b --rul": {"--rules"},
		"hotspan record --no-c":            {"--no-cache"},
		"hotspan completion ":              {"bash", "fish", "zsh"},
		"hotspan help sto":                 nil,
		"hotspan help sta":                 {"status"},
		"hotspan report --comp":            {"--compare-age"},
		"hotspan convert cpu.o":            nil, // bash goes on with files
	} {
		cmd := exec.Command("bash", "--norc", "-c", `source <(hotspan completion bash)
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; } # works only while bash completes
__start_hotspan
printf '%s\n' "${COMPREPLY[@]}"`, "bash", line)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		var got []string
		for _, reply := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			word, _, _ := strings.Cut(reply, "  ") // a description follows where there are several
			if word = strings.TrimSpace(word); word != "" {
				got = append(got, word)
			}
		}
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", line, got, err, want)
		}
	}
}
