package dump

import (
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/walk"
	"github.com/hotspan/hotspan/v8/target/core"
)

// OfCore takes the dump of a core file: the threads as they were when the process died, the one that got the signal
// first. All of them are caught. Their names and statuses are not in a core. Nothing is read of a process that has the
// PID now, and source maps are not applied. executable is as in process.OpenCore; problems are those of mapped files.
func OfCore(from *core.Core, executable string, c Config) (d *Dump, problems []error, err error) {
	code := walk.NewCode()
	files := c.files(code)
	defer files.Close()
	return ofCore(from, executable, c, files, code)
}

// ofCore is OfCore with a cache of files, whose unwind rules go to code.
func ofCore(from *core.Core, executable string, c Config, files *elffile.Cache, code *walk.Code) (d *Dump,
	problems []error, err error) {
	p, err := process.OpenCore(from, executable, files)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	if err := process.CanSample(p.Layout); err != nil {
		return nil, p.Problems, fmt.Errorf("%s: %w", p.Executable, err)
	}
	u, left, err := walk.New(p.Process, code)
	if err != nil {
		return nil, p.Problems, err
	}
	if left > 0 {
		c.Log.Warn("process has more executable mappings than are kept", "left out", left)
	}
	c.NoSourceMaps = true
	t := newTaker(&c, p.Process, u, nil, p.TypeNames)
	d = &Dump{PID: from.PID, CommandLine: strings.Fields(from.Arguments), Node: p.Layout.Node,
		NotVerified: t.off.String()}
	for _, thread := range from.Threads {
		to := Thread{TID: thread.TID, Caught: true}
		t.one(thread.TID, thread.Registers, &to)
		d.Threads = append(d.Threads, to)
	}
	return d, p.Problems, nil
}
