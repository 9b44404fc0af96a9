package text

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

func TestExample(t *testing.T) {
	for path, write := range map[string]func(io.Writer, *pprofx.Snapshot) error{
		"testdata/example.collapsed": WriteCollapsed, "testdata/example.perf": WritePerfScript,
	} {
		t.Run(path, func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), written(t, write, pprofxtest.Example())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// written is what a function writes of s.
func written(t *testing.T, write func(io.Writer, *pprofx.Snapshot) error, s *pprofx.Snapshot) string {
	t.Helper()
	var buf bytes.Buffer
	if err := write(&buf, s); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}
