package analysis

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
)

// Web is the verb that shows recordings in the browser.
type Web struct {
	Files []string `arg:"" help:"Recordings (.otlp or .jsonl), or the folder of the agent's store."`
	recording.FilterFlags
	Source bool   `help:"${source}"`
	Port   uint16 `help:"Port on 127.0.0.1; else a free one." placeholder:"PORT"`
}

// webProgram is the command that shows what this one writes.
const webProgram = "hotspan-web"

// Run writes the chosen samples of recordings for pprof and as a page, and becomes the command that shows both.
func (v *Web) Run(_ io.Writer, c terminal.Console) error {
	program, err := findWeb()
	if err != nil {
		return err
	}
	profile, err := newMemoryFile(recording.Pprof)
	if err != nil {
		return err
	}
	html, err := newMemoryFile(page.HTML)
	if err != nil {
		return err
	}
	source, err := output.OpenSources(v.Source, page.HTML)
	if err != nil {
		return err
	}
	source.Embed(html.Writer)
	rows := 0
	err = v.EachSnapshot(c, v.Files, func(s *pprofx.Snapshot) error {
		rows += len(s.Rows)
		return errors.Join(recording.RequireTimes(s, "the page"), profile.Add(s), html.Add(s))
	})
	if err == nil && rows == 0 {
		err = fmt.Errorf("%s: no samples are chosen", strings.Join(v.Files, " "))
	}
	if err := errors.Join(err, profile.Close(), html.Close()); err != nil {
		return err
	}
	source.Say(c)
	for _, f := range []*memoryFile{profile, html} {
		if left := f.LeftOut(); left.Samples > 0 {
			fmt.Fprintf(c, "%d samples are left out of the %s, because it is full\n", left.Samples, f.format)
		}
	}
	args := []string{webProgram, strconv.Itoa(int(v.Port)), profile.path(), html.path()}
	err = unix.Exec(program, args, os.Environ())
	return fmt.Errorf("execute %s: %w", program, err)
}

// findWeb returns the command beside this one, or else in the user's PATH.
func findWeb() (string, error) {
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), webProgram)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	program, err := exec.LookPath(webProgram)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside hotspan nor in $PATH: make build puts it into bin, and "+
			"npm install @hotspan/web-linux-x64 installs it for npx hotspan", webProgram)
	}
	return program, nil
}

// memoryFile is a file without a name: it is gone with the processes that have it open, however they end.
type memoryFile struct {
	pprofx.Writer
	file   *os.File
	format pprofx.Format
}

func newMemoryFile(format pprofx.Format) (*memoryFile, error) {
	fd, err := unix.MemfdCreate(string(format), 0) // stays open in what this process becomes
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	f := &memoryFile{file: os.NewFile(uintptr(fd), string(format)), format: format}
	f.Writer, err = recording.NewWriter(f.file, format)
	return f, err
}

func (f *memoryFile) path() string { return fmt.Sprintf("/proc/self/fd/%d", f.file.Fd()) }
