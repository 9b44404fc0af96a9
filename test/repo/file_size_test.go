package repo

import (
	"os"
	"path/filepath"
	"testing"
)

// maxFile bounds each file, in bytes: a clone keeps what was once committed, such as a built program, for ever. The BPF
// objects are the largest.
const maxFile = 512 << 10

func TestFileSizes(t *testing.T) {
	for _, name := range files(t) {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if info.Size() > maxFile {
			t.Errorf("%s has %d bytes, the limit is %d", name, info.Size(), maxFile)
		}
	}
}
