package output

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/pprofx"
)

// A file that cannot be written is named once, by its own name, with the reason. One can tell that it is the disk.
func TestWriteError(t *testing.T) {
	const full = "/dev/full"
	for _, format := range []pprofx.Format{recording.Pprof, recording.Collapsed, recording.OTLP} {
		b, err := pprofx.NewBuilder(1000, 10)
		if err != nil {
			t.Fatal(err)
		}
		b.Add(&pprofx.Sample{Time: 1000, PID: 1, TID: 1, Stop: pprofx.StopRoot,
			Stack: []*pprofx.Frame{{Function: "f"}}})
		f, err := Create(full, format)
		if err != nil {
			t.Fatal(err)
		}
		if err = f.Add(b.Cut(1100)); err == nil {
			err = f.Finish()
		}
		var disk *fs.PathError
		if err == nil || err.Error() != "write /dev/full: no space left on device" || !errors.As(err, &disk) {
			t.Errorf("%v: %v", format, err)
		}
	}
}
