package analysis_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
)

// Where the other command is missing, an error says where to get it.
func TestWebIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said bytes.Buffer
	code := cli.Main([]string{"web", recordingtest.Ranking(t)}, &said, &said)
	if code != exit.Failed || !strings.Contains(said.String(), "hotspan-web is neither beside hotspan nor in $PATH") {
		t.Errorf("code %d, %s", code, &said)
	}
}
