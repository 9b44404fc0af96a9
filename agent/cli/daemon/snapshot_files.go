package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/pprofx"
)

// snapshotFiles writes each snapshot to a file of its own; %t in the path is when it begins, UTC, in microseconds: one
// that begins where a process has called execve may follow another at once. Files and the directories that are made for
// them are not everybody's: they have labels and names of all users' processes.
type snapshotFiles struct {
	path    string
	per     string        // a label of which each value gets a file: %v in the path; empty for none
	timeout time.Duration // for which one try waits for the disk

	under   *writing // what a try before has left; nil: nothing
	cleaned bool     // what an agent before has left is removed
}

// writing is the files of a snapshot that are being written.
type writing struct {
	of   *pprofx.Snapshot
	done chan error
}

// Write implements export.Receiver, for one goroutine. A disk that hangs lets nobody end what waits for it: after a
// while that is an error, and the next try waits for the same files.
func (f *snapshotFiles) Write(ctx context.Context, s *pprofx.Snapshot) error {
	w := f.under
	if w == nil {
		w = &writing{s, make(chan error, 1)}
		f.under = w
		go func() {
			defer priority.Background()()
			w.done <- f.write(s)
		}()
	}
	select {
	case err := <-w.done:
		f.under = nil
		if w.of != s {
			return f.Write(ctx, s)
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(f.timeout):
		return fmt.Errorf("%s: the disk has not answered for %v", f.path, f.timeout)
	}
}

func (f *snapshotFiles) write(s *pprofx.Snapshot) error {
	if !f.cleaned {
		f.cleaned = true
		removeLeft(f.path)
	}
	begin := time.Unix(0, s.Start).UTC().Format("20060102T150405.000000")
	path := strings.ReplaceAll(f.path, "%t", begin)
	if f.per == "" {
		return writeSnapshot(path, s)
	}
	groups := s.GroupBy(f.per)
	if len(groups) == 0 { // losses only
		groups = []pprofx.Group{{}}
	}
	for i, part := range s.Split(groups) {
		if err := writeSnapshot(strings.ReplaceAll(path, "%v", fileName(groups[i].Value)), part); err != nil {
			return err
		}
	}
	return nil
}

func writeSnapshot(path string, s *pprofx.Snapshot) error {
	format, err := recording.FormatOf(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	out, err := output.CreateMode(path, format, output.Shared)
	if err != nil {
		return err
	}
	if err = out.Add(s); err == nil {
		err = out.Finish()
	}
	if err != nil {
		out.Remove() // also what has samples: they are written again
	}
	return err
}

// removeLeft removes the files that an agent was writing when it was killed. The snapshots are in the store, and are
// written again.
func removeLeft(path string) {
	const begin, value = `\d{8}T\d{6}\.\d{6}`, `[a-zA-Z0-9.-]+`
	name := strings.NewReplacer("%t", begin, "%v", value).Replace(regexp.QuoteMeta(path))
	pattern := regexp.MustCompile(`[][*?\\]`).ReplaceAllString(path, `\$0`)
	output.RemoveLeftParts(strings.NewReplacer("%t", "*", "%v", "*").Replace(pattern),
		regexp.MustCompile(`^`+name+`$`).MatchString)
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

// fileName returns how a value of a label is called in the name of a file: as itself, if it has letters and digits
// only; else without the others and, after a hyphen, with a part of its hash that is long enough for nobody to find two
// values that have it in common. So two values never have one name.
func fileName(value string) string {
	const none, other, longest = "none", "other", 60
	switch value {
	case "":
		return none
	case pprofx.OtherValue:
		return other
	}
	name := strings.Trim(notInNames.ReplaceAllString(value, "-"), ".-")
	plain := name == value && !strings.Contains(name, "-")
	if plain && len(name) <= longest && name != none && name != other {
		return name
	}
	hash := sha256.Sum256([]byte(value))
	return fmt.Sprintf("%s-%x", cmp.Or(name[:min(len(name), longest)], "value"), hash[:16])
}
