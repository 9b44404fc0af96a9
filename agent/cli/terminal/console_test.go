package terminal

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLogger(t *testing.T) {
	var b bytes.Buffer
	for _, verbose := range []bool{false, true} {
		log := Console{Writer: &b}.Logger(verbose)
		log.Info("attached", "pid", 7)
		log.Warn("mappings not updated", "pid", 7, "why", errors.New("gone"))
		log.Error("snapshot not delivered")
		log.Debug("not learnt")
	}
	const each = "hotspan: attached, pid 7\nhotspan: warn: mappings not updated, pid 7: gone\n" +
		"hotspan: error: snapshot not delivered\n"
	if diff := cmp.Diff(each+each+"hotspan: not learnt\n", b.String()); diff != "" {
		t.Error(diff)
	}
}
