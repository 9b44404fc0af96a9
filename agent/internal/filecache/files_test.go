package filecache

import (
	"fmt"
	"testing"
	"time"
)

// TestMaxFiles: however small they are, a directory has a bounded number of files, and the one used last stays.
func TestMaxFiles(t *testing.T) {
	d, err := Open(t.TempDir()+"/files", "v", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const more = 5
	for i := range maxFiles + more {
		name := fmt.Sprint("n-", i)
		if err := d.Put(name, []byte{1}); err != nil {
			t.Fatal(err)
		}
		if err := d.root.Chtimes(name, time.Time{}, time.Unix(int64(i+1), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(d.Names("")); n != maxFiles {
		t.Errorf("%d files, want %d", n, maxFiles)
	}
	for i, want := range map[int]bool{more - 1: false, more: true, maxFiles + more - 1: true} {
		e, err := d.Get(fmt.Sprint("n-", i))
		if (err == nil) != want {
			t.Errorf("file %d: %v", i, err)
		}
		if err == nil {
			e.Close()
		}
	}
}
