package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBaseBinary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hotspan-old")
	if err := os.WriteFile(file, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	path, name, err := baseBinary(context.Background(), file, t.TempDir())
	if path != file || name != "hotspan-old" || err != nil {
		t.Errorf("a file: path %s, name %s, error %v", path, name, err)
	}
	_, _, err = baseBinary(context.Background(), "no-such-revision", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "neither a file nor a revision") {
		t.Errorf("neither: error %v", err)
	}
}
