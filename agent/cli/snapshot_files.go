package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// snapshotFiles writes each snapshot to a file of its own; %t in the path is when it begins, UTC.
type snapshotFiles struct{ path string }

// Write implements export.Receiver.
func (f snapshotFiles) Write(_ context.Context, s *pprofx.Snapshot) error {
	begin := time.Unix(0, s.Start).UTC().Format("20060102T150405.000")
	path := strings.ReplaceAll(f.path, "%t", begin)
	format, err := formatOf(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	out, err := createOutput(path, format)
	if err != nil {
		return err
	}
	if err := out.add(s); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return out.finish()
}
