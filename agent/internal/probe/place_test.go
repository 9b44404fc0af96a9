package probe

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestManyFiles: of a process with as many files as it can have the one that is asked for is found, and an error names
// some of them only.
func TestManyFiles(t *testing.T) {
	const files = 65_000
	var all []procs.Mapping
	for i := range files {
		all = append(all, procs.Mapping{Inode: uint64(i + 1), Path: fmt.Sprintf("/f/%0200d", i), Exec: true})
	}
	began := time.Now()
	if m, err := mappedAs(1, all, fmt.Sprintf("%0200d", files-1)); err != nil || m.Inode != files {
		t.Errorf("%+v, %v", m, err)
	}
	_, err := mappedAs(1, all, "no")
	if !errors.Is(err, ErrNotMapped) || len(err.Error()) > (mostNamed+1)*210 || !strings.HasSuffix(err.Error(), ", …") {
		t.Errorf("an error of %d bytes: %.300v", len(fmt.Sprint(err)), err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
